import type { Context } from "hono";
import type { Engine } from "../engine.ts";
import { forbidden, unauthorized } from "./problems.ts";
import { tokensOf } from "./tokens.ts";

/** RFC 6750, 2.1. A JWT has three parts. */
const BEARER = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/**
 * Tells whose request it is (AUTH-07 to AUTH-12).
 *
 * @returns Resolves to the account. Rejects with a Refusal: 401 without a token that is good now,
 * 403 where it is good for card enrollment only (AUTH-11).
 */
export async function accountOf(engine: Engine, { req }: Context): Promise<string> {
  const authorization = req.header("authorization");
  if (authorization === undefined) {
    throw unauthorized("the header Authorization: Bearer <ACCESS_TOKEN> is missing");
  }
  const [, token] = BEARER.exec(authorization) ?? [];
  if (!token) throw unauthorized("the header Authorization takes Bearer and an access token");
  const verdict = await tokensOf(engine).judge(token);
  if ("refused" in verdict) {
    throw unauthorized(`the access token ${verdict.refused}`, "invalid_token");
  }
  if (verdict.scope === "api") return verdict.accountId;
  throw forbidden("a token of the SDK credentials is good for card enrollment only");
}
