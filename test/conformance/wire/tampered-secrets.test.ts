import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import { expect, test } from "vitest";
import {
  SecretStore,
  tamperedCredential,
  tamperedTokens,
  tamperToken,
} from "../../../conformance/wire/secret-store.ts";

const SECRET = new TextEncoder().encode(
  "a secret that is long enough for all of these: 0123456789",
);

test.each(["ES256", "ES384", "RS256", "PS256", "EdDSA", "HS256"])(
  "no tampered %s token is valid",
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
    const tampered = tamperedTokens.map((kind) => tamperToken(token, kind));
    expect(tampered.filter((each) => each === undefined)).toEqual([]);
    expect(new Set([token, ...tampered]).size).toBe(tamperedTokens.length + 1);
    for (const each of tampered) {
      await expect(jwtVerify(each ?? "", verifying)).rejects.toThrow();
    }
  },
);

test("only two tamperings apply to a token that is not a signed JWT", () => {
  for (const token of ["opaque", "a.b.c", "e30.e30.", "eyJhbGciOiJub25lIn0.e30."]) {
    const made = tamperedTokens.filter((kind) => tamperToken(token, kind) !== undefined);
    expect(made).toEqual(["malformed", "opaque"]);
  }
});

test("a near miss of a credential never equals it", () => {
  const values = new Map([
    ["$A", "Ab1"],
    ["$B", "12"],
    ["$C", "x"],
  ]);
  const missed = (variable: string) => tamperedCredential(variable, (of) => values.get(of));
  expect(["$A_CUT", "$A_LONGER", "$A_SWAPPED"].map(missed)).toEqual(["Ab", "Ab1x", "aB1"]);
  expect(["$B_SWAPPED", "$C_CUT", "$D_CUT", "$A", "$A_OTHER"].map(missed)).toEqual(
    Array(5).fill(undefined),
  );
});

test("each tampered token is redacted, also after the run's token was renewed", async () => {
  const store = new SecretStore({
    baseUrl: "http://127.0.0.1:1",
    credentials: { accountId: "a", clientId: "client-of-one", clientSecret: "unregistered" },
    profile: "full",
  });
  const { privateKey } = await generateKeyPair("ES256");
  for (const subject of ["first", "renewed"]) {
    const signing = new SignJWT({ sub: subject }).setProtectedHeader({ alg: "ES256" });
    const token = await signing.sign(privateKey);
    store.addToken(token, "$TXFEED_TOKEN");
    for (const kind of tamperedTokens) {
      const sent = store.fillIn(`$TXFEED_TOKEN_${kind.toUpperCase()}`);
      const isRandom = kind === "resigned_alike" || kind === "resigned_embedded";
      if (!isRandom) expect(sent).toBe(tamperToken(token, kind));
      if (kind === "malformed" || kind === "opaque") continue;
      const encoded = Buffer.from(sent).toString("base64");
      expect(store.redact(encoded), kind).not.toBe(encoded);
    }
  }
});
