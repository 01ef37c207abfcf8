import type { RecordedRequest } from "./exchange.ts";
import { lengthInJson, TextBudget, valuesIn } from "./text-budget.ts";

/** A run against a server with all that it looks at takes about a third of it. */
const MOST_REQUESTS = 10_000;

/** Limits received characters: reading and redacting take time even if nothing is kept. */
const MOST_RECEIVED = 300_000_000;

/**
 * Exchanges are kept to the end of the run, parsed and as they came, and are in its evidence: the
 * memory and the disk have to do.
 */
const LIMITS = { chars: 128_000_000, values: 8_000_000 };

const TOO_MUCH = `the target sent more than a run can keep: ${[
  `${LIMITS.chars / 1_000_000} MB`,
  `${LIMITS.values / 1_000_000} million values`,
].join(", or ")}`;

/** What a run may use of a target that would give for ever. */
export class RequestBudget {
  readonly #budget = new TextBudget(LIMITS);
  #requests = 0;
  #received = 0;
  #excess: string | undefined;

  noteRequest({ url }: RecordedRequest): void {
    this.#requests += 1;
    this.noteText(url);
    if (this.#requests > MOST_REQUESTS) {
      this.#excess ??= `the run sent more than ${MOST_REQUESTS} requests`;
    }
  }

  noteReceived(body: string): void {
    this.#received += body.length;
    if (this.#received > MOST_RECEIVED) {
      this.#excess ??= `the target sent more than ${MOST_RECEIVED / 1_000_000} MB`;
    }
  }

  /**
   * Notes a text that is kept: of an answer, or the address that was asked, which a link gave.
   *
   * @param isParsed Whether its values are kept too.
   */
  noteText(text: string, isParsed = false): void {
    if (this.#budget.take(lengthInJson(text), isParsed ? valuesIn(text) : 0)) return;
    this.#excess ??= TOO_MUCH;
  }

  /** Why a run that goes on like that is broken off; undefined where it may go on. */
  get excess(): string | undefined {
    return this.#excess;
  }
}
