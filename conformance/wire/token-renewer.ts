import { memberOf } from "../../src/contract/pointer.ts";
import { Aborted } from "../run/skip.ts";
import { type Exchange, outcomeOf, type RecordedRequest } from "./exchange.ts";
import type { Variable } from "./secret-store.ts";

/** The tokens that a run keeps valid. Others must expire, because checks test expired tokens. */
const LIVED_ON: readonly Variable[] = [
  "$TXFEED_TOKEN",
  "$TXFEED_SDK_TOKEN",
  "$TXFEED_SECOND_TOKEN",
];

/** Time before its expiry at which a token is renewed, in seconds. */
const MARGIN_S = 30;

/** Lifetime of a token whose response has no `expires_in` (AUTH-02), in seconds. */
const LIFETIME_S = 300;

/** Delay before a failed renewal is retried. The old token is used until then. */
const RETRY_MS = 1_000;

interface HeldToken {
  /** The request that returned it. */
  readonly request: RecordedRequest;
  /** The time after which it is renewed before use. */
  renewAt: number;
  /** The time at which it expires. */
  endsAt: number;
  /** Resolves to the reason if the renewal failed, otherwise to undefined. */
  renewing?: Promise<string | undefined> | undefined;
}

/** Renews the run's tokens before they expire. */
export class TokenRenewer {
  readonly #held = new Map<Variable, HeldToken>();
  readonly #exchange: (request: RecordedRequest, keepAs: Variable) => Promise<Exchange>;
  readonly #now: () => number;

  /** @param now A monotonic clock in milliseconds. */
  constructor(
    exchange: (request: RecordedRequest, keepAs: Variable) => Promise<Exchange>,
    now = () => performance.now(),
  ) {
    this.#exchange = exchange;
    this.#now = now;
  }

  /** Remembers a token's request and its expiry. */
  note(request: RecordedRequest, keepAs: Variable, { response }: Exchange): void {
    if (!LIVED_ON.includes(keepAs) || response?.status !== 200) return;
    const lifetime = memberOf(response.json, "expires_in");
    const seconds = typeof lifetime === "number" && lifetime > 0 ? lifetime : LIFETIME_S;
    // A short-lived token is renewed after half its lifetime.
    const usable = Math.max(seconds - MARGIN_S, seconds / 2);
    const now = this.#now();
    const times = { renewAt: now + usable * 1_000, endsAt: now + seconds * 1_000 };
    this.#held.set(keepAs, { request, ...times });
  }

  /** Marks all tokens as expired, because the target's clock was advanced. */
  forgetAll(): void {
    for (const held of this.#held.values()) {
      held.renewAt = 0;
      held.endsAt = 0;
    }
  }

  /**
   * Renews the token of a request if it is about to expire. Concurrent requests share one exchange.
   *
   * @returns Rejects with `Aborted` if the token has expired and can't be renewed: the target's
   * refusal would be reported as a failure.
   */
  async renewFor({ headers }: RecordedRequest): Promise<void> {
    const variable = headers.authorization?.replace("Bearer ", "") as Variable;
    const held = this.#held.get(variable);
    if (!held || Math.min(held.renewAt, held.endsAt) > this.#now()) return;
    held.renewing ??= this.#renew(variable, held).finally(() => {
      held.renewing = undefined;
    });
    const failure = await held.renewing;
    if (failure !== undefined && held.endsAt <= this.#now()) {
      throw new Aborted(`the token expired and could not be renewed: ${failure}`);
    }
  }

  async #renew(variable: Variable, held: HeldToken): Promise<string | undefined> {
    const exchange = await this.#exchange(held.request, variable);
    const token = memberOf(exchange.response?.json, "access_token");
    if (exchange.response?.status === 200 && typeof token === "string") {
      this.note(held.request, variable, exchange);
      return undefined;
    }
    held.renewAt = this.#now() + RETRY_MS;
    return outcomeOf(exchange);
  }
}
