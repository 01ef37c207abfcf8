import { inOneLine } from "../../src/contract/describe.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { RefusedCredentialsError } from "../../src/errors.ts";
import { Aborted } from "../skip.ts";
import {
  challengeOf,
  type Exchange,
  outcomeOf,
  parseJson,
  type RecordedRequest,
  type RecordedResponse,
  type Variable,
} from "./exchange.ts";

/** Options of a token request, including deliberately invalid values. */
export interface TokenRequestOptions {
  /** Whose credentials are used. Default: those of the run's own account. */
  readonly identity?: "own" | "sdk" | "second";
  /** Form fields that override the defaults or are added; undefined omits a field. */
  readonly form?: Readonly<Record<string, string | undefined>>;
  /** Overrides the account in the URL. */
  readonly accountId?: string;
  /** The variable that stores the token. Default: the token is not stored. */
  readonly keepAs?: Variable;
}

/** The content type of a token request. */
export const FORM = "application/x-www-form-urlencoded";

/** The first part of the variables of each identity. */
export const PREFIX = { own: "$TXFEED_", sdk: "$TXFEED_SDK_", second: "$TXFEED_SECOND_" } as const;

/** Builds a token request with variables in place of secrets. */
export function tokenRequest({ identity = "own", form = {}, accountId }: TokenRequestOptions) {
  const prefix = PREFIX[identity];
  const account = accountId ?? `${identity === "sdk" ? PREFIX.own : prefix}ACCOUNT_ID`;
  const fields = {
    client_id: `${prefix}CLIENT_ID`,
    client_secret: `${prefix}CLIENT_SECRET`,
    grant_type: "client_credentials",
    ...form,
  };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  const escaped = (text = "") =>
    /^\$TXFEED_[A-Z_]+$/.test(text) ? text : encodeURIComponent(text);
  return {
    method: "POST",
    path: `/auth/realms/${escaped(account)}/protocol/openid-connect/token`,
    headers: { accept: "application/json", "content-type": FORM },
    body: given.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join("&"),
  };
}

/**
 * Ends a run whose first token request is refused: every check would report the consequences.
 *
 * @throws {TxfeedError} `refused-credentials`
 */
export function refuseCredentials(exchange: Exchange): void {
  const { request, response } = exchange;
  if (!response) return;
  const error = memberOf(response.json, "error");
  const isInvalidClient = error === "invalid_client";
  if (response.status !== 401 && !(response.status === 400 && isInvalidClient)) return;
  const outcome = inOneLine(outcomeOf(exchange));
  const { host, pathname } = new URL(request.url);
  if (typeof error !== "string" && isOfGateway(response)) {
    throw new RefusedCredentialsError(
      `a gateway before ${host} refuses the run: POST ${pathname} got ${outcome}, which is no ` +
        "answer of the token endpoint; give the gateway what it requires, such as its own header",
    );
  }
  throw new RefusedCredentialsError(
    `the token endpoint refuses these credentials: POST ${pathname} got ${outcome}; check the ` +
      `account id, the client id and the client secret, and that ${host} is where they are valid`,
  );
}

/** Whether a refusal asks for other credentials than a token, or shows a page for people. */
function isOfGateway(response: RecordedResponse): boolean {
  const { "content-type": type = "" } = response.headers;
  return challengeOf(response) !== undefined || /^text\/html\b/i.test(type);
}

