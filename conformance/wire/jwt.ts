import { createHmac } from "node:crypto";
import { memberOf } from "../../src/contract/pointer.ts";
import { parseJson } from "./exchange.ts";

/** A way of forging a token out of a good one (AUTH-08). */
export type Forgery = "malformed" | "unsigned" | "resigned" | "altered";

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");

const decode = (part: string) => parseJson(Buffer.from(part, "base64url").toString());

/** A forged token; undefined where there is no such forgery, or the token is no JWT. */
export function forge(token: string, forgery: Forgery): string | undefined {
  if (forgery === "malformed") return "not.a-token";
  const [header = "", payload = "", signature = ""] = token.split(".");
  const claims = decode(payload);
  if (typeof claims !== "object" || claims === null) return undefined;
  if (forgery === "unsigned") return `${encode({ alg: "none", typ: "JWT" })}.${payload}.`;
  if (forgery === "altered") {
    const { exp } = claims as { exp?: number };
    return `${header}.${encode({ ...claims, exp: Number(exp ?? 0) + 3_600 })}.${signature}`;
  }
  if (forgery !== "resigned") return undefined;
  const signed = `${encode({ alg: "HS256", typ: "JWT" })}.${payload}`;
  const mac = createHmac("sha256", "a key of nobody's").update(signed).digest("base64url");
  return `${signed}.${mac}`;
}

/**
 * What stands for a token in an answer: as much of a signed JWT as the token is, with nothing in it
 * that could be used. Tokens that differ have placeholders that differ.
 */
export function placeholderOf(token: string, nr: number): string {
  const [header = "", payload = "", signature, ...rest] = token.split(".");
  const claims = decode(payload);
  const alg = memberOf(decode(header), "alg");
  const isJwt = signature !== undefined && rest.length === 0;
  if (!isJwt || typeof alg !== "string" || typeof claims !== "object" || claims === null) {
    return `$TXFEED_TOKEN_${[...String(nr)].map((digit) => "ABCDEFGHIJ"[Number(digit)]).join("")}`;
  }
  const { iat, exp } = claims as { iat?: unknown; exp?: unknown };
  const kept = { dropped: nr, iat, exp };
  return `${encode({ alg, typ: "JWT" })}.${encode(kept)}.${signature === "" ? "" : "ZHJvcHBlZA"}`;
}
