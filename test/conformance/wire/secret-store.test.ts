import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import { expect, test } from "vitest";
import type { Credentials, Target } from "../../../conformance/target.ts";
import {
  SecretStore,
  tamperedCredential,
  tamperedTokens,
  tamperToken,
} from "../../../conformance/wire/secret-store.ts";
import { tokenRequest } from "../../../conformance/wire/tokens.ts";
import { eventNames } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import { readDocument } from "../../document.ts";
import { randomFrom } from "../../support/random.ts";
import { encodings } from "../encodings.ts";

const credentials: Credentials = {
  accountId: "5b3c1f9e-7f0a-4d2b-9c58-1f2e3d4c5b6a",
  clientId: "canary-client",
  clientSecret: 'canary/secret+with="signs" & more',
};

const storeOf = (changed: Partial<Credentials> = {}, more: Partial<Target> = {}) =>
  new SecretStore({
    baseUrl: "http://feed.test",
    credentials: { ...credentials, ...changed },
    profile: "full",
    ...more,
  });

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const jwt = (name: string, signature = "c2lnbmF0dXJl") =>
  `${part({ alg: "RS256", typ: "JWT" })}.${part({ sub: name, iat: 1, exp: 301 })}.${signature}`;

test("a token request has placeholders for all secrets", () => {
  expect(tokenRequest({})).toEqual({
    method: "POST",
    path: "/auth/realms/$TXFEED_ACCOUNT_ID/protocol/openid-connect/token",
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: "client_id=$TXFEED_CLIENT_ID&client_secret=$TXFEED_CLIENT_SECRET&grant_type=client_credentials",
  });
  expect(tokenRequest({ identity: "sdk" }).body).toContain("client_id=$TXFEED_SDK_CLIENT_ID&");
  const wrong = tokenRequest({
    accountId: "a/b",
    form: { client_id: "x&y", grant_type: undefined },
  });
  expect(wrong.path).toContain("/a%2Fb/");
  expect(wrong.body).toBe("client_id=x%26y&client_secret=$TXFEED_CLIENT_SECRET");
});

test("fills in the given values", () => {
  const store = storeOf();
  const filled = store.fillIn(tokenRequest({}).body, encodeURIComponent);
  expect(new URLSearchParams(filled).get("client_secret")).toBe(credentials.clientSecret);
  expect(() => store.fillIn("Bearer $TXFEED_TOKEN")).toThrow(
    expect.objectContaining({ reason: "the run has no value for $TXFEED_TOKEN" }),
  );
});

const secret = credentials.clientSecret;
const values: readonly (readonly [secret: string, token: string])[] = [
  [secret, "canary-token~of.somebody/7c1d"],
  ["Zürich/€ canary\u{1f511}7c1d", jwt("canary")],
];

/** Redacts an encoded value in several contexts, and expects that nothing of it is left. */
function expectRedacted(store: SecretStore, text: string) {
  for (const [before, after] of [
    ["", ""],
    ["before ", " after"],
    ['{"a":"', '"}'],
    ["x=", "&y=1"],
  ] as const) {
    const clean = store.redact(`${before}${text}${after}`);
    expect(clean.startsWith(before) && clean.endsWith(after)).toBe(true);
    // The rest must be too short to reveal a part of the secret: base64 of the bytes around it.
    const rest = clean.slice(before.length, clean.length - after.length).replace(/=|\\u003d/g, "");
    const left = rest.replace(/\$TXFEED_[A-Z_]+|ey\w+\.ey\w+\.ZHJvcHBlZA/g, "");
    expect(left.length, `${text} became ${clean}`).toBeLessThanOrEqual(9);
  }
}

const LETTERS = [..."abcXYZ0189-_.~+/=&%\\\"' :;<>#?{}äß€\u{1f511}"];

test("secrets and tokens are redacted in every form, in any context", () => {
  const random = randomFrom(7);
  const some = () => LETTERS[Math.floor(random() * LETTERS.length)] ?? "";
  const drawn = (length: number) => `k${Array.from({ length }, some).join("")}q`;
  const pairs = Array.from({ length: 300 }, () => [drawn(8), drawn(30)] as const);
  for (const [one, other] of [...values, ...pairs]) {
    const store = storeOf({ clientSecret: one });
    store.addToken(other, "$TXFEED_TOKEN");
    for (const encode of Object.values(encodings)) {
      expectRedacted(store, encode(one));
      expectRedacted(store, encode(other));
    }
  }
});

