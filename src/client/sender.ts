import { reasonOf } from "../errors.ts";
import { Attempt, Cancellation } from "./attempt.ts";
import { Astray } from "./base-address.ts";
import { FeedContractError, FeedError, FeedLinkError, FeedNetworkError } from "./errors.ts";
import { withoutAuthorization } from "./headers.ts";
import type { CallProgress, OutgoingCall } from "./outgoing-call.ts";
import { Ended, type Scope } from "./scope.ts";
import { chain, type FeedRequest } from "./steps.ts";
import { AnswerTooLong, type TransportAnswer } from "./transport.ts";
import { nameOf, type Wiring } from "./wiring.ts";

/** What one attempt is made of. */
interface Sending {
  readonly outgoing: OutgoingCall;
  readonly token: string | undefined;
  readonly progress: CallProgress;
  readonly cancellation: Cancellation;
}

/** Sends a request once: through the caller's steps, with the token, in the time of an attempt. */
export class Sender {
  readonly #wiring: Wiring;

  constructor(wiring: Wiring) {
    this.#wiring = wiring;
  }

  /**
   * @returns Resolves to the answer. Rejects with a FeedError, with Ended where time is up, or with
   * what a step threw.
   */
  send(
    outgoing: OutgoingCall,
    token: string | undefined,
    progress: CallProgress,
    scope: Scope,
  ): Promise<TransportAnswer> {
    const { clock, attemptTimeoutMs } = this.#wiring.settings;
    progress.attempts += 1;
    return scope.run((resolve, reject) => {
      const cancellation = new Cancellation();
      const stop = clock.after(outgoing.options.attemptTimeoutMs ?? attemptTimeoutMs, () => {
        reject(new Ended("attempt"));
        cancellation.cancel();
      });
      this.#deliver({ outgoing, token, progress, cancellation }).then(
        (answer) => {
          stop();
          resolve(answer);
        },
        (error) => {
          stop();
          reject(error);
        },
      );
      return () => {
        stop();
        cancellation.cancel();
      };
    });
  }

  async #deliver(sending: Sending): Promise<TransportAnswer> {
    const { operation, method, url, headers, body } = sending.outgoing;
    const { steps } = this.#wiring.settings;
    // The token exchange sends the secret, and its answer is the token: no step sees them.
    const isExchange = sending.token === undefined;
    if (steps.length === 0 || isExchange) return this.#transmit(sending, sending.outgoing);
    const attempt = sending.progress.attempts;
    const request: FeedRequest = { operation, method, url, headers, body, attempt };
    const answer = await chain(steps, (changed) => this.#transmit(sending, changed))(request);
    sending.progress.status = answer.status;
    return answer;
  }

  async #transmit(
    sending: Sending,
    request: Pick<FeedRequest, "method" | "url" | "headers" | "body">,
  ): Promise<TransportAnswer> {
    const { outgoing, token, progress, cancellation } = sending;
    const { settings, server, log } = this.#wiring;
    const attempt = new Attempt(
      {
        method: request.method,
        url: request.url === outgoing.url ? request.url : this.#resolve(request.url, progress),
        headers: withToken(request.headers, outgoing.headers, token),
        body: request.body,
      },
      settings.maxAnswerBytes,
      cancellation,
    );
    const sentAt = settings.clock.now();
    progress.sentAt = sentAt;
    try {
      const answer = await settings.transport(attempt);
      progress.status = answer.status;
      server.learn(answer.headers.get("date"), sentAt);
      if (log) this.#logAnswer(progress, attempt, answer);
      return answer;
    } catch (error) {
      const failure = this.#failureOf(error, progress);
      if (log) this.#logFailure(progress, failure);
      throw failure;
    }
  }

  /** A step may send a request elsewhere below the base address, and nowhere else. */
  #resolve(url: string, progress: CallProgress): string {
    try {
      return this.#wiring.base.resolve(url);
    } catch (error) {
      if (!(error instanceof Astray)) throw error;
      throw new FeedLinkError(`a step changed the address, and ${error.message}`, progress.facts);
    }
  }

  #failureOf(error: unknown, { facts }: CallProgress): FeedError {
    if (error instanceof FeedError) return error;
    if (error instanceof AnswerTooLong) {
      const most = `${this.#wiring.settings.maxAnswerBytes} bytes of maxAnswerBytes`;
      return new FeedContractError(`the answer is longer than the ${most}`, [], facts);
    }
    const reason = this.#wiring.secrets.scrub(reasonOf(error));
    return new FeedNetworkError(reason, facts, systemCodeOf(error));
  }

  #logAnswer(progress: CallProgress, request: Attempt, answer: TransportAnswer): void {
    const { settings, redaction, log } = this.#wiring;
    const { operation, path, attempts: attempt, sentAt } = progress;
    log?.({
      level: "debug",
      event: "answer",
      ...{ operation, path, query: redaction.query(request.url), attempt, status: answer.status },
      durationMs: settings.clock.now() - sentAt,
      requestHeaders: redaction.headers(request.headers),
      answerHeaders: redaction.headers(answer.headers),
    });
  }

  #logFailure(progress: CallProgress, failure: FeedError): void {
    const { settings, log } = this.#wiring;
    const { operation, path, attempts: attempt, sentAt } = progress;
    const durationMs = settings.clock.now() - sentAt;
    const reason = `${nameOf(failure)}: ${failure.message}`;
    log?.({ level: "warn", event: "failure", operation, path, attempt, durationMs, reason });
  }
}

/** Adds the token; headers that a step changed may have one of their own under another case. */
function withToken(
  headers: FeedRequest["headers"],
  own: FeedRequest["headers"],
  token: string | undefined,
): FeedRequest["headers"] {
  if (token === undefined) return headers;
  const others = headers === own ? headers : withoutAuthorization(headers);
  return { ...others, authorization: `Bearer ${token}` };
}

/** What the system calls a failure; fetch hides it behind a cause. */
function systemCodeOf(error: unknown): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === "string") return code;
  }
  return undefined;
}
