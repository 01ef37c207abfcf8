import { expect, test, vi } from "vitest";
import { each, once } from "../../../conformance/assert.ts";
import { type Check, type Found, type Session, Skip } from "../../../conformance/check.ts";
import type { Driver } from "../../../conformance/driver.ts";
import type { Report } from "../../../conformance/report/report.ts";
import { type RunOptions, runConformance } from "../../../conformance/run/run.ts";
import { Refused } from "../../../conformance/skip.ts";
import type { Target } from "../../../conformance/target.ts";
import type { Exchange } from "../../../conformance/wire/exchange.ts";
import {
  claimIds,
  claims,
  type RequirementId,
  requirementIds,
} from "../../../generated/requirements.ts";
import { TxfeedError } from "../../../src/errors.ts";
import { freePort, notFound, serve } from "../../support/local-server.ts";
import { withToken } from "../serve.ts";

/** The runner: verdicts, options, drivers and failing targets. */

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };

const ok = withToken(notFound);

/** Runs some checks against a server that responds to every request. */
async function run(checks: Check[], options: RunOptions = {}, changed: Partial<Target> = {}) {
  const baseUrl = await serve(ok);
  const target: Target = { baseUrl, credentials, profile: "full", ...changed };
  return runConformance(target, { patienceMs: 500, ...options }, checks);
}

const of = (report: Report, wanted = "CONV-06") =>
  report.requirements.find(({ id }) => id === wanted);

/** A check of all claims of a requirement; default: CONV-06. */
function check(
  result: Found | Skip,
  {
    requirement = "CONV-06",
    ...changed
  }: Omit<Partial<Check>, "run"> & {
    readonly requirement?: RequirementId;
    readonly run?: (session: Session) => Promise<Found | Skip>;
  } = {},
): Check {
  const own = claimIds.filter((id) => claims[id].requirement === requirement);
  return { claims: own, title: "a", requires: [], run: async () => result, ...changed } as Check;
}

const exchange: Exchange = {
  nr: 1,
  request: { method: "GET", url: "http://127.0.0.1:1/cards?limit=1", headers: {} },
  durationMs: 1,
};
const passes = once([]);
const broken = once([{ expected: "a", actual: "b", evidence: [exchange] }]);
const noData = new Skip("nothing there", "data of the kind");

test("a requirement passes if a check decides it and no other check fails", async () => {
  expect(of(await run([check(passes), check(passes)]))).toMatchObject({ verdict: "passed" });
  expect(of(await run([check(passes), check(noData)]))).toMatchObject({ verdict: "passed" });
  const thrown = check(passes, { run: () => Promise.reject(noData) });
  expect(of(await run([check(passes), thrown]))).toMatchObject({ verdict: "passed" });
  expect(of(await run([check(passes), check(noData), check(broken)]))).toMatchObject({
    verdict: "failed",
  });
});

test("a requirement without data for its checks is skipped", async () => {
  expect(of(await run([check(noData), check(noData)]))).toMatchObject({
    verdict: "skipped",
    reason: "nothing there",
    hint: "data of the kind",
  });
});

test("an interrupted check leaves its requirement undecided", async () => {
  const stop = new AbortController();
  const sends = check(passes, {
    run: async (session) => {
      stop.abort(new Error("stopped by the test"));
      await session.send({ method: "GET", path: "/cards" });
      return passes;
    },
  });
  const report = await run([check(passes), sends], { signal: stop.signal });
  expect(of(report)).toMatchObject({ verdict: "skipped", reason: "stopped by the test" });
  expect(report.brokenOff).toBe("stopped by the test");
});

test("a missing capability does not block another check's verdict", async () => {
  const second = check(broken, { requires: ["secondAccount"] });
  const report = await run([check(passes), second]);
  expect(of(report)).toMatchObject({
    verdict: "passed",
    checks: [{ verdict: "passed" }, { verdict: "skipped", reason: "requires a second account" }],
  });
  expect(of(await run([second]))).toMatchObject({
    verdict: "skipped",
    reason: "requires a second account",
    hint: "give --second-account ID:CLIENT_ID:CLIENT_SECRET, or set TXFEED_SECOND_ACCOUNT",
  });
});

test("a skipped requirement has the reason of the check that blocks it", async () => {
  const second = check(broken, { requires: ["secondAccount"] });
  const refused = check(new Refused("the target refused"));
  const report = await run([second, check(passes), refused]);
  expect(of(report)).toMatchObject({ verdict: "skipped", reason: "the target refused" });
});

