import { expect, test } from "vitest";
import { FORM, formOf, startTestServer, tokenPath } from "./test-server.ts";

test("a 401 fault applies to the given number of requests, despite valid tokens", async () => {
  const { ask, service } = await startTestServer();
  service.faults.set({ api: [{ kind: "401", path: "/cards", times: 2 }] });
  for (const expected of [401, 401, 200]) {
    const { status, headers } = await ask("GET", "/cards");
    expect(status).toBe(expected);
    if (expected === 200) continue;
    expect(headers["content-type"]).toBe("application/problem+json");
    expect(headers["www-authenticate"]).toBe('Bearer realm="sandbox", error="invalid_token"');
  }
});

test("a 429 has a Retry-After", async () => {
  const { ask, service } = await startTestServer();
  service.faults.set({
    api: [
      { kind: "429", path: "/cards", times: 1, retryAfterSeconds: 7 },
      { kind: "429", path: "/transactions", times: 1 },
    ],
  });
  for (const [path, seconds] of [
    ["/cards", "7"],
    ["/transactions", "1"],
  ] as const) {
    const { status, headers } = await ask("GET", path);
    expect([status, headers["retry-after"]]).toEqual([429, seconds]);
  }
});

test("a 500 is a problem response", async () => {
  const { ask, service } = await startTestServer();
  service.faults.set({ api: [{ kind: "500", path: "/cards" }] });
  const { status, json } = await ask("GET", "/cards");
  expect(status).toBe(500);
  expect(json).toMatchObject({ type: "about:blank", title: "Internal server error", status: 500 });
});

test("latency delays the response or the fault", async () => {
  const { ask, service } = await startTestServer();
  const delayMs = 60;
  service.faults.set({
    api: [
      { kind: "latency", path: "/cards", delayMs },
      { kind: "500", path: "/cards", times: 1 },
    ],
  });
  for (const expected of [500, 200]) {
    const startMs = performance.now();
    expect((await ask("GET", "/cards")).status).toBe(expected);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(delayMs - 1);
  }
});

test("latencies that are longer together than a timer allows still delay", async () => {
  const { ask, service } = await startTestServer();
  const latency = { kind: "latency", delayMs: 2 ** 31 - 1 } as const;
  service.faults.set({ api: [latency, latency] });
  const pause = new Promise((resolve) => setTimeout(resolve, 100, "delayed"));
  expect(await Promise.race([ask("GET", "/cards").catch(String), pause])).toBe("delayed");
});

test("faults apply to the token endpoint, but not outside the operations", async () => {
  const { send, accounts, service } = await startTestServer();
  service.faults.set({ api: [{ kind: "500", times: 1 }] });
  const path = tokenPath(accounts[0].accountId);
  expect((await send("GET", "/nothing")).status).toBe(404);
  expect((await send("HEAD", "/cards")).status).toBe(405);
  expect((await send("GET", path.replace(/token$/, "certs"))).status).toBe(200);
  const { clientId, clientSecret } = accounts[0];
  const body = formOf({ client_id: clientId, client_secret: clientSecret });
  expect((await send("POST", path, { headers: FORM, body })).status).toBe(500);
  expect((await send("POST", path, { headers: FORM, body })).status).toBe(200);
});

test("a PATCH with a fault changes nothing", async () => {
  const { ask, put, service, dump } = await startTestServer();
  const id = put("bank-links");
  service.faults.set({ api: [{ kind: "500", path: "/bank-links" }] });
  const before = dump();
  expect((await ask("PATCH", `/bank-links/${id}`)).status).toBe(500);
  expect(dump()).toBe(before);
});
