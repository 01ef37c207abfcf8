import { expect, test, vi } from "vitest";
import { each, once } from "../../../conformance/assert.ts";
import type { Check, Found, Session } from "../../../conformance/check.ts";
import type { Driver } from "../../../conformance/driver.ts";
import { type RunOptions, replayEvidence, runConformance } from "../../../conformance/run/run.ts";
import type { Target } from "../../../conformance/target.ts";
import { type RequirementId, requirementIds } from "../../../generated/requirements.ts";
import { notFound, serve } from "../../support/local-server.ts";
import { credentials, targetAt, withToken } from "../runs.ts";
import { breach, check, doing, exchange, noData, passes, resultIn, runOf } from "./some-checks.ts";

/** A run: its order, its options, drivers, and what ends it. */

const webhooks = { host: "127.0.0.1", port: 0 };
const ADDRESS = "baseUrl takes http(s)://HOST[:PORT][/PATH], with no user, query or fragment";
const LATER = 2 ** 31;

test.each<[changed: object | undefined, options: RunOptions, message: string]>([
  [undefined, {}, "the target is missing: pass baseUrl, credentials and profile"],
  [{ baseUrl: undefined }, {}, ADDRESS],
  [{ baseUrl: "nowhere" }, {}, ADDRESS],
  [{ baseUrl: "file:///etc" }, {}, ADDRESS],
  [{ baseUrl: "http://127.0.0.1:9/?" }, {}, ADDRESS],
  [{ baseUrl: "http://user:canary@127.0.0.1:9" }, {}, ADDRESS],
  [{ profile: "Full" }, {}, 'profile takes full or mock, not "Full"'],
  [{ credentials: undefined }, {}, "credentials.accountId is missing"],
  [
    { credentials: { ...credentials, clientSecret: "" } },
    {},
    "credentials.clientSecret is missing",
  ],
  [{ secondAccount: { accountId: "x" } }, {}, "secondAccount.clientId is missing"],
  [{ sdkCredentials: { clientId: "x" } }, {}, "sdkCredentials.clientSecret is missing"],
  [{ rate: 0 }, {}, "rate must be an integer of at least 1; got 0"],
  [{ headers: { Authorization: "canary" } }, {}, "the run sends its own tokens in it"],
  [{ clientCertificate: { cert: "x", key: "x" } }, {}, "clientCertificate can't be used: "],
  ...[Number.NaN, -1].map((collectSeconds): [object, RunOptions, string] => [
    { webhooks: { ...webhooks, collectSeconds } },
    {},
    `webhooks.collectSeconds takes a number from 0 to 86,400, not ${collectSeconds}`,
  ]),
  [
    { webhooks: { ...webhooks, collectSeconds: 5 } },
    { limitMs: 5_000 },
    "limitMs of 5000 ms is too short: webhooks.collectSeconds takes 5 s",
  ],
  [{}, { concurrency: 1.5 }, "concurrency must be an integer of at least 1; got 1.5"],
  [{}, { patienceMs: 0 }, "patienceMs must be an integer of at least 1; got 0"],
  [{}, { patienceMs: LATER }, "patienceMs must be an integer"],
  [{}, { only: ["MAT-99"] }, `only: there is no group or requirement "MAT-99"; did you mean "MAT-`],
  [{}, { only: [] }, "option 'only' takes a list of groups and ids"],
])("invalid input is refused before any request: %j, %j", async (changed, options, message) => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const target = changed && { ...targetAt("http://127.0.0.1:9"), ...changed };
  const error = await runConformance(target as Target, options).catch((reason) => reason);
  expect(error).toMatchObject({ code: "usage", message: expect.stringContaining(message) });
  expect(error.message).not.toMatch(/canary|\n/);
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
});

test("`only` ignores the case of names, also in a replay", async () => {
  const means = { profile: "mock", networks: {}, verbs: [] };
  const run = { kind: "run", version: 1, target: "http://x", startedAt: "", means } as never;
  const report = await replayEvidence([run], { only: ["mat-05"] });
  const selected = report.requirements.filter(({ reason }) => reason !== "not selected");
  const ids = selected.filter(({ verdict }) => verdict !== "excluded").map(({ id }) => id);
  expect(ids).toEqual(["MAT-05"]);
  await expect(replayEvidence([run], { only: ["x"] })).rejects.toMatchObject({ code: "usage" });
});

