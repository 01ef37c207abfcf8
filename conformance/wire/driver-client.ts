import { setTimeout as sleep } from "node:timers/promises";
import { reasonOf } from "../../src/errors.ts";
import { shortened } from "../../src/text.ts";
import type { Driver, Verb } from "../driver.ts";
import { Skip } from "../run/skip.ts";
import type { Entry } from "./evidence.ts";
import type { SecretStore } from "./secret-store.ts";

/** Timeout of a verb. */
const VERB_PATIENCE_MS = 120_000;

/** Maximum length of a reason: a driver may pass a target's whole response. */
const MAX_REASON = 2_000;

/** The outcome of a verb. */
type VerbOutcome = Pick<Entry<"verb">, "result" | "refusal" | "brokenOff">;

/** Calls a driver that may throw, return anything, or never resolve. */
export class DriverClient {
  readonly #driver: Driver;
  readonly #secretStore: SecretStore;

  constructor(driver: Driver, secretStore: SecretStore) {
    this.#driver = driver;
    this.#secretStore = secretStore;
  }

  /**
   * Calls a verb with secrets filled in, and returns its outcome with secrets redacted. A timeout
   * or an aborted signal ends the waiting, not the verb itself.
   *
   * @param params The verb's parameters, as JSON.
   * @returns Never rejects: errors are part of the outcome.
   */
  async call(
    verb: Verb,
    params: unknown,
    { signal, ms = VERB_PATIENCE_MS }: { signal?: AbortSignal; ms?: number } = {},
  ): Promise<VerbOutcome> {
    try {
      signal?.throwIfAborted();
      const result = await within(ms, this.#call(verb, params), signal);
      if (result === undefined) return {};
      return { result: asJson(result, (text) => this.#secretStore.redact(text)) };
    } catch (error) {
      if (signal?.aborted) return { brokenOff: reasonOf(signal.reason) };
      const reason = error instanceof Skip ? error.reason : reasonOf(error);
      return { refusal: shortened(this.#secretStore.redact(reason), MAX_REASON) };
    }
  }

  async #call(verb: Verb, params: unknown): Promise<unknown> {
    const verbs = this.#driver as Record<Verb, (params: unknown) => unknown>;
    return verbs[verb](
      asJson(params, (text) => this.#secretStore.fillIn(this.#secretStore.restoreIds(text))),
    );
  }
}

function asJson<T>(value: T, change: (text: string) => string): T {
  return value === undefined ? value : JSON.parse(change(JSON.stringify(value)));
}

/**
 * Awaits a promise with a timeout.
 *
 * @param signal Also ends the waiting.
 * @returns Rejects after the timeout, as the promise does, or with the signal's reason.
 */
async function within<T>(ms: number, waited: Promise<T>, signal?: AbortSignal): Promise<T> {
  const over = new AbortController();
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const limit = sleep(ms, undefined, { signal: either }).then(
    () => Promise.reject(new Error(`it took longer than ${ms / 1_000} s`)),
    () => Promise.reject(signal?.reason),
  );
  // Avoid an unhandled rejection of the promise that loses the race.
  limit.catch(() => {});
  waited.catch(() => {});
  try {
    return await Promise.race([waited, limit]);
  } finally {
    over.abort();
  }
}
