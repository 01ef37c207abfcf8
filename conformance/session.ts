import { memberOf } from "../src/contract/pointer.ts";
import { reasonOf, TxfeedError } from "../src/errors.ts";
import { Unseen } from "./check.ts";
import type { Exchange, RecordedRequest, RecordedResponse } from "./exchange.ts";
import { Secrets } from "./secrets.ts";
import { type Survey, survey } from "./survey.ts";

/** Who the run authenticates as. */
export interface Credentials {
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a run is about. */
export interface Target {
  /** The base address, with or without a slash at its end. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** `mock`: only what a stateless mock can honour. */
  readonly profile: Profile;
}

export type Profile = "full" | "mock";

/** A request below the base address. */
export interface Call {
  readonly method: string;
  /** Path and query, starting with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The fields of a form. */
  readonly form?: Readonly<Record<string, string>>;
}

const DEADLINE_MS = 10_000;

/** A target that lets so many requests in a row run into the deadline is given up. */
const MOST_TIMEOUTS = 3;

const NO_TOKEN = "the token exchange gave no token: see AUTH-01 and AUTH-02";

/** Prism refuses a bad request by `application/problem+json`, and answers 406 where it may not. */
const ACCEPT = "application/json, application/problem+json";

/** One run's access to its target. It records what it sends and what comes back. */
export class Session {
  readonly target: Target;
  readonly exchanges: Exchange[] = [];
  readonly secrets = new Secrets();
  #timeouts = 0;
  #token: Promise<Exchange> | undefined;
  #survey: Promise<Survey> | undefined;

  constructor(target: Target) {
    this.target = { ...target, baseUrl: target.baseUrl.replace(/\/+$/, "") };
    const { accountId, clientId, clientSecret } = target.credentials;
    this.secrets.add(clientSecret, "$TXFEED_CLIENT_SECRET");
    this.secrets.add(clientId, "$TXFEED_CLIENT_ID");
    this.secrets.add(accountId, "$TXFEED_ACCOUNT_ID");
  }

  /**
   * Sends a request as it stands. A redirect is an answer like any other: it is not followed.
   *
   * @returns Resolves to the exchange, also where no answer came. Rejects with a TxfeedError
   * `unreachable` where nothing has answered yet and the connection fails.
   */
  async send({ method, path, headers = {}, form }: Call): Promise<Exchange> {
    const body = form && new URLSearchParams(form).toString();
    const request: RecordedRequest = {
      method,
      url: new URL(`${this.target.baseUrl}${path}`).href,
      headers: {
        accept: ACCEPT,
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    };
    const start = performance.now();
    const answer = await this.#fetch(request);
    const exchange = { request, ...answer, durationMs: Math.round(performance.now() - start) };
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Sends a request with the run's access token. Rejects with Unseen where there is none. */
  async sendAuthorized(call: Call): Promise<Exchange> {
    const token = await this.accessToken();
    if (token === "") throw new Unseen(NO_TOKEN);
    const authorization = `Bearer ${token}`;
    return this.send({ ...call, headers: { ...call.headers, authorization } });
  }

  /** Exchanges credentials for a token; `changed` replaces some of the run's own. */
  async exchangeToken(changed: Partial<Credentials> = {}): Promise<Exchange> {
    const { accountId, clientId, clientSecret } = { ...this.target.credentials, ...changed };
    const exchange = await this.send({
      method: "POST",
      path: `/auth/realms/${encodeURIComponent(accountId)}/protocol/openid-connect/token`,
      form: { client_id: clientId, client_secret: clientSecret, grant_type: "client_credentials" },
    });
    this.secrets.addToken(tokenIn(exchange));
    return exchange;
  }

  /** The token exchange that the run's own requests live on. It is made once. */
  tokenExchange(): Promise<Exchange> {
    this.#token ??= this.exchangeToken();
    return this.#token;
  }

  /** The run's access token; empty where the exchange gave none. */
  async accessToken(): Promise<string> {
    return tokenIn(await this.tokenExchange());
  }

  /** Why a check saw nothing: the reason given, unless there was no token to look with. */
  async unseen(reason: string): Promise<Unseen> {
    return new Unseen((await this.accessToken()) === "" ? NO_TOKEN : reason);
  }

  /** One answer of each endpoint. It is made once. */
  survey(): Promise<Survey> {
    this.#survey ??= survey(this);
    return this.#survey;
  }

  async #fetch(
    request: RecordedRequest,
  ): Promise<{ response: RecordedResponse } | { failure: string }> {
    const { url, ...init } = request;
    try {
      const signal = AbortSignal.timeout(DEADLINE_MS);
      const response = await fetch(url, { ...init, redirect: "manual", signal });
      const body = await response.text();
      const { status, headers } = response;
      const json = parseJson(body);
      this.#timeouts = 0;
      return {
        response: {
          status,
          headers: Object.fromEntries(headers),
          body,
          ...(json !== undefined && { json }),
        },
      };
    } catch (error) {
      return { failure: this.#judgeFailure(error, new URL(url).origin) };
    }
  }

  /** The reason why no answer came. Throws where it ends the run. */
  #judgeFailure(error: unknown, origin: string): string {
    const failure = reasonOf(error);
    if (failure === "bad port") {
      throw new TxfeedError("usage", `fetch refuses the port of ${origin}: other protocols own it`);
    }
    if (!this.exchanges.some(({ response }) => response)) {
      throw new TxfeedError("unreachable", `nothing answers at ${origin}: ${failure}`);
    }
    this.#timeouts = isTimeout(error) ? this.#timeouts + 1 : 0;
    if (this.#timeouts >= MOST_TIMEOUTS) {
      const what = `${MOST_TIMEOUTS} requests in a row took more than ${DEADLINE_MS / 1000} s`;
      throw new TxfeedError("unreachable", `${origin} stopped answering: ${what}`);
    }
    return failure;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tokenIn({ response }: Exchange): string {
  const token = memberOf(response?.json, "access_token");
  return typeof token === "string" ? token : "";
}
