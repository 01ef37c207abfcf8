import { createHash, timingSafeEqual } from "node:crypto";
import { badRequest } from "../../world/refusal.ts";
import { unauthorized } from "../problems.ts";
import { textOf } from "../request-body.ts";
import type { SqliteStore } from "../store/store.ts";
import type { OperationRequest } from "./operation.ts";
import { type Scope, TOKEN_LIFETIME_SECONDS, tokensOf } from "./tokens.ts";

/** The credentials of a token request. */
interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Exchanges credentials for an access token (AUTH-01 to AUTH-06). There is no refresh token. The
 * credentials are in the form, or in an Authorization header with the scheme Basic.
 *
 * @throws {Refusal} 400 or 415 if it is not a client credentials grant, 401 if the credentials are
 * wrong
 * @see RFC 6749, 2.3.1 and 3.2.1
 */
export async function exchangeToken({ context, service }: OperationRequest): Promise<string> {
  const basic = basicOf(context);
  const form = formOf(await textOf(context, "application/x-www-form-urlencoded"));
  if (fieldOf(form, "grant_type") !== "client_credentials") {
    throw badRequest("grant_type must be client_credentials");
  }
  const credentials = basic === undefined ? credentialsIn(form) : withoutOthers(basic, form);
  const accountId = context.req.param("account_id") ?? "";
  const scope = scopeOf(service.engine.store, accountId, credentials);
  if (!scope) {
    const detail = "account id, client_id and client_secret do not match";
    throw unauthorized(detail, { scheme: basic === undefined ? "Bearer" : "Basic" });
  }
  const tokens = tokensOf(service.engine);
  return JSON.stringify({
    access_token: await tokens.issue({ accountId, scope }, credentials.clientId),
    expires_in: TOKEN_LIFETIME_SECONDS,
    token_type: "Bearer",
  });
}

function credentialsIn(form: URLSearchParams): Credentials {
  return { clientId: fieldOf(form, "client_id"), clientSecret: fieldOf(form, "client_secret") };
}

/** Refuses two ways of authentication. A client id in the form is allowed beside the header. */
function withoutOthers(basic: Credentials, form: URLSearchParams): Credentials {
  if (form.has("client_secret")) {
    throw badRequest("client_secret is in the form and in the Authorization header; send one");
  }
  if (form.has("client_id") && fieldOf(form, "client_id") !== basic.clientId) {
    throw badRequest("client_id differs between the form and the Authorization header");
  }
  return basic;
}

const BASIC = /^Basic +([\w+/]+={0,2})$/i;

/** The credentials in an Authorization header with the scheme Basic, if any. */
function basicOf({ req }: OperationRequest["context"]): Credentials | undefined {
  const authorization = req.header("authorization") ?? "";
  if (!/^Basic\b/i.test(authorization)) return undefined;
  const [, encoded = ""] = BASIC.exec(authorization) ?? [];
  const text = Buffer.from(encoded, "base64").toString();
  const colon = text.indexOf(":");
  const [clientId, clientSecret] = [text.slice(0, colon), text.slice(colon + 1)].map(decoded);
  if (colon > 0 && clientId && clientSecret) return { clientId, clientSecret };
  const detail = "the Authorization header must be Basic and base64 of client_id:client_secret";
  throw unauthorized(`${detail}, each form-urlencoded`, { scheme: "Basic" });
}

/** Decodes a form-urlencoded text; undefined if it is malformed. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function formOf(text: string): URLSearchParams {
  try {
    // URLSearchParams accepts malformed encodings.
    decodeURIComponent(text);
  } catch {
    throw badRequest("malformed form encoding");
  }
  return new URLSearchParams(text);
}

function fieldOf(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name);
  if (!value) throw badRequest(`${name} is missing`);
  if (more.length > 0) throw badRequest(`${name} is given more than once`);
  return value;
}

/** The scope of some credentials. Takes the same time for every error. */
function scopeOf(store: SqliteStore, accountId: string, given: Credentials): Scope | undefined {
  const row = store
    .sql(
      `SELECT client_id, client_secret, sdk_client_id, sdk_client_secret FROM accounts
       WHERE id = ?`,
    )
    .get(accountId);
  const matches = (prefix: string) => {
    const isClient = isSame(given.clientId, row?.[`${prefix}client_id`]);
    const isSecret = isSame(given.clientSecret, row?.[`${prefix}client_secret`]);
    return Boolean(Number(isClient) & Number(isSecret));
  };
  const [isApi, isSdk] = [matches(""), matches("sdk_")];
  if (isApi) return "api";
  return isSdk ? "sdk" : undefined;
}

function isSame(given: string, actual: unknown): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(typeof actual === "string" ? actual : ""));
}
