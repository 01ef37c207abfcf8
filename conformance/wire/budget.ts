import { type RecordedRequest, sizeOf } from "./exchange.ts";

/**
 * Limits kept texts, in evidence and parsed in memory: their characters, as encoded in JSON, and
 * their JSON values.
 */
export class TextBudget {
  #chars: number;
  #values: number;

  constructor({ chars, values }: { readonly chars: number; readonly values: number }) {
    this.#chars = chars;
    this.#values = values;
  }

  /** Reserves characters and values. Returns false, and reserves nothing, beyond the limits. */
  take(chars: number, values = 0): boolean {
    if (chars > this.#chars || values > this.#values) return false;
    this.#chars -= chars;
    this.#values -= values;
    return true;
  }

  /** Reserves a text, and its values if they are kept. A control character counts six times. */
  takeText(text: string, isParsed: boolean): boolean {
    return this.take(JSON.stringify(text).length, isParsed ? sizeOf(text).values : 0);
  }

  release(chars: number): void {
    this.#chars += chars;
  }
}

/** Maximum number of requests. A full run sends about a third of it. */
const MAX_REQUESTS = 10_000;

/** Limits received characters: reading and redacting take time even if nothing is kept. */
const MAX_RECEIVED = 300_000_000;

/** Limits memory and disk use: exchanges are kept, parsed and as text, until the run ends. */
const EXCHANGE_LIMITS = { chars: 128_000_000, values: 8_000_000 };

const TOO_MUCH =
  `the target sent more than a run can keep: ${EXCHANGE_LIMITS.chars / 1_000_000} MB, or ` +
  `${EXCHANGE_LIMITS.values / 1_000_000} million values`;

/** Limits a run's requests and stored data, because a target may send data without end. */
export class RequestBudget {
  readonly #kept = new TextBudget(EXCHANGE_LIMITS);
  #requests = 0;
  #received = 0;
  /** Why the run must be aborted; undefined while it is within the limits. */
  excess: string | undefined;

  noteRequest({ url }: RecordedRequest): void {
    this.#requests += 1;
    this.noteText(url);
    if (this.#requests > MAX_REQUESTS) {
      this.excess ??= `the run sent more than ${MAX_REQUESTS} requests`;
    }
  }

  noteReceived(body: string): void {
    this.#received += body.length;
    if (this.#received > MAX_RECEIVED) {
      this.excess ??= `the target sent more than ${MAX_RECEIVED / 1_000_000} MB`;
    }
  }

  /**
   * Counts a text that is kept: part of a response, or a requested URL, which may be a link's.
   *
   * @param isParsed Whether its parsed values are kept too.
   */
  noteText(text: string, isParsed = false): void {
    if (!this.#kept.takeText(text, isParsed)) this.excess ??= TOO_MUCH;
  }
}

/** A busy system sends a few thousand deliveries during a run. */
const MAX_DELIVERIES = 20_000;

/** Memory limits. Deliveries are kept until the end of the run, both as text and parsed. */
const DELIVERY_LIMITS = { chars: 32_000_000, values: 1_500_000 };

/** Limits the deliveries that a run keeps. Once full, it stays full. */
export class DeliveryBudget {
  readonly #kept = new TextBudget(DELIVERY_LIMITS);
  #deliveries = 0;
  #isFull = false;

  /** Reserves memory for a delivery without its body; false if the budget is exhausted. */
  begin(headLength: number): boolean {
    this.#deliveries += 1;
    this.#isFull ||= this.#deliveries > MAX_DELIVERIES;
    return this.take(headLength);
  }

  /** Reserves memory for bytes of a body; false if the budget is exhausted. */
  take(bytes: number): boolean {
    this.#isFull ||= !this.#kept.take(bytes);
    return !this.#isFull;
  }

  /** Reserves memory for a whole body; false if the budget is exhausted. */
  takeText(body: string): boolean {
    this.#isFull ||= !this.#kept.takeText(body, true);
    return !this.#isFull;
  }

  release(bytes: number): void {
    this.#kept.release(bytes);
  }
}
