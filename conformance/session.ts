import { memberOf } from "../src/contract/pointer.ts";
import { Unseen } from "./check.ts";
import { ACCEPT, type Exchange } from "./exchange.ts";
import { Recorder } from "./recorder.ts";
import { Secrets } from "./secrets.ts";
import { type Survey, survey } from "./survey.ts";
import { makeTypedCall, type TypedCall } from "./typed-call.ts";

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

/** A request below the base address that the client would not send. */
export interface RawCall {
  readonly method: string;
  /** Path and query, starting with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The fields of a form. */
  readonly form?: Readonly<Record<string, string>>;
}

const NO_TOKEN = "the token exchange gave no token: see AUTH-01 and AUTH-02";

/**
 * One run's access to its target. What it sends and what comes back is recorded, whether the client
 * puts the request together or a check does.
 */
export class Session {
  readonly target: Target;
  readonly secrets = new Secrets();
  readonly #recorder = new Recorder();
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
   * Makes a call of the client, with the run's access token.
   *
   * @returns Resolves to the exchange, also where no answer came. Rejects with Unseen where there
   * is no token or the client refuses the link, and with a TxfeedError that ends the run.
   */
  async ask(call: TypedCall): Promise<Exchange> {
    const token = await this.#needToken();
    return makeTypedCall(call, this.target, token, (request) => this.#recorder.send(request));
  }

  /** Sends what the client would not, as it stands. Resolves and rejects as {@link ask} does. */
  send({ method, path, headers = {}, form }: RawCall): Promise<Exchange> {
    return this.#recorder.send({
      method,
      url: new URL(`${this.target.baseUrl}${path}`).href,
      headers: {
        accept: ACCEPT,
        ...(form && { "content-type": "application/x-www-form-urlencoded" }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form).toString() }),
    });
  }

  /** The same with the run's access token. */
  async sendAuthorized(call: RawCall): Promise<Exchange> {
    const authorization = `Bearer ${await this.#needToken()}`;
    return this.send({ ...call, headers: { ...call.headers, authorization } });
  }

  /**
   * Exchanges credentials for a token; `changed` replaces some of the run's own. The client would
   * refuse an answer that AUTH-02 finds fault with, and all else would go unseen.
   */
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

  async #needToken(): Promise<string> {
    const token = await this.accessToken();
    if (token === "") throw new Unseen(NO_TOKEN);
    return token;
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
}

function tokenIn({ response }: Exchange): string {
  const token = memberOf(response?.json, "access_token");
  return typeof token === "string" ? token : "";
}
