import { memberOf } from "../../src/contract/pointer.ts";
import type { Exchange, RecordedRequest } from "./exchange.ts";
import type { Variable } from "./vault.ts";

/** The tokens that a run lives on. Others are to age, so that it can be seen what becomes of them. */
const LIVED_ON: readonly Variable[] = [
  "$TXFEED_TOKEN",
  "$TXFEED_SDK_TOKEN",
  "$TXFEED_SECOND_TOKEN",
];

/** A token is renewed so long before its end. */
const MARGIN_S = 30;

interface Held {
  readonly request: RecordedRequest;
  /** By `performance.now()`. */
  endsAt: number;
  renewing?: Promise<Exchange> | undefined;
}

/** Renews the tokens that a run lives on before they expire in its midst. */
export class Renewals {
  readonly #held = new Map<Variable, Held>();
  readonly #exchange: (request: RecordedRequest, keepAs: Variable) => Promise<Exchange>;

  constructor(exchange: (request: RecordedRequest, keepAs: Variable) => Promise<Exchange>) {
    this.#exchange = exchange;
  }

  /** Notes when a token came, and how it was asked for. */
  note(request: RecordedRequest, keepAs: Variable, { response }: Exchange): void {
    if (!LIVED_ON.includes(keepAs) || response?.status !== 200) return;
    const lifetime = memberOf(response.json, "expires_in");
    const seconds = typeof lifetime === "number" ? lifetime : 300;
    // One that lives no longer than the margin is used up to its half.
    const usable = Math.max(seconds - MARGIN_S, seconds / 2);
    this.#held.set(keepAs, { request, endsAt: performance.now() + usable * 1_000 });
  }

  /** The target's clock was moved: no token is known to be good. */
  forgetAll(): void {
    for (const held of this.#held.values()) held.endsAt = 0;
  }

  /** Renews the token that a request goes out with, where it is about to expire. */
  async renewFor({ headers }: RecordedRequest): Promise<void> {
    const variable = headers.authorization?.replace("Bearer ", "") as Variable;
    const held = this.#held.get(variable);
    if (!held || held.endsAt > performance.now()) return;
    held.renewing ??= this.#exchange(held.request, variable);
    this.note(held.request, variable, await held.renewing);
  }
}
