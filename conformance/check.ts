import {
  type ClaimId,
  claims as catalogue,
  claimIds,
  type RequirementId,
  type Situation,
} from "../generated/requirements.ts";
import type { Verb, VerbParams, VerbResult } from "./driver.ts";
import { type Hint, Skip } from "./skip.ts";
import type { Capabilities, Capability } from "./target.ts";
import {
  ACCEPT,
  addressBelow,
  type Delivery,
  type Exchange,
  linkRequest,
  type OperationInput,
  operationRequest,
  type RecordedRequest,
  type SecuredOperation,
  type Transport,
  type Variable,
} from "./wire/exchange.ts";
import { type TokenRequestOptions, tokenOf, tokenRequest } from "./wire/tokens.ts";

export { Skip } from "./skip.ts";

/** A single check of a requirement: metadata and one async function. */
interface CheckOf<Claims extends readonly ClaimId[], Found> {
  /**
   * The claims that the check decides, all of one requirement. It decides each of them if it ran
   * without a skip, unless its result lists fewer.
   */
  readonly claims: Claims;
  /** The fact that the check verifies, in the present tense and under 70 characters. */
  readonly title: string;
  /** The required capabilities. A run that lacks one skips the check. */
  readonly requires: readonly Capability[];
  /** The capabilities with which it may decide more claims. */
  readonly wants?: readonly Capability[];
  /** The part of the run in which it runs; default: the first that has what it requires. */
  readonly phase?: "compare";
  /**
   * Checks the target. It may use only the session, and its requests may depend only on what the
   * session returned, so that a replay gives the same result.
   *
   * @returns Resolves to the result, or to a Skip if the target had no data for the check.
   * @throws {Skip} for the same reason; any other error is an error of the suite
   */
  readonly run: (session: Session) => Promise<Found | Skip>;
}

/** The claims of a check that decides several. */
export type SeveralClaims = readonly [ClaimId, ClaimId, ...ClaimId[]];

/** The claims of a check whose breaches all name their claim; there may be only one. */
export function namedClaims(claims: Iterable<ClaimId>): SeveralClaims {
  return [...new Set(claims)] as unknown as SeveralClaims;
}

/** The claims of a requirement, in the order of the catalogue. */
export function claimsOfRequirement(id: RequirementId): readonly ClaimId[] {
  return claimIds.filter((claim) => catalogue[claim].requirement === id);
}

/** Groups claims by requirement: a check decides claims of one only. */
export function byRequirement(claims: readonly ClaimId[]): readonly SeveralClaims[] {
  return [...Map.groupBy(claims, (claim) => catalogue[claim].requirement).values()].map(
    namedClaims,
  );
}

/** A check of one claim, or of several; then each breach names its claim. */
export type Check = CheckOf<readonly [ClaimId], Found> | CheckOf<SeveralClaims, Found<ClaimBreach>>;

/** The result of a check. */
export interface Found<Breaches extends Breach = Breach> {
  /** The number of cases checked, at least 1; a check without cases returns a Skip. */
  readonly assertions: number;
  /** The violations; empty if the claims hold. */
  readonly breaches: readonly Breaches[];
  /** The situations in which all claims of the check were checked. */
  readonly situations?: readonly Situation[];
  /**
   * The claims that had a case, each with the situations in which it was checked. Default: all
   * claims of the check.
   */
  readonly decided?: ReadonlyMap<ClaimId, ReadonlySet<Situation>>;
  /** Why other claims of the check had no case. */
  readonly open?: ReadonlyMap<ClaimId, Skip>;
  /** What would be a breach if the run had every delivery. */
  readonly notices?: readonly ClaimBreach[];
}

/** A single violation of a claim. */
export interface Breach {
  /** The violated claim. Only a check of one claim may omit it. */
  readonly claim?: ClaimId;
  /** A JSON pointer into the body; omitted if the violation is not in the body. */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** Whether it is only a warning, because the interface does not specify it. */
  readonly isWarning?: true;
  /** The evidence: the violating exchange or delivery, then those that it is compared with. */
  readonly evidence: readonly [Exchange | Delivery, ...(Exchange | Delivery)[]];
}

/** A breach that names its claim. */
export type ClaimBreach = Breach & { readonly claim: ClaimId };

/** The requirement that a check belongs to. */
export function requirementOf({ claims: [claim] }: Pick<Check, "claims">): RequirementId {
  return catalogue[claim].requirement;
}

