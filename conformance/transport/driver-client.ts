import { reasonOf } from "../../src/errors.ts";
import { shortened } from "../../src/text.ts";
import type { Driver, Verb } from "../driver.ts";
import { Skip } from "../skip.ts";
import type { Entry } from "./evidence.ts";
import type { SecretStore } from "./secret-store.ts";
import { within } from "./within.ts";

/** A verb that takes longer is not waited for. */
const VERB_PATIENCE_MS = 120_000;

/** A driver may give the whole answer of a target as its reason. */
const MAX_REASON = 2_000;

/** What became of a verb. */
type VerbOutcome = Pick<Entry<"verb">, "result" | "refusal" | "brokenOff">;

/** Calls a driver, which may be of any kind: it may throw, give what it likes, or never end. */
export class DriverClient {
  readonly #driver: Driver;
  readonly #vault: SecretStore;

  constructor(driver: Driver, vault: SecretStore) {
    this.#driver = driver;
    this.#vault = vault;
  }

  /**
   * Calls a verb, secrets filled in, and gives what came of it without them.
   *
   * @param params What the verb takes: JSON.
   * @param until How long it is waited for. It goes on where the signal is aborted before.
   * @returns Resolves whatever came of it.
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
      return { result: asJson(result, (text) => this.#vault.redact(text)) };
    } catch (error) {
      if (signal?.aborted) return { brokenOff: reasonOf(signal.reason) };
      const reason = error instanceof Skip ? error.reason : reasonOf(error);
      return { refusal: shortened(this.#vault.redact(reason), MAX_REASON) };
    }
  }

  async #call(verb: Verb, params: unknown): Promise<unknown> {
    const verbs = this.#driver as Record<Verb, (params: unknown) => unknown>;
    return verbs[verb](asJson(params, (text) => this.#vault.fillIn(this.#vault.restoreIds(text))));
  }
}

function asJson<T>(value: T, change: (text: string) => string): T {
  return value === undefined ? value : JSON.parse(change(JSON.stringify(value)));
}
