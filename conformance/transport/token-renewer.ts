import { memberOf } from "../../src/contract/pointer.ts";
import { Aborted } from "../skip.ts";
import { type Exchange, outcomeOf, type RecordedRequest } from "./exchange.ts";
import type { Variable } from "./secret-store.ts";

/** The tokens that a run lives on. Others are to age, so that what becomes of them can be seen. */
const LIVED_ON: readonly Variable[] = [
  "$TXFEED_TOKEN",
  "$TXFEED_SDK_TOKEN",
  "$TXFEED_SECOND_TOKEN",
];

/** A token is renewed so long before its end. */
const MARGIN_S = 30;

/** How long a token lives whose answer does not say (AUTH-02). */
const LIFETIME_S = 300;

/** After a renewal that failed, the old token is used for so long before it is tried again. */
const RETRY_MS = 1_000;

interface HeldToken {
  /** How it was asked for. */
  readonly request: RecordedRequest;
  /** From when on it is renewed before it is used. */
  renewAt: number;
  /** From when on it is good for nothing. */
  endsAt: number;
  /** Resolves to why it was not renewed; undefined where it was. */
  renewing?: Promise<string | undefined> | undefined;
}

/** Renews the tokens that a run lives on before they expire in its midst. */
export class TokenRenewer {
  readonly #held = new Map<Variable, HeldToken>();
  readonly #exchange: (request: RecordedRequest, keepAs: Variable) => Promise<Exchange>;
  readonly #now: () => number;

  /** @param now A clock in milliseconds that only goes on. */
  constructor(
    exchange: (request: RecordedRequest, keepAs: Variable) => Promise<Exchange>,
    now = () => performance.now(),
  ) {
    this.#exchange = exchange;
    this.#now = now;
  }

  /** Notes when a token came, and how it was asked for. */
  note(request: RecordedRequest, keepAs: Variable, { response }: Exchange): void {
    if (!LIVED_ON.includes(keepAs) || response?.status !== 200) return;
    const lifetime = memberOf(response.json, "expires_in");
    const seconds = typeof lifetime === "number" && lifetime > 0 ? lifetime : LIFETIME_S;
    // One that lives no longer than the margin is used up to its half.
    const usable = Math.max(seconds - MARGIN_S, seconds / 2);
    const now = this.#now();
    const times = { renewAt: now + usable * 1_000, endsAt: now + seconds * 1_000 };
    this.#held.set(keepAs, { request, ...times });
  }

  /** The target's clock was moved: no token is known to be good. */
  forgetAll(): void {
    for (const held of this.#held.values()) {
      held.renewAt = 0;
      held.endsAt = 0;
    }
  }

  /**
   * Renews the token that a request goes out with, where it is about to expire. Requests that need
   * it at once share one exchange.
   *
   * @returns Rejects with CutShort where it has expired and there is no other: its refusal would be
   * held against the target.
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