test("only selected groups and ids are checked, all requirements are reported", async () => {
  const ran: RequirementId[] = [];
  const ids: RequirementId[] = ["CONV-06", "AUTH-01", "AUTH-04", "PAGE-01"];
  const checks = ids.map((id) => doing(id, () => ran.push(id)));
  const progress: unknown[] = [];
  const onProgress = (step: unknown) => progress.push(step);
  const report = await runOf(checks, { only: ["AUTH", "PAGE-01"], onProgress });
  expect(ran).toEqual(ids.slice(1));
  expect(progress).toEqual(ran.map((requirement, at) => ({ done: at + 1, of: 3, requirement })));
  expect(report.requirements.map(({ id }) => id)).toEqual(requirementIds);
  expect(resultIn(report)).toMatchObject({ verdict: "skipped", reason: "not selected" });
});

test("reads run before writes, one write at a time, and comparisons run last", async () => {
  const order: string[] = [];
  const noting = (title: string, requires: Check["requires"]) => {
    const note = async () => {
      order.push(`${title} begins`);
      await new Promise(setImmediate);
      order.push(`${title} ends`);
    };
    return doing("CONV-06", note, { title, requires });
  };
  const driver: Driver = { subscribe: async () => {}, settle: async () => {} };
  const checks = [
    noting("compare", ["deliveries"]),
    noting("drive 1", ["verb:settle", "deliveries"]),
    noting("drive 2", ["writes"]),
    noting("ask 1", []),
    noting("ask 2", ["state"]),
  ];
  await runOf(checks, {}, { driver, writes: true });
  expect(order).toEqual([
    ...["ask 1 begins", "ask 2 begins", "ask 1 ends", "ask 2 ends"],
    ...["drive 1 begins", "drive 1 ends", "drive 2 begins", "drive 2 ends"],
    ...["compare begins", "compare ends"],
  ]);
});

test("a finding has its request, pointer and values, and each compared item is counted", async () => {
  const report = await runOf([
    check("CONV-06", once([{ ...breach, path: "/x" }])),
    check("CONV-06", await each([1, 2, 3], noData, () => [])),
    check("CONV-06", noData),
  ]);
  expect(resultIn(report)?.checks[0]).toMatchObject({
    reproduce: 'curl -i "http://127.0.0.1:1/cards?limit=1"',
    findings: [{ message: "GET /cards /x: expected a, got b", evidence: [1] }],
  });
  expect(report).toMatchObject({ traffic: [exchange], checks: 2, assertions: 4 });
});

test.each<[string, () => Promise<Found>]>([
  ["throws", () => Promise.reject(new Error("oops"))],
  ["throws a value that is not an error", () => Promise.reject("oops")],
  ["gives nothing", async () => undefined as never],
])("a check that %s is a suite error, not a failure of the target", async (_, faulty) => {
  const { suiteErrors, ...report } = await runOf([
    check("CONV-06", faulty, { title: "a faulty one" }),
    check("CONV-06", passes),
  ]);
  const reason = expect.stringContaining("internal error of the suite, please report it: ");
  expect(resultIn({ suiteErrors, ...report })).toMatchObject({ verdict: "skipped", reason });
  const message = expect.any(String);
  expect(suiteErrors).toEqual([{ requirement: "CONV-06", check: "a faulty one", message }]);
});

test("without a token, the checks that need one are skipped", async () => {
  const baseUrl = await serve((_request, response) => response.writeHead(403).end());
  const report = await runConformance(targetAt(baseUrl));
  expect(resultIn(report, "AUTH-01")).toMatchObject({ verdict: "failed" });
  const reason = "the token exchange returned no token: see AUTH-01 and AUTH-02";
  expect(resultIn(report, "EP-03")).toMatchObject({ verdict: "skipped", reason });
  expect(report.suiteErrors).toEqual([]);
});

test("a server without endpoints fails their checks but no limit check", async () => {
  const report = await runConformance(targetAt(await serve(withToken(notFound))));
  const failing: RequirementId[] = ["EP-01", "EP-02", "EP-11", "AUTH-04", "AUTH-07", "ERR-01"];
  for (const id of failing) expect(resultIn(report, id)).toMatchObject({ id, verdict: "failed" });
  expect(resultIn(report, "PAGE-02")?.verdict).toBe("skipped");
  expect(report.suiteErrors).toEqual([]);
});

test("a webhook port in use ends the run before it starts", async () => {
  const { port } = new URL(await serve(notFound));
  const ran = vi.fn(async () => passes);
  const running = runOf([check("CONV-06", ran)], {}, { webhooks: { ...webhooks, port: +port } });
  await expect(running).rejects.toMatchObject({ code: "port-in-use" });
  expect(ran).not.toHaveBeenCalled();
});

const looks = check(
  "CONV-06",
  async (session) => each(await session.deliveries(), noData, () => []),
  { requires: ["deliveries"] },
);
const failing = {
  rejects: () => Promise.reject(new Error("no such staging")),
  throws: () => {
    throw new Error("no such staging");
  },
};