test("the mock profile skips checks that need state", async () => {
  const state = check(broken, { requires: ["state"] });
  const report = await run([state], {}, { profile: "mock" });
  expect(of(report)).toMatchObject({ verdict: "skipped" });
});

test("breaking a derived requirement warns, and fails a strict run", async () => {
  const derived = check(broken, { requirement: "CONV-07" });
  const result = of(await run([derived]), "CONV-07");
  expect(result).toMatchObject({ verdict: "warned" });
  expect(result?.checks[0]?.findings?.[0]?.level).toBe("warning");
  expect(of(await run([derived], { strict: true }), "CONV-07")).toMatchObject({
    verdict: "failed",
  });
});

test.each<[string, () => Promise<Found>]>([
  ["throws", () => Promise.reject(new Error("oops"))],
  ["throws a value that is not an error", () => Promise.reject("oops")],
  ["gives nothing", async () => undefined as never],
])("a check that %s is a suite error, not a failure of the target", async (_, faulty) => {
  const report = await run([check(passes, { title: "a faulty one", run: faulty }), check(passes)]);
  expect(of(report)).toMatchObject({
    verdict: "skipped",
    reason: expect.stringContaining("internal error of the suite, please report it: "),
  });
  const message = expect.any(String);
  expect(report.suiteErrors).toEqual([{ requirement: "CONV-06", check: "a faulty one", message }]);
});

test("reads run before writes, and comparisons run last", async () => {
  const order: string[] = [];
  const noting = (title: string, requires: Check["requires"]) =>
    check(passes, {
      title,
      requires,
      run: async () => {
        order.push(`${title} begins`);
        await new Promise(setImmediate);
        order.push(`${title} ends`);
        return passes;
      },
    });
  const driver: Driver = { subscribe: async () => {}, settle: async () => {} };
  const checks = [
    noting("compare", ["deliveries"]),
    noting("drive 1", ["verb:settle", "deliveries"]),
    noting("drive 2", ["writes"]),
    noting("ask 1", []),
    noting("ask 2", ["state"]),
  ];
  await run(checks, {}, { driver, writes: true });
  expect(order).toEqual([
    ...["ask 1 begins", "ask 2 begins", "ask 1 ends", "ask 2 ends"],
    ...["drive 1 begins", "drive 1 ends", "drive 2 begins", "drive 2 ends"],
    ...["compare begins", "compare ends"],
  ]);
});

test("only selects groups or ids, and all requirements are reported", async () => {
  const ran: string[] = [];
  const noting = (requirement: RequirementId) =>
    check(passes, {
      requirement,
      run: async () => {
        ran.push(requirement);
        return passes;
      },
    });
  const checks = [noting("CONV-06"), noting("AUTH-01"), noting("AUTH-04"), noting("PAGE-01")];
  const progress: unknown[] = [];
  const report = await run(checks, {
    only: ["AUTH", "PAGE-01"],
    onProgress: (step) => progress.push(step),
  });
  expect(ran).toEqual(["AUTH-01", "AUTH-04", "PAGE-01"]);
  expect(progress).toEqual([
    { done: 1, of: 3, requirement: "AUTH-01" },
    { done: 2, of: 3, requirement: "AUTH-04" },
    { done: 3, of: 3, requirement: "PAGE-01" },
  ]);
  expect(report.requirements.map(({ id }) => id)).toEqual(requirementIds);
  expect(of(report)).toMatchObject({ verdict: "skipped", reason: "not selected" });
});

test("a finding has the request, pointer, expected and actual value", async () => {
  const breach = { expected: "a", actual: "b", path: "/x", evidence: [exchange] as const };
  const report = await run([check(once([breach]))]);
  expect(of(report)?.checks[0]).toMatchObject({
    reproduce: 'curl -i "http://127.0.0.1:1/cards?limit=1"',
    findings: [{ message: "GET /cards /x: expected a, got b", evidence: [1] }],
  });
  expect(report.traffic).toEqual([exchange]);
});

test("each compared item is an assertion", async () => {
  const report = await run([
    check(await each([1, 2, 3], noData, () => [])),
    check(passes),
    check(noData),
  ]);
  expect(report).toMatchObject({ checks: 2, assertions: 4 });
});

