import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  createSdkTokenHandler,
  type LogEntry,
  type SdkTokenHandlerOptions,
  type StoredToken,
} from "../../src/client/sdk/index.ts";
import { TxfeedError } from "../../src/errors.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { startServer } from "../support/local-server.ts";
import { CANARIES, CREDENTIALS, mount, tokenEndpoint } from "./sdk-fixture.ts";

/** A token endpoint, and the route on another server. */
async function setUp(options: Partial<SdkTokenHandlerOptions> = {}) {
  const clock = new FakeClock();
  const log: LogEntry[] = [];
  const endpoint = await tokenEndpoint(() => clock.now());
  const handler = createSdkTokenHandler({
    ...CREDENTIALS,
    baseUrl: endpoint.origin,
    authorize: () => true,
    clock,
    random: () => 0,
    log: (entry) => log.push(entry),
    ...options,
  });
  const route = await startServer(mount(handler));
  onTestFinished(async () => {
    await route.close();
    await endpoint.close();
  });
  const post = (init: RequestInit = {}) => fetch(route.origin, { method: "POST", ...init });
  return { clock, log, endpoint, post };
}

/** The parts of a response that a browser sees. */
async function seen(response: Response) {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: await response.text() };
}

/** Advances the clock until a condition is true, while the real servers run. */
async function passTime(clock: FakeClock, until: () => boolean): Promise<void> {
  for (let ms = 0; !until() && ms < 4000; ms += 1) await clock.advance(1);
}

describe("SDK-04, AUTH-14: the route", () => {
  test("responds with only the token and its remaining seconds", async () => {
    const { endpoint, post } = await setUp();
    const { status, headers, body } = await seen(await post());
    expect(status).toBe(200);
    expect(body).toBe(endpoint.tokens[0]);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
    // The endpoint's Date has a resolution of one second.
    expect(Number(headers["x-token-expires-in"])).toBeGreaterThanOrEqual(299);
    expect(Number(headers["x-token-expires-in"])).toBeLessThanOrEqual(300);
  });

  test("AUTH-13: makes 1 exchange for 50 concurrent browsers and a later one", async () => {
    const { clock, endpoint, post } = await setUp();
    const responses = await Promise.all(Array.from({ length: 50 }, async () => seen(await post())));
    expect(new Set(responses.map(({ status, body }) => `${status} ${body}`))).toEqual(
      new Set([`200 ${endpoint.tokens[0]}`]),
    );
    await clock.advance(200_000);
    const later = await seen(await post());
    expect(later.body).toBe(endpoint.tokens[0]);
    expect(later.headers["x-token-expires-in"]).toMatch(/^(99|100)$/);
    expect(endpoint.requests).toBe(1);
  });

  test("gets a new token after the last one has expired", async () => {
    const { clock, endpoint, post } = await setUp();
    await post();
    await clock.advance(301_000);
    expect(await (await post()).text()).toBe(endpoint.tokens[1]);
    expect(endpoint.requests).toBe(2);
  });

  test("uses a token that another process has stored", async () => {
    const clock = new FakeClock();
    const stored: StoredToken = {
      accessToken: "from-another-process",
      expiresAt: clock.now() + 120_000,
      lifetimeSeconds: 300,
    };
    const tokenStore = { read: async () => stored, write: async () => {} };
    const { endpoint, post } = await setUp({ clock, tokenStore });
    const { headers, body } = await seen(await post());
    expect(body).toBe("from-another-process");
    expect(headers["x-token-expires-in"]).toBe("120");
    expect(endpoint.requests).toBe(0);
  });

  test("requests a token again after a failure", async () => {
    const { endpoint, post } = await setUp({ retries: 0 });
    endpoint.behavior = "fails";
    expect((await post()).status).toBe(502);
    endpoint.behavior = "responds";
    expect((await post()).status).toBe(200);
  });

  test.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])("answers %s with 405", async (method) => {
    const authorize = vi.fn(() => true);
    const { endpoint, post } = await setUp({ authorize });
    const { status, headers, body } = await seen(await post({ method }));
    expect({ status, allow: headers["allow"], body }).toEqual({
      ...{ status: 405, allow: "POST", body: "" },
    });
    expect(headers["cache-control"]).toBe("no-store");
    expect(authorize).not.toHaveBeenCalled();
    expect(endpoint.requests).toBe(0);
  });
});

