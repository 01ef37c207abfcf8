import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createGetAccessToken } from "../../src/client/browser/index.ts";
import {
  createSdkTokenHandler,
  type LogEntry,
  type SdkTokenHandlerOptions,
  type StoredToken,
} from "../../src/client/sdk/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { startServer } from "../support/local-server.ts";
import { CREDENTIALS, mount, tokenEndpoint } from "./sdk-fixture.ts";

/** A sandbox, a route on the system clock, and an SDK that requests a new token after a 401. */
async function startSandbox() {
  const sandbox = await createSandbox({ world: "empty", clock: "frozen" });
  onTestFinished(() => sandbox.close());
  const [{ accountId, sdkClientId, sdkClientSecret }] = sandbox.accounts;
  const { result } = await sandbox.trigger("open-subaccount", { accountId });
  const handler = createSdkTokenHandler({
    ...{ accountId, sdkClientId, sdkClientSecret, baseUrl: sandbox.baseUrl },
    authorize: () => true,
  });
  const route = await startServer(mount(handler));
  onTestFinished(() => route.close());
  const statusFor = async (token: string) => {
    const url = `${sandbox.controlUrl}/sdk/test-cards?subaccountId=${result.subaccountId}`;
    return (await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status;
  };
  /** Opens the form. Returns the last status and the number of token requests. */
  const openForm = async () => {
    const getAccessToken = createGetAccessToken({ url: route.origin });
    const first = await statusFor(await getAccessToken());
    return first === 401
      ? { status: await statusFor(await getAccessToken()), calls: 2 }
      : { status: first, calls: 1 };
  };
  return { sandbox, openForm };
}

describe("SDK-02: a token that has expired only by the service's clock", () => {
  test("is renewed when the SDK requests another", async () => {
    const { sandbox, openForm } = await startSandbox();
    expect(await openForm()).toEqual({ status: 200, calls: 1 });
    for (let round = 0; round < 3; round += 1) {
      await sandbox.advance("301s");
      expect(await openForm()).toEqual({ status: 200, calls: 2 });
      expect(await openForm()).toEqual({ status: 200, calls: 1 });
    }
  });

  test("is renewed once for 50 pages", async () => {
    const { sandbox, openForm } = await startSandbox();
    await openForm();
    await sandbox.advance("301s");
    const opened = await Promise.all(Array.from({ length: 50 }, openForm));
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
  });
});

/** A token endpoint, the route, and a function that posts to it. */
async function setUp(options: Partial<SdkTokenHandlerOptions> = {}) {
  const clock = new FakeClock();
  const log: LogEntry[] = [];
  const endpoint = await tokenEndpoint(() => clock.now());
  onTestFinished(() => endpoint.close());
  const handler = createSdkTokenHandler({
    ...{ ...CREDENTIALS, baseUrl: endpoint.origin, clock, random: () => 0, retries: 0 },
    authorize: ({ headers }) => headers.get("cookie") !== "none",
    log: (entry) => log.push(entry),
    ...options,
  });
  const post = async (headers: Record<string, string> = {}) => {
    const response = await handler(
      new Request("http://page.example/", { method: "POST", headers }),
    );
    const id = response.headers.get("x-token-id") ?? "";
    return { status: response.status, token: await response.text(), id };
  };
  return { clock, endpoint, log, post, refuse: (id: string) => post({ "x-refused-token": id }) };
}

describe("x-refused-token", () => {
  test("contains a hash of the token", async () => {
    const { post } = await setUp();
    const { token, id } = await post();
    expect(id).toMatch(/^[\da-f]{32}$/);
    expect(token).not.toContain(id);
    expect((await post()).id).toBe(id);
  });

  test("AUTH-13: of one token from 50 pages causes 1 exchange", async () => {
    const { endpoint, post, refuse } = await setUp();
    const { id } = await post();
    const renewed = await Promise.all(Array.from({ length: 50 }, () => refuse(id)));
    renewed.push(await refuse(id));
    expect(new Set(renewed.map(({ token }) => token))).toEqual(new Set([endpoint.tokens[1]]));
    expect(endpoint.requests).toBe(2);
  });

  test.each(["", "unknown", "0".repeat(32), "a".repeat(8000)])(
    "that is %j changes nothing",
    async (id) => {
      const { endpoint, post, refuse } = await setUp();
      const { token } = await post();
      expect(await refuse(id)).toMatchObject({ status: 200, token });
      expect(endpoint.requests).toBe(1);
    },
  );

  test("counts only if authorize allows the request", async () => {
    const { endpoint, post } = await setUp();
    const { id } = await post();
    expect(await post({ "x-refused-token": id, cookie: "none" })).toMatchObject({ status: 403 });
    expect(endpoint.requests).toBe(1);
  });

  test("from a page that rejects every token causes few exchanges", async () => {
    const { clock, endpoint, log, post, refuse } = await setUp();
    let { id } = await post();
    for (let n = 0; n < 200; n += 1) id = (await refuse(id)).id;
    expect(endpoint.requests).toBe(1 + 3);
    const reason = expect.stringMatching(/is not renewed: at most one renewal every 10000 ms$/);
    expect(log).toContainEqual({ level: "warn", event: "soft-failure", reason });
    for (let second = 0; second < 30; second += 1) {
      await clock.advance(1000);
      id = (await refuse(id)).id;
    }
    expect(endpoint.requests).toBe(1 + 3 + 3);
  });

  test.each(["fails", "resets"] as const)(
    "keeps the token if the token endpoint %s: the report may be wrong",
    async (behavior) => {
      const { endpoint, log, post, refuse } = await setUp();
      const { token, id } = await post();
      endpoint.behavior = behavior;
      expect(await refuse(id)).toMatchObject({ status: 200, token });
      const reason = expect.stringMatching(/^the refused token that a page reported is not ren/);
      expect(log).toContainEqual({ level: "warn", event: "soft-failure", reason });
      endpoint.behavior = "responds";
      expect((await refuse(id)).token).toBe(endpoint.tokens[1]);
    },
  );

  test("SDK-03: gets a response in time if the token endpoint hangs", async () => {
    const { clock, endpoint, post, refuse } = await setUp({ attemptTimeoutMs: 3999 });
    const { token, id } = await post();
    endpoint.behavior = "hangs";
    const pending = refuse(id);
    await vi.waitFor(() => expect(endpoint.requests).toBe(2));
    await clock.advance(4000);
    expect(await pending).toMatchObject({ status: 200, token });
  });

  test("uses a token that another process has stored in the meantime", async () => {
    const clock = new FakeClock();
    const stored = (accessToken: string): StoredToken => ({
      ...{ accessToken, expiresAt: clock.now() + 300_000, lifetimeSeconds: 300 },
    });
    let inStore = stored("old");
    const tokenStore = {
      read: async () => inStore,
      write: async (token: StoredToken) => {
        inStore = token;
      },
    };
    const { endpoint, post, refuse } = await setUp({ clock, tokenStore });
    const { id } = await post();
    inStore = stored("from-another-process");
    const next = await refuse(id);
    expect(next.token).toBe("from-another-process");
    expect(endpoint.requests).toBe(0);
    expect((await refuse(next.id)).token).toBe(endpoint.tokens[0]);
  });
});

test("an unknown option is rejected with the nearest name", () => {
  const create = () =>
    createSdkTokenHandler({ ...CREDENTIALS, authorise: () => true, baseUrl: "http://x" } as never);
  const message = 'createSdkTokenHandler: unknown option "authorise"; did you mean "authorize"?';
  expect(create).toThrow(expect.objectContaining({ code: "usage", message }));
});
