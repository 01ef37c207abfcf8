import { createHash, timingSafeEqual } from "node:crypto";
import { badRequest } from "../refusal.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./operation.ts";
import { unauthorized } from "./problems.ts";
import { textOf } from "./request-body.ts";
import { type Scope, TOKEN_LIFETIME_SECONDS, tokensOf } from "./tokens.ts";

/** What a token is exchanged for. */
interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/**
 * Exchanges credentials for an access token (AUTH-01 to AUTH-06). There is no refresh token.
 *
 * @throws a Refusal 400 or 415 where it is no client credentials grant, or 401 where account,
 * client id and secret don't belong together
 */
export async function exchangeToken({ context, service }: Call): Promise<string> {
  const credentials = await credentialsOf(context);
  const accountId = context.req.param("account_id") ?? "";
  const scope = scopeOf(service.engine.store, accountId, credentials);
  if (!scope) throw unauthorized("account id, client_id and client_secret don't belong together");
  const tokens = tokensOf(service.engine);
  return JSON.stringify({
    access_token: await tokens.issue({ accountId, scope }, credentials.clientId),
    expires_in: TOKEN_LIFETIME_SECONDS,
    token_type: "Bearer",
  });
}

async function credentialsOf(context: Call["context"]): Promise<Credentials> {
  const text = await textOf(context, "application/x-www-form-urlencoded");
  const form = formOf(text);
  if (fieldOf(form, "grant_type") !== "client_credentials") {
    throw badRequest("grant_type takes client_credentials");
  }
  return { clientId: fieldOf(form, "client_id"), clientSecret: fieldOf(form, "client_secret") };
}

function formOf(text: string): URLSearchParams {
  try {
    // URLSearchParams lets through what is no encoding.
    decodeURIComponent(text);
  } catch {
    throw badRequest("the form is not encoded as it is to be");
  }
  return new URLSearchParams(text);
}

function fieldOf(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name);
  if (!value) throw badRequest(`${name} is missing`);
  if (more.length > 0) throw badRequest(`${name} is given more than once`);
  return value;
}

/** Which of an account's credentials these are. How long it takes does not tell what is wrong. */
function scopeOf(store: Store, accountId: string, given: Credentials): Scope | undefined {
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
