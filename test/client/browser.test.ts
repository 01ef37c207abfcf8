import { inspect } from "node:util";
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import {
  type AccessTokenError,
  createGetAccessToken,
  type GetAccessTokenOptions,
  type OpenFormParameters,
} from "../../src/client/browser/index.ts";
import { createSdkTokenHandler } from "../../src/client/sdk/index.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { startServer } from "../support/local-server.ts";
import { bundle } from "./browser-bundle.ts";
import { CREDENTIALS, mount, tokenEndpoint } from "./sdk-fixture.ts";

type Responder = () => Response | Promise<Response>;

const token = (text: string, id?: string): Response =>
  new Response(text, id === undefined ? {} : { headers: { "x-token-id": id } });

/** A token route that sends the given responses in order, then repeats the last. */
function page(responses: Responder[], options: Partial<GetAccessTokenOptions> = {}) {
  const clock = new FakeClock();
  const calls: { url: string | URL; init: RequestInit }[] = [];
  const getAccessToken = createGetAccessToken({
    url: "/sdk-token",
    clock,
    fetch: async (url, init) => {
      calls.push({ url, init });
      const response = responses[Math.min(calls.length, responses.length) - 1];
      if (!response) throw new Error("no response");
      return response();
    },
    ...options,
  });
  return { clock, calls, getAccessToken };
}

const failureOf = (promise: Promise<unknown>): Promise<AccessTokenError> =>
  promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error) => error,
  );

describe("SDK-02: getAccessToken", () => {
  test("posts to its own origin without redirects or caching", async () => {
    const headers = { "x-csrf": "1" };
    const { calls, getAccessToken } = page([() => token("t1", "id-1")], { headers });
    expect(await getAccessToken()).toBe("t1");
    expect(calls).toEqual([
      {
        url: "/sdk-token",
        init: {
          ...{ method: "POST", credentials: "same-origin", cache: "no-store", redirect: "error" },
          ...{ headers, signal: expect.any(AbortSignal) },
        },
      },
    ]);
  });

  test("shares one request among concurrent calls", async () => {
    const { calls, getAccessToken } = page([() => token("t1", "id-1")]);
    const got = await Promise.all(Array.from({ length: 50 }, () => getAccessToken()));
    expect(new Set(got)).toEqual(new Set(["t1"]));
    expect(calls).toHaveLength(1);
  });

  test("reports the last token as refused on every call after the first", async () => {
    const { calls, getAccessToken } = page([() => token("t1", "id-1"), () => token("t2", "id-2")], {
      headers: { "x-csrf": "1" },
    });
    expect(await getAccessToken()).toBe("t1");
    expect(await getAccessToken()).toBe("t2");
    expect(await getAccessToken()).toBe("t2");
    expect(calls.map(({ init }) => init.headers)).toEqual([
      { "x-csrf": "1" },
      { "x-csrf": "1", "x-refused-token": "id-1" },
      { "x-csrf": "1", "x-refused-token": "id-2" },
    ]);
  });

  test("reports the last token after a failure too", async () => {
    const responses = [() => token("t1", "id-1"), () => token(""), () => token("t2", "id-2")];
    const { calls, getAccessToken } = page(responses);
    await getAccessToken();
    await failureOf(getAccessToken());
    expect(await getAccessToken()).toBe("t2");
    const refused = { "x-refused-token": "id-1" };
    expect(calls.map(({ init }) => init.headers)).toEqual([{}, refused, refused]);
  });

  test("reports nothing to a route that returned no token", async () => {
    const { calls, getAccessToken } = page([() => token("t1"), () => token("t2")]);
    expect(await getAccessToken()).toBe("t1");
    expect(await getAccessToken()).toBe("t2");
    expect(calls.map(({ init }) => init.headers)).toEqual([{}, {}]);
  });

  test("defaults to the page's fetch and clock", async () => {
    const clock = new FakeClock();
    const endpoint = await tokenEndpoint(() => clock.now());
    const handler = createSdkTokenHandler({
      ...{ ...CREDENTIALS, baseUrl: endpoint.origin, clock, authorize: () => true },
    });
    const route = await startServer(mount(handler));
    onTestFinished(async () => {
      await route.close();
      await endpoint.close();
    });
    const browsers = Array.from({ length: 50 }, () =>
      createGetAccessToken({ url: new URL(route.origin) }),
    );
    const got = await Promise.all(browsers.map((getAccessToken) => getAccessToken()));
    expect(new Set(got)).toEqual(new Set(endpoint.tokens));
    expect(endpoint.requests).toBe(1);
  });
});