test.each(Object.entries(failing))(
  "a driver whose subscribe %s skips delivery checks, with the reason",
  async (_, subscribe) => {
    const report = await runOf([looks], {}, { driver: { subscribe } as Driver });
    const reason = "the driver's verb subscribe was refused: no such staging";
    expect(resultIn(report)).toMatchObject({ verdict: "skipped", reason });
    expect(report.suiteErrors).toEqual([]);
  },
);

test.each<[string, () => unknown]>([
  ...Object.entries(failing),
  ["returns no promise", () => undefined],
  ["never ends", () => new Promise(() => {})],
])("a driver whose unsubscribe %s changes nothing", async (_, end) => {
  const unsubscribe = vi.fn(end) as unknown as NonNullable<Driver["unsubscribe"]>;
  const driver: Driver = { subscribe: async () => {}, unsubscribe };
  const report = await runOf([looks], { patienceMs: 50 }, { driver });
  expect(resultIn(report)).toMatchObject({ verdict: "skipped", reason: "nothing there" });
  expect(unsubscribe).toHaveBeenCalledOnce();
});

/** Interrupts a run at some point of it, and the reason why CONV-06 is then undecided. */
test.each<[string, (stop: () => void) => [Check, Partial<Target>?], reason?: string]>([
  [
    "while it subscribes",
    (stop) => [check("CONV-06", passes), { driver: { subscribe: async () => stop() } }],
  ],
  [
    "by a check that then sends a request",
    (stop) => [
      doing("CONV-06", (session) => {
        stop();
        return session.send({ method: "GET", path: "/cards" });
      }),
    ],
    "enough",
  ],
  [
    "during a verb that never ends",
    (stop) => {
      const drives = (session: Session) => {
        setImmediate(stop);
        return session.drive("settle", undefined);
      };
      const driver = { settle: () => new Promise<void>(() => {}) };
      return [doing("CONV-06", drives, { requires: ["verb:settle"] }), { driver }];
    },
    "enough",
  ],
  [
    "while it collects deliveries",
    (stop) => [
      doing("CONV-06", () => void setTimeout(stop, 20)),
      { webhooks: { ...webhooks, collectSeconds: 3_600 } },
    ],
  ],
])("a run that is interrupted %s ends with a report", async (_, make, reason) => {
  const interruption = new AbortController();
  const [interrupts, changed = {}] = make(() => interruption.abort(new Error("enough")));
  const unsubscribe = vi.fn(async () => {});
  const driver = { ...changed.driver, unsubscribe };
  const options = { signal: interruption.signal };
  const report = await runOf([interrupts], options, { ...changed, driver });
  expect(report.brokenOff).toBe("enough");
  expect(resultIn(report)?.verdict).toBe(reason ? "skipped" : "passed");
  expect(resultIn(report)?.reason).toBe(reason);
  expect(unsubscribe).toHaveBeenCalledTimes(driver.subscribe || changed.webhooks ? 1 : 0);
});

test("a signal aborted before the run leaves everything undecided", async () => {
  const report = await runOf([], { signal: AbortSignal.abort(new Error("never mind")) });
  expect(report.brokenOff).toBe("never mind");
  const verdicts = new Set(report.requirements.map(({ verdict }) => verdict));
  expect(verdicts).toEqual(new Set(["skipped", "excluded"]));
});

test("a run that exceeds its time limit stops with a report", async () => {
  const baseUrl = await serve(withToken(() => {}));
  const report = await runConformance(targetAt(baseUrl), { limitMs: 100 });
  expect(report.brokenOff).toBe("the run took longer than 0.1 s");
  expect(report.requirements).toHaveLength(requirementIds.length);
  expect(report.suiteErrors).toEqual([]);
});

test("a failing evidence callback ends the run with its error", async () => {
  const full = new Error("the disk is full");
  const onEvidence = (entry: { kind: string }) => {
    if (entry.kind === "exchange") throw full;
  };
  await expect(runOf([], { onEvidence })).rejects.toBe(full);
});

test("checks stop waiting after no delivery has arrived for a while", async () => {
  const waits = async (session: Session) => {
    for (let i = 0; i < 50; i++) await session.deliveries((came) => came.length > 0);
  };
  const waiting = doing("CONV-06", waits, { requires: ["deliveries"] });
  const report = await runOf([waiting], { patienceMs: 300 }, { webhooks });
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
  const sends = doing("CONV-06", async (session) => {
    for (const method of ["GET", "POST"]) {
      outcomes.push((await session.send({ method, path: "/x" })).response?.status);
    }
  });
  await runConformance(targetAt(baseUrl), {}, [sends]);
  expect(outcomes).toEqual([200, undefined]);
  const own = requests.filter((which) => which.endsWith(" /x"));
  expect(own).toEqual(["GET /x", "GET /x", "POST /x"]);
});
