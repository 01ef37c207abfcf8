import { memberOf } from "../../src/contract/pointer.ts";
import { parseJson } from "./exchange.ts";

/** Encodes a part of a JWT. */
export function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** Decodes a part of a JWT; undefined if it is not JSON in base64url. */
export function decode(part: string): unknown {
  return parseJson(Buffer.from(part, "base64url").toString());
}

/**
 * Returns the placeholder that replaces a token in a response. A JWT's placeholder is a JWT of the
 * same form without usable content. Different tokens have different placeholders.
 */
export function placeholderOf(token: string, nr: number): string {
  const [header = "", payload = "", signature, ...rest] = token.split(".");
  const claims = decode(payload);
  const alg = memberOf(decode(header), "alg");
  const isJwt = signature !== undefined && rest.length === 0;
  if (!isJwt || typeof alg !== "string" || typeof claims !== "object" || claims === null) {
    return `$TXFEED_TOKEN_${lettersOf(nr)}`;
  }
  const { iat, exp } = claims as { iat?: unknown; exp?: unknown };
  const body = { dropped: nr, iat, exp };
  return `${encode({ alg, typ: "JWT" })}.${encode(body)}.${signature === "" ? "" : "ZHJvcHBlZA"}`;
}

/** The claims of a JWT, or the members of its header; empty if the token is not a JWT. */
export function claimsOf(
  token: string,
  part: "payload" | "header" = "payload",
): Readonly<Record<string, unknown>> {
  const read = decode(token.split(".")[part === "header" ? 0 : 1] ?? "");
  return typeof read === "object" && read !== null ? { ...read } : {};
}

/** Writes a number in letters, for the name of a variable. */
export function lettersOf(nr: number): string {
  return [...String(nr)].map((digit) => "ABCDEFGHIJ"[Number(digit)]).join("");
}