describe("SDK-03: within 5 seconds", () => {
  const never = () => new Promise<never>(() => {});
  const endless = async () => new Response(new ReadableStream());

  test.each([
    ["route", never],
    ["body", endless],
  ])("rejects when the %s hangs, even if fetch ignores the signal", async (_what, response) => {
    const { clock, calls, getAccessToken } = page([response, () => token("t1")]);
    const failures = [failureOf(getAccessToken()), failureOf(getAccessToken())];
    await vi.waitFor(() => expect(clock.pending).toHaveLength(1));
    await clock.advance(4499);
    expect(calls[0]?.init.signal?.aborted).toBe(false);
    await clock.advance(1);
    for (const failure of await Promise.all(failures)) {
      expect(failure).toMatchObject({ name: "AccessTokenError", code: "timeout" });
      expect(failure.message).toBe("the token route took longer than 4500 ms");
    }
    expect(calls[0]?.init.signal?.aborted).toBe(true);
    expect(clock.pending).toEqual([]);
    expect(await getAccessToken()).toBe("t1");
  });

  test("clears its timer after a token arrives", async () => {
    const { clock, getAccessToken } = page([() => token("t1", "id-1")]);
    await getAccessToken();
    expect(clock.pending).toEqual([]);
  });

  test.each([5000, 0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    "refuses a timeoutMs of %d",
    (timeoutMs) => {
      expect(() => createGetAccessToken({ url: "/", timeoutMs })).toThrow(
        expect.objectContaining({ code: "usage", message: expect.stringMatching(/below 5000$/) }),
      );
    },
  );
});

describe("a failure", () => {
  const broken = async () => {
    const body = new ReadableStream({ start: (stream) => stream.error(new Error("eyJ-part")) });
    return new Response(body);
  };
  const unreachable = () => Promise.reject(new TypeError("Failed to fetch eyJ-part"));

  test.each([
    ["of another status", () => new Response("eyJ-part", { status: 502 }), "http", 502],
    ["of a status without a body", () => new Response(null, { status: 204 }), "http", 204],
    ["to reach the route", unreachable, "network", undefined],
    ["to read the response", broken, "network", undefined],
    ["of an empty response", () => token(""), "contract", 200],
    ["of a login page", () => token("<html>eyJ-part</html>"), "contract", 200],
    ["of JSON", () => token('{"access_token":"eyJ-part"}'), "contract", 200],
    ["of a line end", () => token("eyJ-part\n"), "contract", 200],
  ])("%s has a code, no token, and is not kept", async (_what, response, code, status) => {
    const { clock, getAccessToken } = page([response, () => token("t1", "id-1")]);
    const failure = await failureOf(getAccessToken());
    expect(failure).toMatchObject({ code, status });
    expect(inspect(failure, { depth: null })).not.toContain("eyJ");
    expect(clock.pending).toEqual([]);
    expect(await getAccessToken()).toBe("t1");
  });
});

describe("AUTH-14: the bundle for a page", () => {
  const SERVER_SIDE =
    /client_?secret|client_?id|grant_type|client_credentials|\/auth\/realms|node:|process|require/i;

  test("contains no secret and no server code", async () => {
    const code = await bundle("src/client/browser/index.ts");
    expect(code).toContain("x-refused-token");
    expect(code).not.toMatch(SERVER_SIDE);
    expect(code).not.toMatch(/\bimport\b/);
  });

  test("matches the server-code pattern if it includes server code", async () => {
    const code = await bundle("src/client/browser/index.ts", "src/client/sdk/index.ts");
    for (const word of ["client_secret", "sdkClientSecret", "grant_type", "/auth/realms"]) {
      expect(code).toContain(word);
    }
    expect(code).toMatch(SERVER_SIDE);
  });
});

test("SDK-01: openForm accepts the callback of createGetAccessToken", () => {
  const parameters: OpenFormParameters = {
    companyName: "Example",
    subaccountId: "7f9c2d4e-8a1b-4c3d-9e5f-0a1b2c3d4e5f",
    getAccessToken: createGetAccessToken({ url: "/sdk-token" }),
    onSuccess: (data) => expectTypeOf(data).toEqualTypeOf<unknown>(),
    onError: (error) => expectTypeOf(error).toEqualTypeOf<unknown>(),
    onCancel: () => {},
  };
  expectTypeOf(parameters).toEqualTypeOf<OpenFormParameters>();
  expectTypeOf<OpenFormParameters>().toEqualTypeOf<{
    readonly companyName: string;
    readonly subaccountId: string;
    readonly getAccessToken: () => Promise<string>;
    onSuccess(data: unknown): void;
    onError(error: unknown): void;
    onCancel(): void;
  }>();
  // @ts-expect-error the callback is async
  const late: OpenFormParameters["getAccessToken"] = () => "token";
  expect(late()).toBe("token");
});

test.each([
  [
    { url: "/", timeout: 1 },
    /^createGetAccessToken: unknown option "timeout"; did you mean "timeoutMs"/,
  ],
  [{ uri: "/" }, /^createGetAccessToken: unknown option "uri"; did you mean "url"/],
])("%j has an unknown option", (options, message) => {
  const create = () => createGetAccessToken(options as never);
  expect(create).toThrow(expect.objectContaining({ code: "usage" }));
  expect(create).toThrow(message);
});

test.each([undefined, {}, { url: "" }])(
  "options without a route URL are rejected: %j",
  (options) => {
    const create = () => createGetAccessToken(options as never);
    expect(create).toThrow(/^url is missing/);
  },
);
