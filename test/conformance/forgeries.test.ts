import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import { expect, test } from "vitest";
import { forge, forgeries } from "../../conformance/wire/forgeries.ts";
import { nearMissOf } from "../../conformance/wire/near-miss.ts";

const SECRET = new TextEncoder().encode(
  "a secret that is long enough for all of these: 0123456789",
);

test.each(["ES256", "ES384", "RS256", "PS256", "EdDSA", "HS256"])(
  "no forgery of a token by %s is taken for it",
  async (alg) => {
    const pair = alg === "HS256" ? undefined : await generateKeyPair(alg);
    const [key, verifying] = pair ? [pair.privateKey, pair.publicKey] : [SECRET, SECRET];
    const token = await new SignJWT({ account: "one" })
      .setProtectedHeader({ alg, kid: "1" })
      .setSubject("client")
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(key);
    await expect(jwtVerify(token, verifying)).resolves.toBeTruthy();
    const forged = forgeries.map((forgery) => forge(token, forgery));
    expect(forged.filter((each) => each === undefined)).toEqual([]);
    expect(new Set([token, ...forged]).size).toBe(forgeries.length + 1);
    for (const each of forged) {
      await expect(jwtVerify(each ?? "", verifying)).rejects.toThrow();
    }
  },
);

test("only what takes nothing of a token is made of what is no signed JWT", () => {
  for (const token of ["opaque", "a.b.c", "e30.e30.", "eyJhbGciOiJub25lIn0.e30."]) {
    const made = forgeries.filter((forgery) => forge(token, forgery) !== undefined);
    expect(made).toEqual(["malformed", "opaque"]);
  }
});

test("a near miss of a credential is never the credential", () => {
  const values = new Map([
    ["$A", "Ab1"],
    ["$B", "12"],
    ["$C", "x"],
  ]);
  const missed = (variable: string) => nearMissOf(variable, (of) => values.get(of));
  expect(["$A_CUT", "$A_LONGER", "$A_SWAPPED"].map(missed)).toEqual(["Ab", "Ab1x", "aB1"]);
  expect(["$B_SWAPPED", "$C_CUT", "$D_CUT", "$A", "$A_OTHER"].map(missed)).toEqual(
    Array(5).fill(undefined),
  );
});
