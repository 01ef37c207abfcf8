import { createHmac, timingSafeEqual } from "node:crypto";

/** Tokens are signed with a shared key and carry custom claims. */
const KEY = "the key of this process";
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString("base64url");
const sign = (text: string) => createHmac("sha384", KEY).update(text).digest();

export interface Holder {
  readonly tenant: string;
  readonly use: "api" | "enrollment";
}

export function issueToken(holder: Holder, nowMs: number): string {
  const now = Math.floor(nowMs / 1_000);
  const claims = { ...holder, nbf: now, exp: now + 300, jti: Math.random() };
  const signed = `${encode({ typ: "at+jwt", alg: "HS384", kid: "7" })}.${encode(claims)}`;
  return `${signed}.${sign(signed).toString("base64url")}`;
}

/** Returns the holder of a valid token, else undefined. */
export function holderOf(authorization: string | undefined, nowMs: number): Holder | undefined {
  const [scheme, token = ""] = authorization?.split(" ") ?? [];
  const [header, payload = "", signature = ""] = token.split(".");
  const mac = Buffer.from(signature, "base64url");
  const expected = sign(`${header}.${payload}`);
  const isSigned = mac.length === expected.length && timingSafeEqual(mac, expected);
  // Several base64url texts decode to the same bytes. Accept only the canonical one.
  if (scheme?.toLowerCase() !== "bearer" || !isSigned) return undefined;
  if (mac.toString("base64url") !== signature) return undefined;
  const { exp, ...holder } = JSON.parse(Buffer.from(payload, "base64url").toString());
  return exp * 1_000 > nowMs ? holder : undefined;
}
