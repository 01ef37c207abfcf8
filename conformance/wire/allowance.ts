/** A run against a server with all that it looks at takes about a third of it. */
const MOST_REQUESTS = 10_000;

/** Answers and deliveries are kept to the end of the run, to be compared: the memory has to do. */
const MOST_CHARS = 300_000_000;

/** Some thousand are what a busy system sends in the time of a run. */
const MOST_DELIVERIES = 50_000;

/** What a run may use of a target that would give for ever. */
export class Allowance {
  #requests = 0;
  #deliveries = 0;
  #chars = 0;

  noteRequest(): void {
    this.#requests += 1;
  }

  noteAnswer(body: string): void {
    this.#chars += body.length;
  }

  noteDelivery(body: string): void {
    this.#deliveries += 1;
    this.#chars += body.length;
  }

  /** Why a run that goes on like that is broken off; undefined where it may go on. */
  get excess(): string | undefined {
    if (this.#requests > MOST_REQUESTS) return `the run took more than ${MOST_REQUESTS} requests`;
    if (this.#deliveries > MOST_DELIVERIES) {
      return `the run received more than ${MOST_DELIVERIES} deliveries`;
    }
    if (this.#chars > MOST_CHARS) {
      return `the target has sent more than ${MOST_CHARS / 1_000_000} MB`;
    }
    return undefined;
  }
}