test("ids are not secrets", () => {
  const { accountId, clientId } = credentials;
  const text = `{"accountId":"${accountId}","client":"${clientId}"}`;
  expect(storeOf().redact(text)).toBe(text);
});

const MANY = 1_000_000;

/** Texts that cause quadratic time in naive redaction. */
const hostile: Readonly<Record<string, string>> = {
  backslashes: "\\".repeat(MANY),
  "backslashes before quotes": `${"\\".repeat(MANY)}"client_secret`,
  "incomplete escapes": "\\u006".repeat(MANY / 5),
  "percent signs": "%".repeat(MANY),
  "one letter": "a".repeat(MANY),
  "the end of a secret": "more".repeat(MANY / 4),
  "a secret without its end": secret.slice(0, -1).repeat(MANY / 30),
  "a secret without its beginning": secret.slice(1).repeat(MANY / 30),
  base64: Buffer.from(secret.slice(1).repeat(MANY / 50)).toString("base64"),
  blanks: " ".repeat(MANY),
  "tokens without a value": '"access_token":'.repeat(MANY / 15),
  "names of secrets": '\\"client_secret\\":'.repeat(MANY / 18),
  schemes: "Bearer ".repeat(MANY / 7),
  "a scheme and blanks": `Bearer${" ".repeat(MANY)}`,
};

test.each(Object.entries(hostile))("%s take linear time", (_, text) => {
  const store = storeOf({ clientSecret: `/${secret}` });
  // A nearly periodic token, which a target could issue.
  store.addToken(`${"a".repeat(5_000)}b${"a".repeat(5_000)}`, "$TXFEED_TOKEN");
  const timeOf = (text: string) => {
    const start = performance.now();
    store.redact(text);
    return performance.now() - start;
  };
  timeOf(text.slice(0, 10_000));
  // Quadratic time would take minutes.
  expect(timeOf(text)).toBeLessThan(5_000);
});

test("unknown secrets are redacted by their position", () => {
  const store = storeOf();
  for (const text of [
    "authorization: Bearer an.unknown.token-of-somebody",
    "Basic c29tZWJvZHk6dW5rbm93bg==",
    "client_secret=unknown&grant_type=x",
    '{"client_secret": "unknown", "refresh_token": "unknown", "id_token": "unknown"}',
    JSON.stringify(JSON.stringify({ client_secret: "unknown", refresh_token: "unknown" })),
    '{"access_token": "unknown", ',
    '{"access_token": "unknown',
    '{"refresh_token":"un\\u006bnown"}',
  ]) {
    const clean = store.redact(text);
    expect(clean).not.toMatch(/unknown|dW5rbm93|un.u006b/);
    expect(clean).toContain("$TXFEED_");
  }
});

test("a token's placeholder keeps only its shape and times", () => {
  const store = storeOf();
  const read = (token: string) => {
    const body = JSON.parse(store.redact(JSON.stringify({ access_token: token })));
    return String(body.access_token);
  };
  const signed = read(jwt("canary"));
  const [header = "", payload = "", signature] = signed.split(".");
  expect(JSON.parse(Buffer.from(header, "base64url").toString())).toMatchObject({ alg: "RS256" });
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  expect(claims).toMatchObject({ iat: 1, exp: 301 });
  expect(claims.sub).toBeUndefined();
  expect(signature).not.toBe("c2lnbmF0dXJl");
  expect(read(jwt("unsigned", "")).split(".")[2]).toBe("");
  expect(read("opaque-token-of-somebody")).toMatch(/^\$TXFEED_TOKEN_[A-J]+$/);
  expect(read("")).toBe("");
});

test("each token has its own stable placeholder", () => {
  const store = storeOf();
  const names = Array.from({ length: 30 }, (_, nr) => `opaque-token-${nr}-of-somebody`);
  for (const tokens of [names, names.map((name) => jwt(name))]) {
    const read = () => tokens.map((token) => store.redact(`{"access_token":"${token}"}`));
    const first = read();
    expect(new Set(first).size).toBe(tokens.length);
    expect(read()).toEqual(first);
    expect(first.map((text) => store.redact(text))).toEqual(first);
  }
});

