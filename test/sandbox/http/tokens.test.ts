import { createHmac } from "node:crypto";
import { join } from "node:path";
import { createLocalJWKSet, decodeJwt, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { tokensOf } from "../../../src/sandbox/http/tokens.ts";
import { resetTo } from "../../../src/sandbox/seed-data/reset.ts";
import { tempDir } from "../../support/temp-dir.ts";
import {
  FORM,
  formOf,
  pathOfNothing,
  securedOperations,
  startTestServer,
  tokenPath,
  UNKNOWN_ID,
} from "./test-server.ts";

const bearing = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

describe("the token endpoint", () => {
  test("AUTH-01, AUTH-02, AUTH-03: exchanges credentials for a JWT valid for 300 s", async () => {
    const { send, accounts } = await startTestServer();
    const { accountId, clientId, clientSecret } = accounts[0];
    const body = formOf({ client_id: clientId, client_secret: clientSecret });
    const response = await send("POST", tokenPath(accountId), { headers: FORM, body });
    expect(response.status).toBe(200);
    expect(response.headers["content-type"]).toBe("application/json");
    expect(response.headers["cache-control"]).toBe("no-store");
    const { access_token: token, ...rest } = response.json;
    expect(rest).toEqual({ expires_in: 300, token_type: "Bearer" });
    const now = Date.parse("2026-01-05T09:00:00Z") / 1000;
    expect(decodeJwt(token)).toEqual({
      ...{ iss: "urn:txfeed:sandbox", sub: clientId, account: accountId, scope: "api" },
      ...{ iat: now, exp: now + 300 },
    });
  });

  test("AUTH-02: signs with its JWKS key and exposes no private part", async () => {
    const { send, accounts, engine, token } = await startTestServer();
    const path = tokenPath(accounts[0].accountId).replace(/token$/, "certs");
    const { status, json } = await send("GET", path);
    expect(status).toBe(200);
    expect(Object.keys(json.keys[0])).toEqual(["kty", "crv", "x", "y", "kid", "alg", "use"]);
    const currentDate = new Date(engine.clock.now());
    const verified = await jwtVerify(await token(), createLocalJWKSet(json), { currentDate });
    expect(verified.protectedHeader).toEqual({ alg: "ES256", typ: "JWT", kid: json.keys[0].kid });
  });

  test("AUTH-04, AUTH-05, AUTH-06, ERR-01: mismatched credentials get 401", async () => {
    const { send, accounts, dump } = await startTestServer();
    const [one, other] = accounts;
    const before = dump();
    const wrong: [string, string, string][] = [
      [UNKNOWN_ID, one.clientId, one.clientSecret],
      [other.accountId, one.clientId, one.clientSecret],
      ["%00", one.clientId, one.clientSecret],
      ["%ZZ", one.clientId, one.clientSecret],
      [one.accountId, UNKNOWN_ID, one.clientSecret],
      [one.accountId, other.clientId, one.clientSecret],
      [one.accountId, one.sdkClientId, one.clientSecret],
      [one.accountId, one.clientId, UNKNOWN_ID],
      [one.accountId, one.clientId, other.clientSecret],
      [one.accountId, one.clientId, one.sdkClientSecret],
      [one.accountId, one.clientId, `${one.clientSecret} `],
      [one.accountId, one.clientId, one.clientSecret.slice(0, -1)],
      [one.accountId, "\0", "\0"],
    ];
    for (const [accountId, client_id, client_secret] of wrong) {
      const body = formOf({ client_id, client_secret });
      const { status, json, headers } = await send("POST", tokenPath(accountId), {
        headers: FORM,
        body,
      });
      expect({ status, title: json.title }).toEqual({ status: 401, title: "Unauthorized" });
      expect(headers["content-type"]).toBe("application/problem+json");
      expect(headers["www-authenticate"]).toBe('Bearer realm="sandbox"');
    }
    expect(dump()).toBe(before);
  });

  test.each([
    ["another content type", "application/json", "{}", 415],
    ["another charset", "application/x-www-form-urlencoded; charset=utf-16", "RIGHT", 415],
    ["no content type", "", "RIGHT", 415],
    ["no body", "application/x-www-form-urlencoded", "", 400],
    ["no grant type", "application/x-www-form-urlencoded", "client_id=a&client_secret=b", 400],
    ["another grant type", "application/x-www-form-urlencoded", "RIGHT&grant_type=password", 400],
    ["a password grant", "application/x-www-form-urlencoded", "grant_type=password", 400],
    ["a repeated field", "application/x-www-form-urlencoded", "RIGHT&client_id=a", 400],
    ["an empty field", "application/x-www-form-urlencoded", "client_id=&client_secret=b", 400],
    ["a broken escape", "application/x-www-form-urlencoded", "RIGHT&x=%ZZ", 400],
    ["an escape that is not UTF-8", "application/x-www-form-urlencoded", "RIGHT&x=%FF", 400],
  ])("AUTH-01: %s gets a problem response", async (_, type, text, expected) => {
    const { send, accounts, dump } = await startTestServer();
    const { accountId, clientId, clientSecret } = accounts[0];
    const right = formOf({ client_id: clientId, client_secret: clientSecret });
    const body = text.replace("RIGHT", right);
    const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
    const before = dump();
    const response = await send("POST", tokenPath(accountId), { headers, body });
    expect(response.status).toBe(expected);
    expect(response.headers["content-type"]).toBe("application/problem+json");
    expect(response.json).toMatchObject({ type: "about:blank", status: expected });
    expect(dump()).toBe(before);
  });

  test("accepts both credentials by HTTP Basic, form-urlencoded (RFC 6749, 2.3.1)", async () => {
    const { send, accounts, engine } = await startTestServer();
    const { accountId, clientId, clientSecret, sdkClientId, sdkClientSecret } = accounts[0];
    const percent = (text: string) => text.replace(/-/g, "%2D");
    const pairs = [
      [clientId, clientSecret, "api"],
      [sdkClientId, sdkClientSecret, "sdk"],
      [percent(clientId), clientSecret, "api"],
    ] as const;
    for (const [id, secret, scope] of pairs) {
      for (const scheme of ["Basic ", "basic   "]) {
        const authorization = scheme + Buffer.from(`${id}:${secret}`).toString("base64");
        for (const body of [formOf({}), formOf({ client_id: decodeURIComponent(id) })]) {
          const headers = { ...FORM, authorization };
          const { status, json } = await send("POST", tokenPath(accountId), { headers, body });
          expect(status).toBe(200);
          expect(await tokensOf(engine).authenticate(json.access_token)).toMatchObject({ scope });
        }
      }
    }
  });

  test("accepts a secret with a colon, a plus and a space by HTTP Basic", async () => {
    const { send, accounts, engine } = await startTestServer();
    const { accountId, clientId } = accounts[0];
    const secret = "a:b+c d%ü";
    engine.commit(({ store }) => {
      store.sql("UPDATE accounts SET client_secret = ? WHERE id = ?").run(secret, accountId);
    });
    const encoded = new URLSearchParams({ x: secret }).toString().slice(2);
    const authorization = `Basic ${Buffer.from(`${clientId}:${encoded}`).toString("base64")}`;
    const headers = { ...FORM, authorization };
    const response = await send("POST", tokenPath(accountId), { headers, body: formOf({}) });
    expect(response.status).toBe(200);
  });

  test("returns 400 for two authentication methods, 401 for an invalid header", async () => {
    const { send, accounts } = await startTestServer();
    const [{ accountId, clientId, clientSecret, sdkClientId }, other] = accounts;
    const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
    const right = basic(`${clientId}:${clientSecret}`);
    const cases: [header: string, form: Record<string, string>, status: number][] = [
      [right, { client_id: clientId, client_secret: clientSecret }, 400],
      [right, { client_secret: clientSecret }, 400],
      [right, { client_id: sdkClientId }, 400],
      [right, { client_id: "" }, 400],
      [basic(`${clientId}:${other.clientSecret}`), {}, 401],
      [basic(`${other.clientId}:${other.clientSecret}`), {}, 401],
      [basic(clientId), {}, 401],
      [basic(`:${clientSecret}`), {}, 401],
      [basic(`${clientId}:`), {}, 401],
      [basic(`${clientId}:%ZZ`), {}, 401],
      [`${right}!`, {}, 401],
      ["Basic", {}, 401],
      ["Bearer abc", { client_id: clientId, client_secret: clientSecret }, 200],
    ];
    for (const [authorization, form, status] of cases) {
      const headers = { ...FORM, authorization };
      const body = formOf(form);
      const response = await send("POST", tokenPath(accountId), { headers, body });
      expect([authorization, response.status]).toEqual([authorization, status]);
      const challenge = status === 401 ? 'Basic realm="sandbox"' : undefined;
      expect(response.headers["www-authenticate"]).toBe(challenge);
    }
  });

  test("AUTH-01: accepts any case and charset of the type, and unknown fields", async () => {
    const { send, accounts } = await startTestServer();
    const { accountId, clientId, clientSecret } = accounts[0];
    const body = `${formOf({ client_id: clientId, client_secret: clientSecret })}&scope=all`;
    const headers = { "content-type": 'Application/X-WWW-Form-Urlencoded; charset="UTF-8"' };
    expect((await send("POST", tokenPath(accountId), { headers, body })).status).toBe(200);
  });

  test("AUTH-01: other encodings, invalid UTF-8 and bodies over 1 MiB get 4xx", async () => {
    const { send, accounts } = await startTestServer();
    const path = tokenPath(accounts[0].accountId);
    const packed = { ...FORM, "content-encoding": "gzip" };
    expect((await send("POST", path, { headers: packed, body: "a=b" })).status).toBe(415);
    const { clientId, clientSecret } = accounts[0];
    const right = formOf({ client_id: clientId, client_secret: clientSecret });
    const bytes = Buffer.from(`${right}&x=\xff`, "latin1");
    expect((await send("POST", path, { headers: FORM, body: bytes })).status).toBe(400);
    const body = `x=${"a".repeat(2 ** 20)}`;
    expect((await send("POST", path, { headers: FORM, body })).status).toBe(413);
    const chunked = { ...FORM, "transfer-encoding": "chunked" };
    expect((await send("POST", path, { headers: chunked, body })).status).toBe(413);
  });
});

describe("an API request", () => {
  test.each(securedOperations)("AUTH-07: %s without a token gets 401", async (key) => {
    const { send } = await startTestServer();
    const { status, headers } = await send(key.split(" ")[0] ?? "", pathOfNothing(key));
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toBe('Bearer realm="sandbox"');
    expect(headers["content-type"]).toBe("application/problem+json");
  });

  test("AUTH-08: a header that is not a bearer token gets 401", async () => {
    const { send, token, accounts } = await startTestServer();
    const good = await token();
    const basic = Buffer.from(`${accounts[0].clientId}:${accounts[0].clientSecret}`);
    const wrong = [
      ...["", "Bearer", "Bearer ", good, `Basic ${basic.toString("base64")}`, `Token ${good}`],
      ...[`Bearer ${good} x`, `Bearer ${good},${good}`, `Bearer "${good}"`, `Bearer ${good}.x`],
      ...["Bearer a.b", "Bearer a.b.c", "Bearer ..", `Bearer\t${good}`, `Bearer ${good}=`],
    ];
    for (const authorization of wrong) {
      expect([
        authorization,
        (await send("GET", "/cards", { headers: { authorization } })).status,
      ]).toEqual([authorization, 401]);
    }
    const twice = { authorization: [`Bearer ${good}`, `Bearer ${good}`] };
    expect((await send("GET", "/cards", { headers: twice })).status).toBe(401);
    for (const scheme of ["Bearer ", "bearer ", "BEARER   "]) {
      const authorization = `${scheme}${good}`;
      expect((await send("GET", "/cards", { headers: { authorization } })).status).toBe(200);
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
    expect((await send("GET", "/cards", bearing(good))).status).toBe(200);
  });

  test("AUTH-08: an unsigned or differently signed token gets 401", async () => {
    const { send, token, accounts } = await startTestServer();
    const good = await token();
    const claims = decodeJwt(good);
    const [header = "", payload = "", signature = ""] = good.split(".");
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const { privateKey } = await generateKeyPair("ES256");
    const path = tokenPath(accounts[0].accountId).replace(/token$/, "certs");
    const jwks = await send("GET", path);
    const hs256 = encode({ alg: "HS256", typ: "JWT" });
    const mac = createHmac("sha256", jwks.text).update(`${hs256}.${payload}`).digest("base64url");
    const forged = [
      `${encode({ alg: "none" })}.${payload}.${signature}`,
      `${encode({ alg: "none" })}.${payload}.x`,
      `${hs256}.${payload}.${mac}`,
      `${encode({ alg: "ES384" })}.${payload}.${signature}`,
      `${header}.${encode({ ...claims, account: accounts[1].accountId })}.${signature}`,
      `${header}.${encode({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      await new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(privateKey),
      `${payload}.${header}.${signature}`,
    ];
    for (const token of forged) {
      const { status, headers } = await send("GET", "/cards", bearing(token));
      expect(status).toBe(401);
      expect(headers["www-authenticate"]).toBe('Bearer realm="sandbox", error="invalid_token"');
    }
    const unsigned = { headers: { authorization: `Bearer ${header}.${payload}.` } };
    expect((await send("GET", "/cards", unsigned)).status).toBe(401);
  });

  test("AUTH-09: a token is valid for 300 s of the sandbox's clock", async () => {
    const { send, token, engine } = await startTestServer();
    const issuedMs = engine.clock.now();
    engine.clock.moveTo(issuedMs + 123);
    const [used, unused] = [await token(), await token()];
    const { iat, exp } = decodeJwt(used);
    expect([iat, exp]).toEqual([issuedMs / 1000, issuedMs / 1000 + 300]);
    expect((await send("GET", "/cards", bearing(used))).status).toBe(200);
    engine.clock.moveTo(issuedMs + 299_999);
    expect((await send("GET", "/cards", bearing(used))).status).toBe(200);
    engine.clock.moveTo(issuedMs + 300_000);
    for (const token of [used, unused]) {
      const { status, json } = await send("GET", "/cards", bearing(token));
      expect(status).toBe(401);
      expect(json.detail).toBe("the access token has expired after 300 s; request a new one");
    }
    expect((await send("GET", "/cards", bearing(await token()))).status).toBe(200);
  });

  test("AUTH-10: a second token does not invalidate the first", async () => {
    const { send, token, dump } = await startTestServer();
    const before = dump();
    const tokens = [await token(), await token()];
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) {
      expect((await send("GET", "/cards", bearing(token))).status).toBe(200);
    }
    expect(dump()).toBe(before);
  });

  test.each(securedOperations)("AUTH-11: %s with an SDK token gets 403", async (key) => {
    const { send, token, accounts, engine, dump } = await startTestServer();
    const sdk = await token(accounts[0], "sdk");
    expect(await tokensOf(engine).authenticate(sdk)).toMatchObject({ scope: "sdk" });
    const before = dump();
    const response = await send(key.split(" ")[0] ?? "", pathOfNothing(key), bearing(sdk));
    expect(response.status).toBe(403);
    expect(response.headers["content-type"]).toBe("application/problem+json");
    expect(dump()).toBe(before);
  });

  test("ERR-01: a token of a removed account gets 401", async () => {
    const { send, token, engine } = await startTestServer();
    const good = await token();
    expect((await send("GET", "/cards", bearing(good))).status).toBe(200);
    resetTo(engine, { seed: 2 });
    expect((await send("GET", "/cards", bearing(good))).status).toBe(401);
    expect(await tokensOf(engine).authenticate(good)).toHaveProperty("refused");
  });
});

describe("the keys", () => {
  test("survive a restart with kept data, and differ between sandboxes", async () => {
    const directory = tempDir();
    const file = join(directory, "data");
    const first = await startTestServer({ file });
    const token = await first.token();
    await first.close();
    const second = await startTestServer({ file });
    expect((await second.send("GET", "/cards", bearing(token))).status).toBe(200);
    const other = await startTestServer();
    expect(other.accounts).toEqual(second.accounts);
    expect((await other.send("GET", "/cards", bearing(token))).status).toBe(401);
  });

  test("verify more tokens than the cache stores", async () => {
    const { engine, accounts } = await startTestServer();
    const bearer = { accountId: accounts[0].accountId, scope: "api" } as const;
    const issuing = Array.from({ length: 1_005 }, () => tokensOf(engine).issue(bearer, "x"));
    const tokens = await Promise.all(issuing);
    for (const token of [...tokens, ...tokens.slice(0, 10)]) {
      expect(await tokensOf(engine).authenticate(token)).toMatchObject(bearer);
    }
  });
});