/** The parts of a JWT, the first two encoded as in the token. */
export interface JwtParts {
  readonly header: string;
  readonly payload: string;
  /** Empty if the token is unsigned. */
  readonly signature: string;
  readonly alg: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Takes a token apart; undefined if it is not a JWT. */
export function jwtParts(token: string): JwtParts | undefined {
  const [header = "", payload = "", signature, ...rest] = token.split(".");
  const claims = decodePart(payload);
  const alg = memberOf(decodePart(header), "alg");
  if (signature === undefined || rest.length > 0 || typeof alg !== "string") return undefined;
  if (typeof claims !== "object" || claims === null) return undefined;
  return { header, payload, signature, alg, claims: { ...claims } };
}

/** Encodes a part of a JWT. */
export function encodePart(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** Decodes a part of a JWT; undefined if it is not JSON in base64url. */
export function decodePart(part: string): unknown {
  return parseJson(Buffer.from(part, "base64url").toString());
}

/** The token that a response gives; undefined if there is none, or an empty one. */
export function tokenOf({ response }: Exchange): string | undefined {
  const token = memberOf(response?.json, "access_token");
  return typeof token === "string" && token !== "" ? token : undefined;
}

/** The claims of a JWT, or the members of its header; empty if the token is not a JWT. */
export function claimsOf(
  token: string,
  part: "payload" | "header" = "payload",
): Readonly<Record<string, unknown>> {
  const read = decodePart(token.split(".")[part === "header" ? 0 : 1] ?? "");
  return typeof read === "object" && read !== null ? { ...read } : {};
}

/** The tokens that a run keeps valid. Others must expire, because checks test expired tokens. */
const LIVED_ON: readonly Variable[] = [
  "$TXFEED_TOKEN",
  "$TXFEED_SDK_TOKEN",
  "$TXFEED_SECOND_TOKEN",
];

/** Time before its expiry at which a token is renewed, in seconds. */
const MARGIN_S = 30;

/** Lifetime of a token whose response has no `expires_in` (AUTH-02), in seconds. */
const LIFETIME_S = 300;

/** Delay before a failed renewal is retried. The old token is used until then. */
const RETRY_MS = 1_000;

interface HeldToken {
  /** The request that returned it. */
  readonly request: RecordedRequest;
  /** The time after which it is renewed before use. */
  renewAt: number;
  /** The time at which it expires. */
  endsAt: number;
  /** Resolves to the reason if the renewal failed, otherwise to undefined. */
  renewing?: Promise<string | undefined> | undefined;
}

/** Renews the run's tokens before they expire. */
export class TokenRenewer {
  readonly #held = new Map<Variable, HeldToken>();
  readonly #exchange: (request: RecordedRequest, keepAs: Variable) => Promise<Exchange>;

  constructor(exchange: (request: RecordedRequest, keepAs: Variable) => Promise<Exchange>) {
    this.#exchange = exchange;
  }

  /** Remembers a token's request and its expiry. */
  note(request: RecordedRequest, keepAs: Variable, { response }: Exchange): void {
    if (!LIVED_ON.includes(keepAs) || response?.status !== 200) return;
    const lifetime = memberOf(response.json, "expires_in");
    const seconds = typeof lifetime === "number" && lifetime > 0 ? lifetime : LIFETIME_S;
    // A short-lived token is renewed after half its lifetime.
    const usable = Math.max(seconds - MARGIN_S, seconds / 2);
    const now = performance.now();
    const times = { renewAt: now + usable * 1_000, endsAt: now + seconds * 1_000 };
    this.#held.set(keepAs, { request, ...times });
  }

  /** Marks all tokens as expired, because the target's clock was advanced. */
  forgetAll(): void {
    for (const held of this.#held.values()) Object.assign(held, { renewAt: 0, endsAt: 0 });
  }

  /**
   * Renews the token of a request if it is about to expire. Concurrent requests share one exchange.
   *
   * @returns Rejects with `Aborted` if the token has expired and can't be renewed: the target's
   * refusal would be reported as a failure.
   */
  async renewFor({ headers }: RecordedRequest): Promise<void> {
    const variable = headers.authorization?.replace("Bearer ", "") as Variable;
    const held = this.#held.get(variable);
    if (!held || Math.min(held.renewAt, held.endsAt) > performance.now()) return;
    held.renewing ??= this.#renew(variable, held).finally(() => {
      held.renewing = undefined;
    });
    const failure = await held.renewing;
    if (failure !== undefined && held.endsAt <= performance.now()) {
      throw new Aborted(`the token expired and could not be renewed: ${failure}`);
    }
  }

  async #renew(variable: Variable, held: HeldToken): Promise<string | undefined> {
    const exchange = await this.#exchange(held.request, variable);
    const token = memberOf(exchange.response?.json, "access_token");
    if (exchange.response?.status === 200 && typeof token === "string") {
      this.note(held.request, variable, exchange);
      return undefined;
    }
    held.renewAt = performance.now() + RETRY_MS;
    return outcomeOf(exchange);
  }
}