describe("authorize", () => {
  test("receives the request, and allows it by returning true", async () => {
    const authorize = async (request: Request) => request.headers.get("cookie") === "session=1";
    const { post } = await setUp({ authorize });
    expect((await post({ headers: { cookie: "session=1" } })).status).toBe(200);
    expect((await post({ headers: { cookie: "session=2" } })).status).toBe(403);
  });

  test.each([false, undefined, null, 1, "yes", { ok: true }])(
    "refuses the request by returning %j",
    async (verdict) => {
      const { endpoint, post } = await setUp({ authorize: () => verdict as boolean });
      const { status, headers, body } = await seen(await post());
      expect({ status, body }).toEqual({ status: 403, body: "" });
      expect(headers["cache-control"]).toBe("no-store");
      expect(endpoint.requests).toBe(0);
    },
  );

  test.each([
    [
      "throws",
      () => {
        throw new Error("the session store is down");
      },
    ],
    ["rejects", () => Promise.reject(new Error("the session store is down"))],
  ])("that %s causes a 500; only the log has the reason", async (_what, authorize) => {
    const { endpoint, log, post } = await setUp({ authorize });
    const reply = await seen(await post());
    expect(reply).toMatchObject({ status: 500, body: "" });
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(JSON.stringify(reply)).not.toContain("session store");
    expect(log).toEqual([
      {
        ...{ level: "warn", event: "failure", status: 500 },
        reason: "authorize threw: the session store is down",
      },
    ]);
    expect(endpoint.requests).toBe(0);
  });

  test("that times out causes a 504", async () => {
    const { clock, endpoint, post } = await setUp({ authorize: () => new Promise(() => {}) });
    const pending = post();
    await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
    await clock.advance(4000);
    expect((await pending).status).toBe(504);
    expect(endpoint.requests).toBe(0);
  });
});

describe("SDK-03: within 4 seconds", () => {
  test("a token endpoint that hangs causes a 504", async () => {
    const { clock, endpoint, log, post } = await setUp();
    endpoint.behavior = "hangs";
    const pending = post();
    await vi.waitFor(() => expect(endpoint.requests).toBe(1));
    await clock.advance(4000);
    const { status, headers, body } = await seen(await pending);
    expect({ status, body }).toEqual({ status: 504, body: "" });
    expect(headers["cache-control"]).toBe("no-store");
    expect(log).toContainEqual(expect.objectContaining({ event: "failure", status: 504 }));
    await vi.waitFor(() => expect(clock.pending).toEqual([]));
  });

  test("an attempt that hangs leaves time for another", async () => {
    const { clock, endpoint, post } = await setUp();
    endpoint.behavior = "hangs";
    const pending = post();
    await vi.waitFor(() => expect(endpoint.requests).toBe(1));
    endpoint.behavior = "responds";
    await clock.advance(2000);
    await passTime(clock, () => endpoint.requests === 2);
    expect((await pending).status).toBe(200);
    expect(clock.pending).toEqual([]);
  });

  test("a timeout of the last attempt causes a 504 at once", async () => {
    const { clock, endpoint, log, post } = await setUp({ retries: 0 });
    endpoint.behavior = "hangs";
    const pending = post();
    await vi.waitFor(() => expect(endpoint.requests).toBe(1));
    await clock.advance(2000);
    expect((await pending).status).toBe(504);
    expect(log.at(-1)?.reason).toMatch(/ took longer than the 2000 ms of attemptTimeoutMs$/);
  });

  test("the time of authorize is included", async () => {
    let allow: (verdict: boolean) => void = () => {};
    const verdict = new Promise<boolean>((resolve) => {
      allow = resolve;
    });
    const { clock, endpoint, post } = await setUp({ authorize: () => verdict });
    endpoint.behavior = "hangs";
    const pending = post();
    await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
    await clock.advance(3000);
    allow(true);
    await vi.waitFor(() => expect(endpoint.requests).toBe(1));
    await clock.advance(1000);
    expect((await pending).status).toBe(504);
  });
});

