import type { RecordedRequest } from "./exchange.ts";

/** So many requests in a row without an answer, and the target or the endpoint is given up. */
const MOST_FAILURES = 3;

/** Sees to it that a target that hangs is not waited for a thousand times. */
export class Deadlines {
  readonly #patienceMs: number;
  readonly #failures = new Map<string, number>();
  hasAnswered = false;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  /** Why a request is not even sent; undefined where it is. */
  refusalOf(request: RecordedRequest): string | undefined {
    for (const place of placesOf(request)) {
      if ((this.#failures.get(place) ?? 0) >= MOST_FAILURES) {
        return `${place} stopped answering: ${MOST_FAILURES} requests in a row got no answer within ${this.#patienceMs / 1000} s`;
      }
    }
    return undefined;
  }

  noteAnswer(request: RecordedRequest): void {
    this.hasAnswered = true;
    for (const place of placesOf(request)) this.#failures.delete(place);
  }

  /** Only what took all the time counts: what is refused or reset at once costs nothing. */
  noteFailure(request: RecordedRequest, error: unknown): void {
    if (!(error instanceof Error) || error.name !== "TimeoutError") return;
    for (const place of placesOf(request)) {
      this.#failures.set(place, (this.#failures.get(place) ?? 0) + 1);
    }
  }
}

/** The target, and the endpoint of it: where its path begins. */
function placesOf({ url }: RecordedRequest): string[] {
  const { origin, pathname } = new URL(url);
  return [origin, `${origin}/${pathname.split("/")[1]}`];
}
