import { reasonOf, TxfeedError } from "../src/errors.ts";
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

/** Prism refuses a bad request by `application/problem+json`, and answers 406 where it may not. */
const ACCEPT = "application/json, application/problem+json";

/** One run's access to its target. It records what it sends and what comes back. */
export class Session {
  readonly target: Target;
  readonly exchanges: Exchange[] = [];
  readonly secrets = new Secrets();
  #token: Promise<Exchange> | undefined;
  #survey: Promise<Survey> | undefined;

  constructor(target: Target) {
    this.target = { ...target, baseUrl: target.baseUrl.replace(/\/+$/, "") };
    const { clientId, clientSecret } = target.credentials;
    this.secrets.add(clientSecret, "$TXFEED_CLIENT_SECRET");
    this.secrets.add(clientId, "$TXFEED_CLIENT_ID");
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
      url: `${this.target.baseUrl}${path}`,
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

  /** Sends a request with the run's access token. */
  async sendAuthorized(call: Call): Promise<Exchange> {
    const authorization = `Bearer ${await this.accessToken()}`;
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
      return {
        response: {
          status,
          headers: Object.fromEntries(headers),
          body,
          ...(json !== undefined && { json }),
        },
      };
    } catch (error) {
      const failure = reasonOf(error);
      if (this.exchanges.some(({ response }) => response)) return { failure };
      const { origin } = new URL(url);
      throw new TxfeedError("unreachable", `nothing answers at ${origin}: ${failure}`);
    }
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tokenIn({ response }: Exchange): string {
  const token = (response?.json as { access_token?: unknown } | null | undefined)?.access_token;
  return typeof token === "string" ? token : "";
}