/** A request below the base URL that the client would not send. */
export interface RawCall {
  readonly method: string;
  /** Path and query, starting with a slash. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const NO_TOKEN = "the token exchange returned no token: see AUTH-01 and AUTH-02";

/** The run of a session. */
interface SessionRun {
  readonly baseUrl: string;
  readonly capabilities: Capabilities;
  readonly transport: Transport;
}

/**
 * The interface between checks and the target. Each check gets its own session, whose name is the
 * scope of its requests in the evidence. `share` fetches data once for several checks.
 */
export class Session {
  readonly baseUrl: string;
  readonly capabilities: Capabilities;
  readonly #run: SessionRun;
  readonly #scope: string;
  readonly #shared: Map<string, Promise<unknown>>;

  constructor(run: SessionRun, scope = "run", shared = new Map<string, Promise<unknown>>()) {
    this.baseUrl = run.baseUrl.replace(/(?<!\/)\/+$/, "");
    this.capabilities = run.capabilities;
    this.#run = run;
    this.#scope = scope;
    this.#shared = shared;
  }

  /** Returns a session with another scope, such as the name of a check. */
  named(scope: string): Session {
    return new Session(this.#run, scope, this.#shared);
  }

  /**
   * Returns data that several checks use. The first caller creates it.
   *
   * @param name A unique name, which is the scope of the requests.
   */
  share<T>(name: string, make: (session: Session) => Promise<T>): Promise<T> {
    const known = this.#shared.get(name);
    if (known) return known as Promise<T>;
    const made = make(this.named(name));
    this.#shared.set(name, made);
    // Avoid an unhandled rejection; awaiting callers still see it.
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
    await this.requireToken();
    return this.#send(operationRequest(this.baseUrl, operation, input));
  }

  /**
   * Follows a link of a response or a delivery.
   *
   * @returns Resolves to the exchange, also if no response came.
   * @throws {Skip} if there is no token, or the client would not follow the link
   */
  async follow(href: string): Promise<Exchange> {
    await this.requireToken();
    return this.#send(linkRequest(this.baseUrl, href));
  }

  #send(request: RecordedRequest, keepAs?: Variable): Promise<Exchange> {
    const headers = { ...request.headers, ...this.capabilities.headers };
    return this.#run.transport.send(this.#scope, { ...request, headers }, keepAs);
  }

  /**
   * Sends a request as it is, without a token.
   *
   * @throws {Skip} if the path, which may come from a link, leaves the base address
   */
  async send({ method, path, headers = {}, body }: RawCall): Promise<Exchange> {
    return this.#send({
      method,
      url: addressBelow(this.baseUrl, path),
      headers: { accept: ACCEPT, ...headers },
      ...(body !== undefined && { body }),
    });
  }

  /**
   * Sends a request with a token.
   *
   * @param variable The variable of the token, such as `$TXFEED_SDK_TOKEN`.
   */
  async sendAuthorized(call: RawCall, variable = "$TXFEED_TOKEN"): Promise<Exchange> {
    await this.requireToken();
    const authorization = `Bearer ${variable}`;
    return this.send({ ...call, headers: { ...call.headers, authorization } });
  }

  /**
   * Exchanges credentials for a token. It does not use the client, which rejects invalid token
   * responses (AUTH-02).
   *
   * @param who The credentials, including deliberately invalid ones. `keepAs` names the variable
   * that replaces the token.
   */
  exchangeToken(who: TokenRequestOptions = {}): Promise<Exchange> {
    const { path, ...request } = tokenRequest(who);
    const url = `${this.baseUrl}${path}`;
    return this.#send({ ...request, url }, who.keepAs);
  }

  /** The exchange of the run's own token. It is made once. */
  tokenExchange(): Promise<Exchange> {
    return this.share("token", (session) => session.exchangeToken({ keepAs: "$TXFEED_TOKEN" }));
  }

  /** Whether the exchange returned a token. */
  async hasToken(): Promise<boolean> {
    return tokenOf(await this.tokenExchange()) !== undefined;
  }

  /** @throws {Skip} if the run has no token */
  async requireToken(): Promise<void> {
    if (!(await this.hasToken())) throw new Skip(NO_TOKEN);
  }

  /** Creates a Skip with a reason, or with the reason that there is no token. */
  async skip(reason: string, hint?: Hint): Promise<Skip> {
    return (await this.hasToken()) ? new Skip(reason, hint) : new Skip(NO_TOKEN);
  }

  /**
   * Returns the deliveries so far in order of arrival, including those that the receiver refused.
   *
   * @param isEnough Waits, with a timeout, until it returns true.
   */
  deliveries(
    isEnough?: (deliveries: readonly Delivery[]) => boolean,
  ): Promise<readonly Delivery[]> {
    return this.#run.transport.deliveries(this.#scope, isEnough);
  }

  /**
   * Calls a verb of the driver.
   *
   * @throws {Skip} if the target refuses
   */
  drive<V extends Verb>(verb: V, params: VerbParams<V>): Promise<VerbResult<V>> {
    return this.#run.transport.drive(this.#scope, verb, params);
  }
}