test.each(["fails", "sends text", "resets"] as const)(
  "a token endpoint that %s causes a 502 without details",
  async (behavior) => {
    const { endpoint, log, post } = await setUp({ retries: 0 });
    endpoint.behavior = behavior;
    const { status, headers, body } = await seen(await post());
    expect({ status, body }).toEqual({ status: 502, body: "" });
    expect(headers["cache-control"]).toBe("no-store");
    expect(log.at(-1)).toMatchObject({ event: "failure", status: 502 });
  },
);

test("wrong credentials cause a 502, and the log has the reason", async () => {
  const { log, post } = await setUp({ sdkClientSecret: `${CREDENTIALS.sdkClientSecret}-no` });
  const { status, body } = await seen(await post());
  expect({ status, body }).toEqual({ status: 502, body: "" });
  expect(log.at(-1)?.reason).toMatch(/status 401, .*client secret is wrong$/);
});

test("AUTH-14: responses and logs have no secret, client id or account", async () => {
  const shown: unknown[] = [];
  const report = (error: unknown) => {
    throw error;
  };
  for (const behavior of ["responds", "fails", "sends text", "resets"] as const) {
    const { endpoint, log, post } = await setUp({ retries: 0 });
    endpoint.behavior = behavior;
    shown.push(await seen(await post()), await seen(await post({ method: "GET" })), log);
    expect(JSON.stringify(log)).not.toContain("eyJ");
  }
  const refused = await setUp({ accountId: `${CREDENTIALS.accountId}-no` });
  shown.push(await seen(await refused.post()), refused.log);
  const chatty = await setUp({ authorize: () => report(new Error(CANARIES.join(" "))) });
  shown.push(await seen(await chatty.post()), chatty.log);
  const broken = await setUp({ fetch: () => report(new Error(CANARIES.join(" "))) });
  const pending = broken.post();
  await passTime(broken.clock, () => broken.log.at(-1)?.status === 502);
  shown.push(await seen(await pending), broken.log);

  const printed = inspect(shown, { depth: null });
  expect(shown).toHaveLength(18);
  expect(printed).toContain("status: 502");
  for (const canary of CANARIES) expect(printed).not.toContain(canary);
});

test.each([
  ["no SDK client id", { sdkClientId: "" }, /^sdkClientId is missing: .*SDK credentials/],
  ["no SDK client secret", { sdkClientSecret: "" }, /^sdkClientSecret is missing/],
  ["no account", { accountId: "" }, /^accountId is missing/],
  ["no authorize function", { authorize: undefined }, /^authorize must be a function/],
  ["more than 4 seconds", { timeoutMs: 4001 }, /^timeoutMs must be .* at most 4000$/],
  ["a timeout of 0", { timeoutMs: 0 }, /^timeoutMs must be/],
  ["a timeout that is not a number", { timeoutMs: Number.NaN }, /^timeoutMs must be/],
])("rejects %s", (_what, wrong, message) => {
  const create = () =>
    createSdkTokenHandler({
      ...{ ...CREDENTIALS, baseUrl: "https://feed.example", authorize: () => true },
      ...(wrong as object),
    });
  expect(create).toThrow(expect.objectContaining({ code: "usage", message: expect.any(String) }));
  expect(create).toThrow(message);
  expect(create).toThrow(TxfeedError);
});

test.each([undefined, null, {}])("a route without its options is rejected: %j", (options) => {
  const create = () => createSdkTokenHandler(options as never);
  expect(create).toThrow(/^sdkClientId is missing/);
});
