import { memberOf } from "../src/contract/pointer.ts";
import type { Capabilities } from "./capabilities.ts";
import type { Delivery } from "./deliveries/delivery.ts";
import type { Verb, VerbParams, VerbResult } from "./driver.ts";
import { type Hint, Skip } from "./skip.ts";
import { ACCEPT, type Exchange } from "./transport/exchange.ts";
import {
  linkRequest,
  type OperationInput,
  operationRequest,
  type SecuredOperation,
} from "./transport/request.ts";
import { type TokenRequestOptions, tokenRequest } from "./transport/secret-store.ts";
import type { Transport } from "./transport/transport.ts";

/** A request below the base address that the client would not send. */
export interface RawCall {
  readonly method: string;
  /** Path and query, starting with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const NO_TOKEN = "the token exchange gave no token: see AUTH-01 and AUTH-02";

/**
 * What a check looks through. Each has its own, so that what it asked is known by its name; what
 * several look at is made once, by `share`.
 */
export class Session {
  readonly baseUrl: string;
  readonly capabilities: Capabilities;
  readonly #transport: Transport;
  readonly #scope: string;
  readonly #shared: Map<string, Promise<unknown>>;

  constructor(
    run: {
      readonly baseUrl: string;
      readonly capabilities: Capabilities;
      readonly transport: Transport;
    },
    scope = "run",
    shared = new Map<string, Promise<unknown>>(),
  ) {
    this.baseUrl = run.baseUrl.replace(/(?<!\/)\/+$/, "");
    this.capabilities = run.capabilities;
    this.#transport = run.transport;
    this.#scope = scope;
    this.#shared = shared;
  }

  /** The same with a name of its own, for a check. */
  named(scope: string): Session {
    const run = {
      baseUrl: this.baseUrl,
      capabilities: this.capabilities,
      transport: this.#transport,
    };
    return new Session(run, scope, this.#shared);
  }

  /**
   * What several checks look at: the first to ask has it made, by a session of its own name.
   *
   * @param name Unique among all that is shared.
   */
  share<T>(name: string, make: (session: Session) => Promise<T>): Promise<T> {
    const known = this.#shared.get(name);
    if (known) return known as Promise<T>;
    const made = make(this.named(name));
    this.#shared.set(name, made);
    // Whoever awaits it is told; nobody else is to fall over it.
    made.catch(() => {});
    return made;
  }

  /**
   * Calls an operation with the run's access token.
   *
   * @returns Resolves to the exchange, also if no response came.
   * @throws {Skip} if there is no token, or an id makes an address that is not plain
   */
  async call<Operation extends SecuredOperation>(
    operation: Operation,
    input: OperationInput<Operation> = {},
  ): Promise<Exchange> {
    await this.#requireToken();
    return this.#transport.send(this.#scope, operationRequest(this.baseUrl, operation, input));
  }

  /**
   * Follows a link of a response or a delivery.
   *
   * @returns Resolves to the exchange, also if no response came.
   * @throws {Skip} if there is no token, or the link leads nowhere that the client would follow
   */
  async follow(href: string): Promise<Exchange> {
    await this.#requireToken();
    return this.#transport.send(this.#scope, linkRequest(this.baseUrl, href));
  }

  /** Sends what the client would not, as it stands. Resolves and rejects as {@link ask} does. */
  send({ method, path, headers = {}, body }: RawCall): Promise<Exchange> {
    return this.#transport.send(this.#scope, {
      method,
      url: new URL(`${this.baseUrl}${path}`).href,
      headers: { accept: ACCEPT, ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /**
   * The same with a token.
   *
   * @param variable Which: the run's own, or another of `Vault`'s, such as `$TXFEED_SDK_TOKEN`.
   */
  async sendAuthorized(call: RawCall, variable = "$TXFEED_TOKEN"): Promise<Exchange> {
    await this.#requireToken();
    const authorization = `Bearer ${variable}`;
    return this.send({ ...call, headers: { ...call.headers, authorization } });
  }

  /**
   * Exchanges credentials for a token. The client would refuse an answer that AUTH-02 finds fault
   * with, and all else would go unseen.
   *
   * @param who Whose credentials, and what is wrong with them on purpose. `keepAs` is the variable
   * by which the token is sent later on.
   */
  exchangeToken(who: TokenRequestOptions = {}): Promise<Exchange> {
    const { path, ...request } = tokenRequest(who);
    const url = `${this.baseUrl}${path}`;
    return this.#transport.send(this.#scope, { ...request, url }, who.keepAs);
  }

  /** The token exchange that the run's own requests live on. It is made once. */
  tokenExchange(): Promise<Exchange> {
    return this.share("token", (session) => session.exchangeToken({ keepAs: "$TXFEED_TOKEN" }));
  }

  /** Whether the exchange gave a token to send requests with. */
  async hasToken(): Promise<boolean> {
    const token = memberOf((await this.tokenExchange()).response?.json, "access_token");
    return typeof token === "string" && token !== "";
  }

  async #requireToken(): Promise<void> {
    if (!(await this.hasToken())) throw new Skip(NO_TOKEN);
  }

  /** Why a check saw nothing: the reason given, unless there was no token to look with. */
  async skip(reason: string, hint?: Hint): Promise<Skip> {
    return (await this.hasToken()) ? new Skip(reason, hint) : new Skip(NO_TOKEN);
  }

  /**
   * The deliveries so far, in the order in which they came, with those that the receiver refused.
   *
   * @param isEnough Waited for, within a limit, where they are not enough yet.
   */
  deliveries(
    isEnough?: (deliveries: readonly Delivery[]) => boolean,
  ): Promise<readonly Delivery[]> {
    return this.#transport.deliveries(this.#scope, isEnough);
  }

  /** Drives the target. Rejects with Unseen where it refuses. */
  drive<V extends Verb>(verb: V, params: VerbParams<V>): Promise<VerbResult<V>> {
    return this.#transport.drive(this.#scope, verb, params);
  }
}
