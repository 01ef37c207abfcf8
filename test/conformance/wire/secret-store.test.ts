import { expect, test } from "vitest";
import type { Credentials, Target } from "../../../conformance/target.ts";
import { redactionScope } from "../../../conformance/wire/redactor.ts";
import { SecretStore } from "../../../conformance/wire/secret-store.ts";
import { tokenRequest } from "../../../conformance/wire/tokens.ts";
import { eventNames } from "../../../generated/events.ts";
import { operations } from "../../../generated/operations.ts";
import { readDocument } from "../../document.ts";
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
const unicode = (text: string) =>
  [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
const forms: Readonly<Record<string, string>> = {
  plain: secret,
  "in JSON": JSON.stringify({ a: secret }),
  "in JSON in JSON": JSON.stringify({ a: JSON.stringify({ b: secret }) }),
  "in JSON with escaped slashes": JSON.stringify({ a: secret }).replaceAll("/", "\\/"),
  "in JSON with punctuation in Unicode escapes": secret.replace(/\W/g, unicode),
  "in Unicode escapes only": unicode(secret).toUpperCase().replaceAll("\\U", "\\u"),
  "in a URL": encodeURIComponent(secret),
  "in a URL, in lower case": encodeURIComponent(secret).toLowerCase(),
  "in a form": new URLSearchParams({ s: secret }).toString(),
  "in HTML": secret.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("/", "&#x2F;"),
  "in HTML with decimal references": secret.replace(/\W/g, (c) => `&#${c.charCodeAt(0)};`),
  "in base64": Buffer.from(secret).toString("base64"),
  "in base64 for addresses": Buffer.from(secret).toString("base64url"),
  "in Basic authentication": Buffer.from(`${credentials.clientId}:${secret}`).toString("base64"),
};

test.each(Object.entries(forms))("a secret is redacted %s", (_, text) => {
  const clean = storeOf().redact(`before ${text} after`);
  expect(clean).toMatch(/^before .*\$TXFEED_CLIENT_SECRET.* after$/s);
  expect(clean).not.toMatch(/canary|Y2FuYXJ5|0063/i);
});

const opaque = "canary-token~of.somebody/7c1d";
const values: readonly (readonly [string, string])[] = [
  ["secret", secret],
  ["secret of other letters", "Zürich/€ canary\u{1f511}7c1d"],
  ["token", opaque],
  ["JWT", jwt("canary")],
];
/** The base64 form of the JSON before the secret, which redaction keeps. */
const JSON_IN_BASE64 = Buffer.from('{"secret":').toString("base64").slice(0, 12);

const cases = values.flatMap(([what, value]) =>
  Object.entries(encodings).map(([how, encode]) => [what, how, encode(value)] as const),
);

test.each(cases)("a %s is redacted as %s in any context", (what, _, text) => {
  const store = storeOf({ clientSecret: values.find(([name]) => name === what)?.[1] ?? secret });
  for (const [, token] of values.slice(2)) store.addToken(token, "$TXFEED_TOKEN");
  for (const [before, after] of [
    ["", ""],
    ["before ", " after"],
    ['{"a":"', '"}'],
    ["x=", "&y=1"],
  ]) {
    const clean = store.redact(`${before}${text}${after}`);
    expect(clean.startsWith(before as string) && clean.endsWith(after as string)).toBe(true);
    // The rest must be too short to reveal a part of the secret.
    const rest = clean.slice((before as string).length, clean.length - (after as string).length);
    const left = rest.replace(/\$TXFEED_[A-Z_]+|ey\w+\.ey\w+\.ZHJvcHBlZA/g, "");
    expect(left.length).toBeLessThanOrEqual(text.startsWith(JSON_IN_BASE64) ? 32 : 9);
  }
});

test("an encoded account id is restored unchanged", () => {
  const store = storeOf();
  const { accountId } = credentials;
  for (const encode of Object.values(encodings)) {
    const href = `/cards?cursor=${encodeURIComponent(encode(accountId))}&limit=2`;
    const clean = store.redact(href);
    const sent = store.restoreIds(clean, encodeURIComponent);
    // The case of a UUID is not significant.
    expect(sent.toLowerCase()).toBe(href.toLowerCase());
  }
});

const MANY = 1_000_000;

/** Texts that cause quadratic time in naive redaction. */
const hostile: Readonly<Record<string, string>> = {
  backslashes: "\\".repeat(MANY),
  "backslashes before quotes": `${"\\".repeat(MANY)}"client_secret`,
  "incomplete escapes": "\\u006".repeat(MANY / 5),
  "percent signs": "%".repeat(MANY),
  "ampersands and zeros": `&#${"0".repeat(MANY)}`,
  ampersands: "&#".repeat(MANY / 2),
  "one letter": "a".repeat(MANY),
  "the end of a secret": "more".repeat(MANY / 4),
  "a secret without its end": secret.slice(0, -1).repeat(MANY / 30),
  "a secret without its beginning": secret.slice(1).repeat(MANY / 30),
  base64: Buffer.from(secret.slice(1).repeat(MANY / 50)).toString("base64"),
  blanks: " ".repeat(MANY),
  NUL: "\0".repeat(MANY),
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

test("a token is redacted everywhere once it is known", () => {
  const store = storeOf();
  store.redact(`{"access_token":"${jwt("canary")}"}`);
  store.addToken("another-token", "$TXFEED_SDK_TOKEN");
  expect(store.redact(`x-echo: ${jwt("canary")} another-token`)).not.toMatch(/c2lnbmF0|another/);
  expect(store.fillIn("Bearer $TXFEED_SDK_TOKEN")).toBe("Bearer another-token");
});

test("a tampered token derives from the current token and is redacted", () => {
  const store = storeOf();
  const forgedOf = (token: string) => {
    store.addToken(token, "$TXFEED_TOKEN");
    return store.fillIn("$TXFEED_TOKEN_ALTERED");
  };
  const first = forgedOf(jwt("one"));
  const second = forgedOf(jwt("two"));
  expect(second).not.toBe(first);
  expect(store.fillIn("$TXFEED_TOKEN_ALTERED")).toBe(second);
  expect(store.redact(`${first} ${second}`)).toBe("$TXFEED_TOKEN_ALTERED $TXFEED_TOKEN_ALTERED");
});

test("an account id's placeholder is a UUID and is sent as the id", () => {
  const { accountId } = credentials;
  const store = storeOf(
    {},
    { secondAccount: { ...credentials, accountId: accountId.replace("5", "6") } },
  );
  const link = `/subaccounts/${accountId.toUpperCase()}?a=${accountId}x`;
  const clean = store.redact(link);
  expect(clean).toBe(`/subaccounts/acc00000-0000-4000-8000-000000000001?a=${accountId}x`);
  expect(store.redact(accountId.replace("5", "6"))).not.toBe(store.redact(accountId));
  expect(store.restoreIds("/cards/acc00000-0000-4000-8000-000000000001")).toBe(
    `/cards/${accountId}`,
  );
});

test("a near miss of a credential is redacted separately", () => {
  const store = storeOf();
  const { accountId, clientId, clientSecret } = credentials;
  for (const [name, value] of Object.entries({
    ...{ ACCOUNT_ID: accountId, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret },
  })) {
    for (const end of ["CUT", "LONGER", "SWAPPED"]) {
      const sent = store.fillIn(`$TXFEED_${name}_${end}`);
      expect(sent).not.toBe(value);
      const output = store.redact(`wrong: ${sent} ${encodeURIComponent(sent)}, not ${value}`);
      expect(output).not.toMatch(/canary|5b3c1f9e/i);
      expect(output).toMatch(/, not (\$TXFEED_CLIENT_(ID|SECRET)|acc00000[-0-9]*)$/);
    }
  }
});

test("an id that is not a UUID is redacted as a word and restored", () => {
  const store = storeOf({ accountId: "acme (test)" });
  expect(store.redact("/a/canary-client canary-clients xcanary-client")).toBe(
    "/a/$TXFEED_CLIENT_ID canary-clients xcanary-client",
  );
  const clean = store.redact("no account acme (test)");
  expect(clean).toBe("no account $TXFEED_ACCOUNT_ID");
  expect(store.restoreIds("/a/$TXFEED_ACCOUNT_ID", encodeURIComponent)).toBe("/a/acme%20(test)");
});

test("a number is redacted as a whole value, with a number", () => {
  const store = storeOf({ accountId: "123456", clientSecret: "998877" });
  const text = '{"amount":123456,"at":998877.5,"a":"123456","b":"998877","c":"1234567","123456":1}';
  expect(store.redact(text)).toBe(
    '{"amount":123456,"at":998877.5,"a":"900001","b":"000000","c":"1234567","123456":1}',
  );
  expect(store.redact("/realms/123456/x?y=123456&z=1234567")).toBe(
    "/realms/900001/x?y=900001&z=1234567",
  );
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
  const wrong = wordsOfContract().filter((word) => redactionScope(word) !== "nowhere");
  expect(wrong).toEqual([]);
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