test("without a token, the checks that need one are skipped", async () => {
  const baseUrl = await serve((_request, response) => response.writeHead(403).end());
  const report = await runConformance({ baseUrl, credentials, profile: "full" });
  expect(of(report, "AUTH-01")).toMatchObject({ verdict: "failed" });
  expect(of(report, "EP-03")).toMatchObject({
    verdict: "skipped",
    reason: "the token exchange returned no token: see AUTH-01 and AUTH-02",
  });
  expect(report.suiteErrors).toEqual([]);
});

test("a server without endpoints fails their checks but no limit check", async () => {
  const baseUrl = await serve(withToken(notFound));
  const report = await runConformance({ baseUrl, credentials, profile: "full" });
  const verdicts = Object.fromEntries(report.requirements.map(({ id, verdict }) => [id, verdict]));
  const collections = ["EP-01", "EP-02", "EP-03", "EP-06", "EP-08", "EP-09", "EP-11"];
  for (const id of [...collections, "AUTH-04", "AUTH-05", "AUTH-06", "AUTH-07", "ERR-01"]) {
    expect([id, verdicts[id]]).toEqual([id, "failed"]);
  }
  expect(verdicts["PAGE-02"]).toBe("skipped");
  expect(report.suiteErrors).toEqual([]);
});

test.each<[string, RunOptions, Partial<Target>]>([
  ["an invalid URL", {}, { baseUrl: "nowhere" }],
  ["a URL of another protocol", {}, { baseUrl: "file:///etc" }],
  ["a rate of 0", {}, { rate: 0 }],
  ["a header in place of the tokens", {}, { headers: { Authorization: "x" } }],
  ["a client certificate in another format", {}, { clientCertificate: { cert: "x", key: "x" } }],
  ["a concurrency of 0", { concurrency: 0 }, {}],
  ["a fractional concurrency", { concurrency: 1.5 }, {}],
  ["a timeout of 0", { patienceMs: 0 }, {}],
  ["a timeout above the limit of timers", { patienceMs: 2 ** 31 }, {}],
  ["a time limit of NaN", { limitMs: Number.NaN }, {}],
])("%s is a usage error", async (_, options, changed) => {
  const asking = check(passes, {
    run: async (session) => each([await session.tokenExchange()], noData, () => []),
  });
  const error = await run([asking], options, changed).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(TxfeedError);
  expect(error).toMatchObject({ code: "usage" });
});

test("a target that refuses connections is unreachable", async () => {
  const port = await freePort();
  const target: Target = { baseUrl: `http://127.0.0.1:${port}`, credentials, profile: "full" };
  await expect(runConformance(target)).rejects.toMatchObject({
    code: "unreachable",
    message: expect.stringContaining(`can't reach http://127.0.0.1:${port}: `),
  });
});

test("a webhook port in use ends the run before it starts", async () => {
  const { port } = new URL(await serve(notFound));
  const ran = vi.fn(async () => passes);
  const webhooks = { host: "127.0.0.1", port: Number(port) };
  const running = run([check(passes, { run: ran })], {}, { webhooks });
  await expect(running).rejects.toMatchObject({ code: "port-in-use" });
  expect(ran).not.toHaveBeenCalled();
});

const looksForDeliveries = check(passes, {
  requires: ["deliveries"],
  run: async (session) => each(await session.deliveries(), noData, () => []),
});

test.each<[string, Driver["subscribe"]]>([
  ["rejects", () => Promise.reject(new Error("no such staging"))],
  [
    "throws",
    () => {
      throw new Error("no such staging");
    },
  ],
])("a driver whose subscribe %s skips delivery checks, with the reason", async (_, subscribe) => {
  const report = await run([looksForDeliveries], {}, { driver: { subscribe } as Driver });
  expect(of(report)).toMatchObject({
    verdict: "skipped",
    reason: "the driver's verb subscribe was refused: no such staging",
  });
  expect(report.suiteErrors).toEqual([]);
});

test.each<[string, () => unknown]>([
  ["rejects", () => Promise.reject(new Error("gone"))],
  [
    "throws",
    () => {
      throw new Error("gone");
    },
  ],
  ["returns no promise", () => undefined],
  ["never ends", () => new Promise(() => {})],
])("a driver whose unsubscribe %s changes nothing", async (_, end) => {
  const unsubscribe = vi.fn(end) as unknown as NonNullable<Driver["unsubscribe"]>;
  const driver: Driver = { subscribe: async () => {}, unsubscribe };
  const report = await run([looksForDeliveries], { patienceMs: 50 }, { driver });
  expect(of(report)).toMatchObject({ verdict: "skipped", reason: "nothing there" });
  expect(unsubscribe).toHaveBeenCalledOnce();
});

