import type { AccessTokens } from "./access-tokens.ts";
import { FeedAbortedError, FeedNetworkError, FeedTimeoutError } from "./errors.ts";
import type { Gate } from "./gate.ts";
import { type Answer, CallProgress, type OutgoingCall } from "./outgoing-call.ts";
import { backoffMs, isPassing, retryAfterMs } from "./retry.ts";
import { Ended, Scope } from "./scope.ts";
import type { Sender } from "./sender.ts";
import type { TransportAnswer } from "./transport.ts";
import { nameOf, type Wiring } from "./wiring.ts";

/** What an attempt that may be followed by another came to. */
type Outcome = TransportAnswer | FeedNetworkError | Ended;

/** How much later than told a request goes again at most, so that not all go at once. */
const SPREAD_MS = 250;

/** What a call with an access token needs besides. */
interface Admission {
  readonly tokens: AccessTokens;
  readonly gate: Gate;
}

/** Makes calls: as many attempts as it takes, in as much time as there is. */
export class Caller {
  readonly #wiring: Wiring;
  readonly #sender: Sender;
  readonly #admission: Admission | undefined;

  /** @param admission Left out of the caller that gets the tokens themselves. */
  constructor(wiring: Wiring, sender: Sender, admission?: Admission) {
    this.#wiring = wiring;
    this.#sender = sender;
    this.#admission = admission;
  }

  /**
   * Makes a call.
   *
   * @returns Resolves to its answer, whatever the status. Rejects with a FeedError where no answer
   * comes that counts, as the token exchange does, or with what a step of the caller's threw.
   */
  call(outgoing: OutgoingCall): Promise<Answer> {
    const { base, secrets, tracing } = this.#wiring;
    const progress = new CallProgress(outgoing, base, secrets);
    if (!tracing.isOn) return this.#run(outgoing, progress);
    return tracing.run(progress, () => this.#run(outgoing, progress), nameOf);
  }

  async #run(outgoing: OutgoingCall, progress: CallProgress): Promise<Answer> {
    const { options } = outgoing;
    const { settings } = this.#wiring;
    const scope = new Scope(
      settings.clock,
      options.timeoutMs ?? settings.timeoutMs,
      options.signal,
    );
    try {
      const { status, headers, text } = await this.#attempt(outgoing, progress, scope);
      return { status, headers, text, attempts: progress.attempts, sentAt: progress.sentAt };
    } catch (error) {
      throw error instanceof Ended ? this.#explain(error, outgoing, progress) : error;
    } finally {
      scope.close();
    }
  }

  async #attempt(
    outgoing: OutgoingCall,
    progress: CallProgress,
    scope: Scope,
  ): Promise<TransportAnswer> {
    const { settings } = this.#wiring;
    const usual = outgoing.method === "PATCH" ? 0 : settings.retries;
    const most = 1 + (outgoing.options.retries ?? usual);
    let isResent = false;
    for (let attempt = 1; ; ) {
      const { token, outcome } = await this.#send(outgoing, progress, scope);
      if (!(outcome instanceof Error)) {
        if (outcome.status === 401 && token !== undefined && !isResent) {
          isResent = true;
          if (await this.#admission?.tokens.replace(token, scope)) continue;
        }
        if (!isPassing(outcome.status)) return outcome;
      }
      const delayMs = this.#delayOf(outcome, attempt);
      if (attempt >= most || delayMs > scope.remainingMs) {
        if (outcome instanceof Error) throw outcome;
        return outcome;
      }
      this.#logRetry(outcome, progress, delayMs);
      await scope.sleep(delayMs);
      attempt += 1;
    }
  }

  /** Sends the request once, when its turn has come. */
  async #send(outgoing: OutgoingCall, progress: CallProgress, scope: Scope) {
    const { tokens, gate } = this.#admission ?? {};
    const turn = gate?.enter(scope);
    if (turn) await turn;
    try {
      const got = tokens?.get(scope);
      const token = typeof got === "object" ? await got : got;
      const outcome = await this.#try(outgoing, token, progress, scope);
      if (!(outcome instanceof Error)) this.#learn(outcome, token);
      return { token, outcome };
    } finally {
      gate?.leave();
    }
  }

  /** What an answer means for the other calls, before the next one gets the place. */
  #learn({ status, headers }: TransportAnswer, token: string | undefined): void {
    const { settings, server } = this.#wiring;
    const { tokens, gate } = this.#admission ?? {};
    if (token !== undefined && status !== 401) tokens?.accept(token);
    const asked = status === 429 ? retryAfterMs(headers, server) : undefined;
    if (asked !== undefined) gate?.hold(Math.min(asked, settings.maxRetryAfterMs));
  }

  /** The outcome of one attempt. Rejects with what no further attempt can mend. */
  async #try(
    outgoing: OutgoingCall,
    token: string | undefined,
    progress: CallProgress,
    scope: Scope,
  ): Promise<Outcome> {
    try {
      return await this.#sender.send(outgoing, token, progress, scope);
    } catch (error) {
      if (error instanceof FeedNetworkError) return error;
      if (error instanceof Ended && error.ending === "attempt") return error;
      throw error;
    }
  }

  /** How long to wait before the next attempt; Infinity where the answer asks for too much. */
  #delayOf(outcome: Outcome, attempt: number): number {
    const { server, settings } = this.#wiring;
    const { random, maxRetryAfterMs } = settings;
    const asked = outcome instanceof Error ? undefined : retryAfterMs(outcome.headers, server);
    if (asked === undefined) return backoffMs(attempt, random);
    return asked > maxRetryAfterMs ? Number.POSITIVE_INFINITY : asked + random() * SPREAD_MS;
  }

  #logRetry(outcome: Outcome, progress: CallProgress, delayMs: number): void {
    const { operation, path, attempts: attempt, status } = progress;
    this.#wiring.log?.({
      level: "warn",
      event: "retry",
      ...{ operation, path, attempt, delayMs: Math.round(delayMs) },
      ...(!(outcome instanceof Error) && status !== undefined && { status }),
    });
  }

  #explain({ ending }: Ended, { options }: OutgoingCall, { facts }: CallProgress) {
    if (ending === "aborted") return new FeedAbortedError(facts);
    const { settings } = this.#wiring;
    const name = ending === "call" ? "timeoutMs" : "attemptTimeoutMs";
    const reason = `took longer than the ${options[name] ?? settings[name]} ms of ${name}`;
    return new FeedTimeoutError(ending, reason, facts);
  }
}
