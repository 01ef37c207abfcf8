import { expect, onTestFinished, test } from "vitest";
import { createSandbox, type Sandbox, type SandboxAccount } from "../../../src/sandbox/index.ts";

const ELSEWHERE = "https://shop.example";
const CARD = "9999000000000001";
const SCA_CARD = "9999000000000002";

async function open() {
  const sandbox = await createSandbox({ world: "empty", validate: true, clock: "frozen" });
  onTestFinished(() => sandbox.close());
  const [account, other] = sandbox.accounts;
  const { accountId } = account;
  const { subaccountId } = (await sandbox.trigger("open-subaccount", { accountId })).result;
  return { sandbox, account, other, subaccountId };
}

async function tokenOf(sandbox: Sandbox, account: SandboxAccount, scope: "api" | "sdk") {
  const [id, secret] =
    scope === "sdk"
      ? [account.sdkClientId, account.sdkClientSecret]
      : [account.clientId, account.clientSecret];
  const form = { grant_type: "client_credentials", client_id: id, client_secret: secret };
  const path = `/auth/realms/${account.accountId}/protocol/openid-connect/token`;
  const body = new URLSearchParams(form);
  const response = await fetch(sandbox.baseUrl + path, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}

/** Posts to the stand-in's routes like its form: from a page of another origin. */
async function post(sandbox: Sandbox, path: string, token: string | undefined, body: unknown) {
  const response = await fetch(`${sandbox.controlUrl}/sdk/${path}`, {
    method: "POST",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      "content-type": "application/json",
      origin: ELSEWHERE,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const json = (await response.json()) as Record<string, string>;
  return { status: response.status, headers: response.headers, json };
}

test("allows other origins only the stand-in's routes", async () => {
  const { sandbox } = await open();
  const preflight = {
    method: "OPTIONS",
    headers: {
      origin: ELSEWHERE,
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  };
  const allowed = await fetch(`${sandbox.controlUrl}/sdk/enrollments`, preflight);
  expect(allowed.ok).toBe(true);
  expect(allowed.headers.get("access-control-allow-origin")).toBe("*");
  expect(allowed.headers.get("access-control-allow-headers")).toMatch(/authorization/);
  const origin = { headers: { origin: ELSEWHERE } };
  for (const path of ["/", "/status", "/assets/page.js", "/link/1"]) {
    const refused = await fetch(sandbox.controlUrl + path, origin);
    expect([path, refused.status]).toEqual([path, 403]);
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
  }
});

test("serves its scripts to every origin, and 304 if unchanged", async () => {
  const { sandbox } = await open();
  for (const path of ["/sdk.js", "/sdk/open-form.js"]) {
    const url = sandbox.controlUrl + path;
    const { status, headers } = await fetch(url, { headers: { origin: ELSEWHERE } });
    expect([path, status]).toEqual([path, 200]);
    expect(headers.get("content-type")).toMatch(/^text\/javascript/);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    const again = await fetch(url, { headers: { "if-none-match": headers.get("etag") ?? "" } });
    expect(again.status).toBe(304);
  }
  expect((await fetch(`${sandbox.controlUrl}/sdk/nothing.js`)).status).toBe(404);
});

test("returns a problem for an unknown script, to every origin", async () => {
  const { sandbox } = await open();
  const headers = { origin: ELSEWHERE };
  const response = await fetch(`${sandbox.controlUrl}/sdk/gone.js`, { headers });
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await response.json()).toMatchObject({
    status: 404,
    detail: "there is no script gone.js",
  });
});

test("AUTH-11: enrolls only with a token of the SDK credentials", async () => {
  const { sandbox, account, subaccountId } = await open();
  const card = { subaccountId, cardNumber: CARD };
  const without = await post(sandbox, "enrollments", undefined, card);
  expect(without.status).toBe(401);
  // The page can read error responses too.
  expect(without.headers.get("access-control-allow-origin")).toBe("*");
  expect(without.headers.get("content-type")).toBe("application/problem+json");
  expect(without.headers.get("www-authenticate")).toMatch(/^Bearer/);
  expect((await post(sandbox, "enrollments", "nonsense", card)).status).toBe(401);
  const api = await tokenOf(sandbox, account, "api");
  expect((await post(sandbox, "enrollments", api, card)).status).toBe(403);
  expect((await sandbox.status()).counts["card-subscriptions"]).toBe(0);
  const sdk = await tokenOf(sandbox, account, "sdk");
  const { status, json } = await post(sandbox, "enrollments", sdk, card);
  expect([status, json["state"]]).toEqual([201, "active"]);
  await sandbox.advance("300s");
  expect((await post(sandbox, "enrollments", sdk, card)).status).toBe(401);
});

test("AUTH-12: a token can't enroll or clear SCA under another account", async () => {
  const { sandbox, account, other, subaccountId } = await open();
  const own = await tokenOf(sandbox, account, "sdk");
  const foreign = await tokenOf(sandbox, other, "sdk");
  const card = { subaccountId, cardNumber: SCA_CARD };
  expect((await post(sandbox, "enrollments", foreign, card)).status).toBe(404);
  const { json } = await post(sandbox, "enrollments", own, card);
  const path = `enrollments/${json["subscriptionId"]}/sca`;
  expect((await post(sandbox, path, foreign, {})).status).toBe(404);
  const cleared = await post(sandbox, path, own, {});
  expect(cleared.json).toEqual({ ...json, state: "active" });
  expect((await post(sandbox, path, own, {})).status).toBe(409);
});

test("a number of another kind of card is refused with what the form takes", async () => {
  const { sandbox, account, subaccountId } = await open();
  const token = await tokenOf(sandbox, account, "sdk");
  const card = { subaccountId, cardNumber: "4111111111111111" };
  const { json } = await post(sandbox, "enrollments", token, card);
  expect(json["detail"]).toBe(
    "cardNumber: takes the number of a test card: 9999 and twelve digits",
  );
});

test.each([
  ["invalid JSON", "{", 400],
  ["an array", [], 400],
  ["an empty object", {}, 400],
  ["a number other than a test card's", { cardNumber: "4111111111111111" }, 400],
  ["an unknown member", { cardNumber: CARD, pin: "1234" }, 400],
  ["an unknown subaccount", { cardNumber: CARD, subaccountId: "none" }, 404],
  ["a body that is too long", `"${"x".repeat(2 ** 20)}"`, 413],
])("refuses %s and changes nothing", async (_, given, status) => {
  const { sandbox, account, subaccountId } = await open();
  const token = await tokenOf(sandbox, account, "sdk");
  const isObject = typeof given === "object" && !Array.isArray(given);
  const body = isObject ? { subaccountId, ...given } : given;
  const response = await post(sandbox, "enrollments", token, body);
  expect(response.status).toBe(status);
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  expect((await sandbox.status()).counts).toMatchObject({ "card-subscriptions": 0, events: 0 });
});