test("a token is redacted everywhere once it is known, and so is one made of it", () => {
  const store = storeOf();
  store.redact(`{"access_token":"${jwt("canary")}"}`);
  store.addToken("another-token", "$TXFEED_SDK_TOKEN");
  expect(store.redact(`x-echo: ${jwt("canary")} another-token`)).not.toMatch(/c2lnbmF0|another/);
  expect(store.fillIn("Bearer $TXFEED_SDK_TOKEN")).toBe("Bearer another-token");
  const [first, second] = [jwt("one"), jwt("two")].map((token) => {
    store.addToken(token, "$TXFEED_TOKEN");
    return store.fillIn("$TXFEED_TOKEN_ALTERED");
  });
  expect(second).not.toBe(first);
  expect(store.fillIn("$TXFEED_TOKEN_ALTERED")).toBe(second);
  expect(store.redact(`${first} ${second}`)).toBe("$TXFEED_TOKEN_ALTERED $TXFEED_TOKEN_ALTERED");
});

test("a renewed token changes tampered tokens, and no issued one", () => {
  const store = storeOf();
  store.addToken(jwt("first"), "$TXFEED_TOKEN");
  store.addToken(jwt("later"), "$TXFEED_TOKEN_LATER");
  const before = store.fillIn("$TXFEED_TOKEN_UNSIGNED");
  store.addToken(jwt("second"), "$TXFEED_TOKEN");
  expect(store.fillIn("$TXFEED_TOKEN_LATER")).toBe(jwt("later"));
  expect(store.fillIn("$TXFEED_TOKEN_UNSIGNED")).not.toBe(before);
});

test("a near miss of a secret is redacted separately", () => {
  const store = storeOf();
  for (const end of ["CUT", "LONGER", "SWAPPED"]) {
    const sent = store.fillIn(`$TXFEED_CLIENT_SECRET_${end}`);
    expect(sent).not.toBe(secret);
    const output = store.redact(`wrong: ${sent} ${encodeURIComponent(sent)}, not ${secret}`);
    expect(output).not.toMatch(/canary/i);
    expect(output).toMatch(/, not \$TXFEED_CLIENT_SECRET$/);
  }
});

test("a number is redacted as a whole value, with a number", () => {
  const store = storeOf({ clientSecret: "998877" });
  const text = '{"at":998877.5,"b":"998877","c":"9988771","998877":1}';
  expect(store.redact(text)).toBe('{"at":998877.5,"b":"000000","c":"9988771","998877":1}');
  expect(store.redact("/realms/x?y=998877&z=9988771")).toBe("/realms/x?y=000000&z=9988771");
});

/** All names and values of the contract, including path segments and event names. */
function wordsOfContract(): string[] {
  const words = new Set<string>(eventNames);
  for (const { path } of Object.values(operations)) {
    for (const segment of path.split("/")) if (!segment.includes("{")) words.add(segment);
  }
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { properties, enum: values, "x-extensible-enum": open } = node as Record<string, unknown>;
    for (const name of Object.keys((properties as object) ?? {})) words.add(name);
    for (const value of [values, open].flat()) if (typeof value === "string") words.add(value);
    for (const child of Object.values(node)) visit(child);
  };
  visit(readDocument());
  return [...words].filter(Boolean);
}

test("no word of the contract is ever redacted", () => {
  for (const word of wordsOfContract()) {
    const store = storeOf({ clientSecret: word });
    const text = `["${word}","/${word}?a=${word}"]`;
    expect(store.redact(text)).toBe(text);
  }
});

test.each(["secret", "status", "transactions", "Bearer", "SETTLED", "a-1", "AUTH_REQU"])(
  "a credential equal to %j does not change other text",
  (word) => {
    const store = storeOf({ accountId: word, clientId: word, clientSecret: word });
    store.addToken(word, "$TXFEED_TOKEN");
    const text = `{"status":"SETTLED","token_type":"Bearer","href":"/transactions/a-1","x":"${word}"}`;
    expect(store.redact(text)).toBe(text);
    expect(store.redact(`client_secret=${word}`)).toBe("client_secret=$TXFEED_CLIENT_SECRET");
  },
);

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
