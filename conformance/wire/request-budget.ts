import type { RecordedRequest } from "./exchange.ts";
import { lengthInJson, TextBudget, valuesIn } from "./text-budget.ts";

/** Maximum number of requests. A full run sends about a third of it. */
const MAX_REQUESTS = 10_000;

/** Limits received characters: reading and redacting take time even if nothing is kept. */
const MAX_RECEIVED = 300_000_000;

/** Limits memory and disk use: exchanges are kept, parsed and as text, until the run ends. */
const LIMITS = { chars: 128_000_000, values: 8_000_000 };

const TOO_MUCH = `the target sent more than a run can keep: ${[
  `${LIMITS.chars / 1_000_000} MB`,
  `${LIMITS.values / 1_000_000} million values`,
].join(", or ")}`;

/** Limits a run's requests and stored data, because a target may send data without end. */
export class RequestBudget {
  readonly #budget = new TextBudget(LIMITS);
  #requests = 0;
  #received = 0;
  #excess: string | undefined;

  noteRequest({ url }: RecordedRequest): void {
    this.#requests += 1;
    this.noteText(url);
    if (this.#requests > MAX_REQUESTS) {
      this.#excess ??= `the run sent more than ${MAX_REQUESTS} requests`;
    }
  }

  noteReceived(body: string): void {
    this.#received += body.length;
    if (this.#received > MAX_RECEIVED) {
      this.#excess ??= `the target sent more than ${MAX_RECEIVED / 1_000_000} MB`;
    }
  }

  /**
   * Counts a text that is kept: part of a response, or a requested URL, which may be a link's.
   *
   * @param isParsed Whether its parsed values are kept too.
   */
  noteText(text: string, isParsed = false): void {
    if (this.#budget.take(lengthInJson(text), isParsed ? valuesIn(text) : 0)) return;
    this.#excess ??= TOO_MUCH;
  }

  /** Why the run must be aborted; undefined while it is within the limits. */
  get excess(): string | undefined {
    return this.#excess;
  }
}
