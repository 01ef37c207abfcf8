import { createHmac } from "node:crypto";
import { join } from "node:path";
import { createLocalJWKSet, decodeJwt, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { expect, test } from "vitest";
import { tokensOf } from "../../../src/sandbox/http/tokens.ts";
import type { SandboxAccount } from "../../../src/sandbox/index.ts";
import { resetTo } from "../../../src/sandbox/seed-data/reset.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { START_MS } from "../test-sandbox.ts";
import {
  FORM,
  formOf,
  pathOfNothing,
  type Sent,
  securedOperations,
  startTestServer,
  tokenPath,
  UNKNOWN_ID,
} from "../test-server.ts";

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
const form = (client_id: string, client_secret: string): Sent => {
  return { headers: FORM, body: formOf({ client_id, client_secret }) };
};

test("AUTH-01, AUTH-02, AUTH-03: credentials are exchanged for a JWT valid for 300 s", async () => {
  const { send, accounts } = await startTestServer();
  const { accountId, clientId, clientSecret } = accounts[0];
  const response = await send("POST", tokenPath(accountId), form(clientId, clientSecret));
  expect(response).toMatchObject({
    status: 200,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
  const { access_token: token, ...rest } = response.json;
  expect(rest).toEqual({ expires_in: 300, token_type: "Bearer" });
  expect(decodeJwt(token)).toEqual({
    ...{ iss: "urn:txfeed:sandbox", sub: clientId, account: accountId, scope: "api" },
    ...{ iat: START_MS / 1000, exp: START_MS / 1000 + 300 },
  });
});

test("AUTH-02: a token is signed with the JWKS key, which exposes no private part", async () => {
  const { send, accounts, engine, token } = await startTestServer();
  const path = tokenPath(accounts[0].accountId).replace(/token$/, "certs");
  const { status, json } = await send("GET", path);
  expect(status).toBe(200);
  expect(Object.keys(json.keys[0])).toEqual(["kty", "crv", "x", "y", "kid", "alg", "use"]);
  const currentDate = new Date(engine.clock.now());
  const verified = await jwtVerify(await token(), createLocalJWKSet(json), { currentDate });
  expect(verified.protectedHeader).toEqual({ alg: "ES256", typ: "JWT", kid: json.keys[0].kid });
});

/** What is sent to the token endpoint of a realm, and the status of the response. */
type Exchange = readonly [what: string, sent: Sent, status: number, realm?: string];
type Accounts = readonly [SandboxAccount, SandboxAccount];

const mismatched = ([one, other]: Accounts): Exchange[] => {
  const { clientId, clientSecret } = one;
  const own = form(clientId, clientSecret);
  return [
    ["an unknown realm", own, 401, UNKNOWN_ID],
    ["another realm", own, 401, other.accountId],
    ["a NUL as realm", own, 401, "%00"],
    ["a broken realm", own, 401, "%ZZ"],
    ["an unknown id", form(UNKNOWN_ID, clientSecret), 401],
    ["another account's id", form(other.clientId, clientSecret), 401],
    ["the SDK's id", form(one.sdkClientId, clientSecret), 401],
    ["an unknown secret", form(clientId, UNKNOWN_ID), 401],
    ["another account's secret", form(clientId, other.clientSecret), 401],
    ["the SDK's secret", form(clientId, one.sdkClientSecret), 401],
    ["a longer secret", form(clientId, `${clientSecret} `), 401],
    ["a shorter secret", form(clientId, clientSecret.slice(0, -1)), 401],
    ["NUL bytes", form("\0", "\0"), 401],
  ];
};

const malformed = ([{ clientId, clientSecret }]: Accounts): Exchange[] => {
  const { body } = form(clientId, clientSecret);
  const type = (contentType: string) => ({ headers: { "content-type": contentType }, body });
  const long = `x=${"a".repeat(2 ** 20)}`;
  return [
    ["another content type", type("application/json"), 415],
    ["another charset", type("application/x-www-form-urlencoded; charset=utf-16"), 415],
    ["no content type", { body }, 415],
    ["another encoding", { headers: { ...FORM, "content-encoding": "gzip" }, body: "a=b" }, 415],
    ["no body", { headers: FORM, body: "" }, 400],
    ["no grant type", { headers: FORM, body: "client_id=a&client_secret=b" }, 400],
    ["another grant type", { headers: FORM, body: `${body}&grant_type=password` }, 400],
    ["a password grant", { headers: FORM, body: "grant_type=password" }, 400],
    ["a repeated field", { headers: FORM, body: `${body}&client_id=a` }, 400],
    ["an empty field", { headers: FORM, body: "client_id=&client_secret=b" }, 400],
    ["a broken escape", { headers: FORM, body: `${body}&x=%ZZ` }, 400],
    ["an escape that is not UTF-8", { headers: FORM, body: `${body}&x=%FF` }, 400],
    [
      "bytes that are not UTF-8",
      { headers: FORM, body: Buffer.from(`${body}&x=\xff`, "latin1") },
      400,
    ],
    ["a body over 1 MiB", { headers: FORM, body: long }, 413],
    [
      "chunks over 1 MiB",
      { headers: { ...FORM, "transfer-encoding": "chunked" }, body: long },
      413,
    ],
  ];
};

const byHeader = ([one, other]: Accounts): Exchange[] => {
  const { clientId, clientSecret, sdkClientId } = one;
  const right = basic(`${clientId}:${clientSecret}`);
  const sent = (authorization: string, fields: Record<string, string> = {}) => {
    return { headers: { ...FORM, authorization }, body: formOf(fields) };
  };
  return [
    ["two methods", sent(right, { client_id: clientId, client_secret: clientSecret }), 400],
    ["a secret twice", sent(right, { client_secret: clientSecret }), 400],
    ["two ids", sent(right, { client_id: sdkClientId }), 400],
    ["an empty id", sent(right, { client_id: "" }), 400],
    ["a Basic of another secret", sent(basic(`${clientId}:${other.clientSecret}`)), 401],
    ["a Basic of another realm", sent(basic(`${other.clientId}:${other.clientSecret}`)), 401],
    ["a Basic without a colon", sent(basic(clientId)), 401],
    ["a Basic without an id", sent(basic(`:${clientSecret}`)), 401],
    ["a Basic without a secret", sent(basic(`${clientId}:`)), 401],
    ["a Basic with a broken escape", sent(basic(`${clientId}:%ZZ`)), 401],
    ["a Basic that is not base64", sent(`${right}!`), 401],
    ["an empty Basic", sent("Basic"), 401],
  ];
};

test("AUTH-01, AUTH-04, AUTH-05, AUTH-06, ERR-01: other exchanges are refused", async () => {
  const { send, accounts, dump } = await startTestServer();
  const before = dump();
  const exchanges = [...mismatched(accounts), ...malformed(accounts), ...byHeader(accounts)];
  for (const [what, sent, expected, realm = accounts[0].accountId] of exchanges) {
    const { status, json, headers } = await send("POST", tokenPath(realm), sent);
    expect([what, status]).toEqual([what, expected]);
    expect(json).toMatchObject({ type: "about:blank", status });
    expect(headers["content-type"]).toBe("application/problem+json");
    const scheme = sent.headers?.["authorization"] ? "Basic" : "Bearer";
    const challenge = expected === 401 ? `${scheme} realm="sandbox"` : undefined;
    expect([what, headers["www-authenticate"]]).toEqual([what, challenge]);
  }
  expect(dump()).toBe(before);
});

test("both credentials are accepted by form or HTTP Basic (RFC 6749, 2.3.1)", async () => {
  const { send, accounts, engine } = await startTestServer();
  const { accountId, clientId, clientSecret, sdkClientId, sdkClientSecret } = accounts[0];
  const expectToken = async (sent: Sent, scope = "api") => {
    const { status, json } = await send("POST", tokenPath(accountId), sent);
    expect(status).toBe(200);
    expect(await tokensOf(engine).authenticate(json.access_token)).toMatchObject({ scope });
  };
  for (const [id, secret, scope] of [
    [clientId, clientSecret, "api"],
    [sdkClientId, sdkClientSecret, "sdk"],
    [clientId.replace(/-/g, "%2D"), clientSecret, "api"],
  ] as const) {
    for (const scheme of ["Basic ", "basic   "]) {
      const headers = {
        ...FORM,
        authorization: basic(`${id}:${secret}`).replace("Basic ", scheme),
      };
      for (const fields of [{}, { client_id: decodeURIComponent(id) }]) {
        await expectToken({ headers, body: formOf(fields as Record<string, string>) }, scope);
      }
    }
  }
  const { body } = form(clientId, clientSecret);
  await expectToken({ headers: { ...FORM, authorization: "Bearer abc" }, body });
  // Any case and charset of the type, and unknown fields.
  const type = 'Application/X-WWW-Form-Urlencoded; charset="UTF-8"';
  await expectToken({ headers: { "content-type": type }, body: `${body}&scope=all` });
  const secret = "a:b+c d%ü";
  engine.commit(({ store }) => {
    store.sql("UPDATE accounts SET client_secret = ? WHERE id = ?").run(secret, accountId);
  });
  const encoded = new URLSearchParams({ x: secret }).toString().slice(2);
  const authorization = basic(`${clientId}:${encoded}`);
  await expectToken({ headers: { ...FORM, authorization }, body: formOf({}) });
});

test.each(securedOperations)(
  "AUTH-07, AUTH-11: %s without a token gets 401, with an SDK token 403",
  async (key) => {
    const { send, token, accounts, engine, dump } = await startTestServer();
    const sdk = await token(accounts[0], "sdk");
    expect(await tokensOf(engine).authenticate(sdk)).toMatchObject({ scope: "sdk" });
    const before = dump();
    const [method = "", path] = [key.split(" ")[0], pathOfNothing(key)];
    const type = "application/problem+json";
    expect(await send(method, path)).toMatchObject({
      status: 401,
      headers: { "content-type": type, "www-authenticate": 'Bearer realm="sandbox"' },
    });
    expect(await send(method, path, bearing(sdk))).toMatchObject({
      status: 403,
      headers: { "content-type": type },
    });
    expect(dump()).toBe(before);
  },
);

test("AUTH-08: a header that is not a bearer token gets 401", async () => {
  const { send, token, accounts } = await startTestServer();
  const good = await token();
  const status = async (authorization: string | string[]) =>
    (await send("GET", "/cards", { headers: { authorization } })).status;
  for (const wrong of [
    ...["", "Bearer", "Bearer ", good, `Token ${good}`, `Bearer ${good} x`, `Bearer "${good}"`],
    ...[basic(`${accounts[0].clientId}:${accounts[0].clientSecret}`), `Bearer ${good},${good}`],
    ...[`Bearer ${good}.x`, "Bearer a.b", "Bearer a.b.c", "Bearer ..", `Bearer\t${good}`],
    ...[`Bearer ${good}=`, [`Bearer ${good}`, `Bearer ${good}`]],
  ]) {
    expect([wrong, await status(wrong)]).toEqual([wrong, 401]);
  }
  for (const scheme of ["Bearer ", "bearer ", "BEARER   "]) {
    expect(await status(`${scheme}${good}`)).toBe(200);
  }
});

test("AUTH-08: a token modified at any position gets 401", async () => {
  const { send, token } = await startTestServer();
  const good = await token();
  const statuses = new Set<number>();
  for (let at = 0; at < good.length; at += 1) {
    for (const letter of ["A", "B", "g", "_"]) {
      if (good[at] === letter || good[at] === ".") continue;
      const altered = good.slice(0, at) + letter + good.slice(at + 1);
      statuses.add((await send("GET", "/cards", bearing(altered))).status);
    }
  }
  expect([...statuses]).toEqual([401]);
});

test("AUTH-08: an unsigned or differently signed token gets 401", async () => {
  const { send, token, accounts } = await startTestServer();
  const good = await token();
  const claims = decodeJwt(good);
  const [header = "", payload = "", signature = ""] = good.split(".");
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const { privateKey } = await generateKeyPair("ES256");
  const jwks = await send("GET", tokenPath(accounts[0].accountId).replace(/token$/, "certs"));
  const hs256 = encode({ alg: "HS256", typ: "JWT" });
  const mac = createHmac("sha256", jwks.text).update(`${hs256}.${payload}`).digest("base64url");
  const challenge = 'Bearer realm="sandbox", error="invalid_token"';
  for (const forged of [
    `${encode({ alg: "none" })}.${payload}.${signature}`,
    `${encode({ alg: "none" })}.${payload}.x`,
    `${hs256}.${payload}.${mac}`,
    `${encode({ alg: "ES384" })}.${payload}.${signature}`,
    `${header}.${encode({ ...claims, account: accounts[1].accountId })}.${signature}`,
    `${header}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
    await new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(privateKey),
    `${payload}.${header}.${signature}`,
  ]) {
    const { status, headers } = await send("GET", "/cards", bearing(forged));
    expect([status, headers["www-authenticate"]]).toEqual([401, challenge]);
  }
  expect((await send("GET", "/cards", bearing(`${header}.${payload}.`))).status).toBe(401);
});

test("AUTH-09, AUTH-10: each token is valid for 300 s of the sandbox's clock", async () => {
  const { send, token, engine, dump } = await startTestServer();
  const issuedMs = engine.clock.now();
  engine.clock.moveTo(issuedMs + 123);
  const before = dump();
  const tokens = [await token(), await token()];
  expect(new Set(tokens).size).toBe(2);
  const { iat, exp } = decodeJwt(tokens[0] ?? "");
  expect([iat, exp]).toEqual([issuedMs / 1000, issuedMs / 1000 + 300]);
  const [used = ""] = tokens;
  const detail = "the access token has expired after 300 s; request a new one";
  expect((await send("GET", "/cards", bearing(used))).status).toBe(200);
  expect(dump()).toBe(before);
  engine.clock.moveTo(issuedMs + 299_999);
  expect((await send("GET", "/cards", bearing(used))).status).toBe(200);
  engine.clock.moveTo(issuedMs + 300_000);
  for (const good of tokens) {
    const refused = await send("GET", "/cards", bearing(good));
    expect(refused).toMatchObject({ status: 401, json: { detail } });
  }
  expect((await send("GET", "/cards", bearing(await token()))).status).toBe(200);
});

test("ERR-01: a token of a removed account gets 401", async () => {
  const { send, token, engine } = await startTestServer();
  const good = await token();
  resetTo(engine, { seed: 2 });
  expect((await send("GET", "/cards", bearing(good))).status).toBe(401);
  expect(await tokensOf(engine).authenticate(good)).toHaveProperty("refused");
});

test("the keys survive a restart and a reset, and differ between sandboxes", async () => {
  const file = join(tempDir(), "data");
  const first = await startTestServer({ file });
  const token = await first.token();
  await first.close();
  const second = await startTestServer({ file });
  expect((await second.send("GET", "/cards", bearing(token))).status).toBe(200);
  await second.local.reset();
  expect((await second.send("GET", "/cards", bearing(token))).status).toBe(200);
  const other = await startTestServer();
  expect(other.accounts).toEqual(second.accounts);
  expect((await other.send("GET", "/cards", bearing(token))).status).toBe(401);
});

test("the keys verify more tokens than the cache stores", async () => {
  const { engine, accounts } = await startTestServer();
  const bearer = { accountId: accounts[0].accountId, scope: "api" } as const;
  const issuing = Array.from({ length: 1_005 }, () => tokensOf(engine).issue(bearer, "x"));
  const tokens = await Promise.all(issuing);
  for (const token of [...tokens, ...tokens.slice(0, 10)]) {
    expect(await tokensOf(engine).authenticate(token)).toMatchObject(bearer);
  }
});
