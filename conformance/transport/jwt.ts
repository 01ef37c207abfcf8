import { memberOf } from "../../src/contract/pointer.ts";
import { parseJson } from "./exchange.ts";

/** Writes a part of a JWT. */
export function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

/** Reads a part of a JWT; undefined where it is none. */
export function decode(part: string): unknown {
  return parseJson(Buffer.from(part, "base64url").toString());
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
    return `$TXFEED_TOKEN_${lettersOf(nr)}`;
  }
  const { iat, exp } = claims as { iat?: unknown; exp?: unknown };
  const kept = { dropped: nr, iat, exp };
  return `${encode({ alg, typ: "JWT" })}.${encode(kept)}.${signature === "" ? "" : "ZHJvcHBlZA"}`;
}

/** The claims of a JWT, or what its header says; nothing where it is none. */
export function claimsOf(
  token: string,
  part: "payload" | "header" = "payload",
): Readonly<Record<string, unknown>> {
  const read = decode(token.split(".")[part === "header" ? 0 : 1] ?? "");
  return typeof read === "object" && read !== null ? { ...read } : {};
}

/** A number as the name of a variable has it. */
export function lettersOf(nr: number): string {
  return [...String(nr)].map((digit) => "ABCDEFGHIJ"[Number(digit)]).join("");
}
