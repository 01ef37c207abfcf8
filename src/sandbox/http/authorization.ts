import type { Context } from "hono";
import type { Engine } from "../engine.ts";
import { forbidden, unauthorized } from "../problems.ts";
import { type Scope, tokensOf } from "./tokens.ts";

/** RFC 6750, 2.1. A JWT has three parts. */
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/** The error for a token of the other credentials. */
const OTHER_SCOPE: Readonly<Record<Scope, string>> = {
  api: "a token of the SDK credentials is valid only for card enrollment",
  sdk: "card enrollment requires a token of the SDK credentials",
};

/**
 * Authenticates a request (AUTH-07 to AUTH-12).
 *
 * @param scope the required scope: the API, or card enrollment (AUTH-11)
 * @returns Resolves with the account id. Rejects with a Refusal: 401 without a valid token, 403 if
 * the token has the other scope.
 */
export async function accountOf(engine: Engine, { req }: Context, scope: Scope): Promise<string> {
  const authorization = req.header("authorization");
  if (authorization === undefined) {
    throw unauthorized("the header Authorization: Bearer <ACCESS_TOKEN> is missing");
  }
  const [, token] = BEARER.exec(authorization) ?? [];
  if (!token) throw unauthorized("the Authorization header must be Bearer and an access token");
  const verdict = await tokensOf(engine).authenticate(token);
  if ("refused" in verdict) {
    throw unauthorized(`the access token ${verdict.refused}`, { error: "invalid_token" });
  }
  if (verdict.scope === scope) return verdict.accountId;
  throw forbidden(OTHER_SCOPE[scope]);
}