test("an interrupted run is unsubscribed", async () => {
  const stop = new AbortController();
  const unsubscribe = vi.fn(async () => {});
  const driver: Driver = { subscribe: async () => stop.abort(new Error("enough")), unsubscribe };
  const report = await run([check(passes)], { signal: stop.signal }, { driver });
  expect(report.brokenOff).toBe("enough");
  expect(unsubscribe).toHaveBeenCalledOnce();
});

test("an interrupted run does not wait for a verb", async () => {
  const stop = new AbortController();
  const settle = () => {
    setImmediate(() => stop.abort(new Error("enough")));
    return new Promise<void>(() => {});
  };
  const drives = check(passes, {
    requires: ["verb:settle"],
    run: async (session) => {
      await session.drive("settle", undefined);
      return passes;
    },
  });
  const report = await run([drives], { signal: stop.signal }, { driver: { settle } });
  expect(of(report)).toMatchObject({ verdict: "skipped", reason: "enough" });
});

test("a signal aborted before the run leaves everything undecided", async () => {
  const report = await run([], { signal: AbortSignal.abort(new Error("never mind")) });
  expect(report.brokenOff).toBe("never mind");
  const verdicts = new Set(report.requirements.map(({ verdict }) => verdict));
  expect(verdicts).toEqual(new Set(["skipped", "excluded"]));
});

test("a run that exceeds its time limit stops with a report", async () => {
  const baseUrl = await serve(withToken(() => {}));
  const target: Target = { baseUrl, credentials, profile: "full" };
  const report = await runConformance(target, { limitMs: 100 });
  expect(report.brokenOff).toBe("the run took longer than 0.1 s");
  expect(report.requirements).toHaveLength(requirementIds.length);
  expect(report.suiteErrors).toEqual([]);
});

test("an interrupted run stops collecting deliveries", async () => {
  const stop = new AbortController();
  const breaksOff = check(passes, {
    run: async () => {
      setTimeout(() => stop.abort(new Error("enough")), 20);
      return passes;
    },
  });
  const webhooks = { host: "127.0.0.1", port: 0, collectSeconds: 3_600 };
  const report = await run([breaksOff], { signal: stop.signal }, { webhooks });
  expect(report.brokenOff).toBe("enough");
});

test("a failing evidence callback ends the run with its error", async () => {
  const full = new Error("the disk is full");
  const onEvidence = vi.fn((entry: { kind: string }) => {
    if (entry.kind === "exchange") throw full;
  });
  const baseUrl = await serve(ok);
  const target: Target = { baseUrl, credentials, profile: "full" };
  await expect(runConformance(target, { onEvidence })).rejects.toBe(full);
});

test("checks stop waiting after no delivery has arrived for a while", async () => {
  const waits = check(passes, {
    requires: ["deliveries"],
    run: async (session) => {
      for (let i = 0; i < 50; i++) await session.deliveries((came) => came.length > 0);
      return passes;
    },
  });
  const webhooks = { host: "127.0.0.1", port: 0 };
  const report = await run([waits], { patienceMs: 300 }, { webhooks });
  expect(report.durationMs).toBeLessThan(50 * 300);
});

test("a GET is retried after a closed connection, a POST is not", async () => {
  const requests: string[] = [];
  const baseUrl = await serve((request, response) => {
    const which = `${request.method} ${request.url}`;
    requests.push(which);
    if (requests.indexOf(which) === requests.length - 1) request.socket.destroy();
    else response.end("{}");
  });
  const outcomes: unknown[] = [];
  const sends = check(passes, {
    run: async (session) => {
      for (const method of ["GET", "POST"]) {
        const { response } = await session.send({ method, path: "/x" });
        outcomes.push(response?.status);
      }
      return passes;
    },
  });
  const target: Target = { baseUrl, credentials, profile: "full" };
  await runConformance(target, { only: ["CONV-06"] }, [sends]);
  expect(outcomes).toEqual([200, undefined]);
  const own = requests.filter((which) => which.endsWith(" /x"));
  expect(own).toEqual(["GET /x", "GET /x", "POST /x"]);
});
