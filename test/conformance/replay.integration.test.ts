import { request as httpRequest, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import { once } from "../../conformance/assert.ts";
import type { Check } from "../../conformance/check.ts";
import type { Driver } from "../../conformance/driver.ts";
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import type { Report } from "../../conformance/report/report.ts";
import { type RunOptions, replayEvidence, runConformance } from "../../conformance/run/run.ts";
import type { Target } from "../../conformance/target.ts";
import type { Evidence } from "../../conformance/wire/evidence.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { notFound, serve } from "../support/local-server.ts";
import { uuid } from "../support/payloads.ts";
import { always, itemsOf, page, respondJson } from "./hostile.ts";
import { withToken } from "./serve.ts";

/** Replayed evidence gives the same report, byte by byte. */

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };

/** The full profile against a sandbox. */
function targetOf(sandbox: Sandbox): Target {
  const [own, second] = sandbox.accounts;
  const { sdkClientId: clientId, sdkClientSecret: clientSecret } = own;
  return {
    ...{ baseUrl: sandbox.baseUrl, credentials: own, secondAccount: second },
    sdkCredentials: { clientId, clientSecret },
    ...{ profile: "full", writes: true, driver: sandboxDriver(sandbox) },
  };
}

/** Runs the suite and replays its evidence from JSON lines. */
async function runTwice(target: Target, options: RunOptions = {}, checks?: readonly Check[]) {
  const lines: string[] = [];
  const onEvidence = (entry: Evidence) => lines.push(JSON.stringify(entry));
  const report = await runConformance(target, { ...options, onEvidence }, checks);
  const evidence = lines.map((line): Evidence => JSON.parse(line));
  const { only, strict } = options;
  const again = await replayEvidence(evidence, { only, strict }, checks);
  return { report, again, evidence };
}

const verdicts = ({ requirements }: Report) => requirements.map(({ id, verdict }) => [id, verdict]);

test("a run against the unmodified sandbox", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const { report, again, evidence } = await runTwice(targetOf(sandbox));
  expect(JSON.stringify(again)).toBe(JSON.stringify(report));
  // Pass options again, because the evidence does not contain them.
  const strict = await replayEvidence(evidence, { strict: true });
  expect(verdicts(strict)).toEqual(verdicts(report));
  const auth = await replayEvidence(evidence, { only: ["AUTH"] });
  for (const { id, verdict, reason } of auth.requirements) {
    if (id.startsWith("AUTH")) {
      expect([id, verdict]).toEqual([id, report.requirements.find((r) => r.id === id)?.verdict]);
    } else if (verdict !== "excluded") expect(reason).toBe("not selected");
  }
});

test.each([1, 8, 32])("the verdicts are the same at a concurrency of %d", async (concurrency) => {
  await using sandbox = await createSandbox({ world: "small", seed: 7 });
  const { report, again } = await runTwice(targetOf(sandbox), { concurrency });
  expect(JSON.stringify(again)).toBe(JSON.stringify(report));
  expect(report.requirements.filter(({ verdict }) => verdict === "failed")).toEqual([]);
  expect(verdicts(report)).toEqual(await verdictsOnce());
});

let known: Promise<unknown> | undefined;

/** The verdicts of another run on the same seed. */
function verdictsOnce(): Promise<unknown> {
  known ??= (async () => {
    await using sandbox = await createSandbox({ world: "small", seed: 7 });
    return verdicts(await runConformance(targetOf(sandbox)));
  })();
  return known;
}

/** A deterministic pseudo-random generator. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const faulty: Readonly<Record<string, RequestListener>> = {
  "knows nothing": withToken(notFound),
  "has broken items": withToken((request, response) => {
    const items = [{ id: 1 }, null, ...itemsOf(3, uuid), { id: uuid(9), _links: { self: {} } }];
    respondJson(response, page(request.url, { self: { href: "/x" }, next: { href: "/x" } }, items));
  }),
  "sends all kinds of text": always(Buffer.from('{"a":"\\ud800 \u0000 \u2028 é \xff"}', "latin1")),
  "hangs on some requests": withToken((request, response) => {
    if (!/card|bank/.test(request.url ?? "")) notFound(request, response);
  }),
  "resets some connections": withToken((request, response) => {
    if (/card|bank/.test(request.url ?? "")) request.socket.destroy();
    else respondJson(response, page(request.url, {}, itemsOf(5, uuid)));
  }),
  "resets every connection after a while": (() => {
    let answered = 0;
    return withToken((request, response) => {
      answered += 1;
      if (answered > 30) request.socket.destroy();
      else respondJson(response, page(request.url, {}, itemsOf(5, uuid)));
    });
  })(),
  "sends random statuses, late": (() => {
    const next = random(3);
    return withToken((request, response) => {
      const status = [200, 200, 401, 404, 500][Math.floor(next() * 5)] ?? 200;
      const body = page(request.url, {}, itemsOf(Math.floor(next() * 9), uuid));
      setTimeout(() => response.writeHead(status).end(body), next() * 10);
    });
  })(),
};

test.each(Object.entries(faulty))("a run against a server that %s", async (_, listener) => {
  const baseUrl = await serve(listener);
  const target: Target = { baseUrl, credentials, profile: "full" };
  for (const options of [{}, { only: ["AUTH", "PAGE", "CONV-06"], strict: true }]) {
    const { report, again } = await runTwice(target, { patienceMs: 500, ...options });
    expect(JSON.stringify(again)).toBe(JSON.stringify(report));
    expect(report.summary.failed).toBeGreaterThan(0);
  }
});

test("a run whose credentials are refused", async () => {
  const baseUrl = await serve((_request, response) => response.writeHead(401).end());
  const evidence: Evidence[] = [];
  const target: Target = { baseUrl, credentials, profile: "full" };
  const options = { onEvidence: (entry: Evidence) => evidence.push(entry) };
  const live = await runConformance(target, options).catch((error: unknown) => error);
  expect(live).toMatchObject({ code: "refused-credentials" });
  await expect(replayEvidence(evidence)).rejects.toEqual(live);
});

test("a run that is stopped at any point", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const next = random(11);
  for (let i = 0; i < 12; i++) {
    const stop = new AbortController();
    let left = Math.floor(next() ** 2 * 1_500);
    const onProgress = () => {};
    const lines: Evidence[] = [];
    const report = await runConformance(targetOf(sandbox), {
      ...{ signal: stop.signal, concurrency: 1 + Math.floor(next() * 16), onProgress },
      onEvidence: (entry) => {
        lines.push(JSON.parse(JSON.stringify(entry)));
        left -= 1;
        if (left < 0) stop.abort(new Error("stopped by the test"));
      },
    });
    expect(report.suiteErrors).toEqual([]);
    expect(JSON.stringify(await replayEvidence(lines))).toBe(JSON.stringify(report));
  }
});

test("incomplete evidence is replayed as a run that was stopped", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const { report, evidence } = await runTwice(targetOf(sandbox));
  const next = random(5);
  for (let i = 0; i < 8; i++) {
    const kept = evidence.slice(0, 1 + Math.floor(next() * (evidence.length - 1)));
    const again = await replayEvidence(kept);
    expect(again.brokenOff).toBe("the evidence is incomplete");
    expect(again.suiteErrors).toEqual([]);
    expect(again.summary.passed).toBeLessThanOrEqual(report.summary.passed);
  }
});

/** Sends deliveries throughout the run. */
const deliversByItself: Driver = {
  subscribe: async ({ url }) => {
    let left = 40;
    const sending = setInterval(() => {
      left -= 1;
      if (left < 0) return clearInterval(sending);
      const headers = { "webhook-event-type": "transaction.created" };
      const sent = httpRequest(url, { method: "POST", headers }).on("error", () => {});
      sent.end(left % 3 === 0 ? "{" : JSON.stringify({ id: uuid(left), _links: {} }));
    }, 10);
  },
};

test("a run with deliveries throughout", async () => {
  const baseUrl = await serve(withToken(notFound));
  const webhooks = { host: "127.0.0.1", port: 0, collectSeconds: 1 };
  const driver = deliversByItself;
  const target: Target = { baseUrl, credentials, profile: "full", webhooks, driver };
  const { report, again, evidence } = await runTwice(target);
  expect(evidence.filter(({ kind }) => kind === "delivery").length).toBeGreaterThan(5);
  expect(JSON.stringify(again)).toBe(JSON.stringify(report));
});

test("a run whose driver refuses, returns nonsense or can't subscribe", async () => {
  const refuse = () => Promise.reject(new Error("not on Sundays"));
  const nonsense = async () => ({ cardId: 7 }) as never;
  for (const subscribe of [async () => {}, refuse]) {
    const driver: Driver = {
      ...{ subscribe, enroll: nonsense, startLink: refuse, authorize: nonsense, settle: refuse },
    };
    const baseUrl = await serve(withToken(notFound));
    const target: Target = { baseUrl, credentials, profile: "full", driver, writes: true };
    const { report, again } = await runTwice(target, { patienceMs: 300 });
    expect(JSON.stringify(again)).toBe(JSON.stringify(report));
  }
});

test("responses have the same order in the replay", async () => {
  const order: string[][] = [];
  const racing: Check = {
    ...{ claims: ["CONV-06.json"], title: "a race", requires: [] },
    run: async (session) => {
      const came: string[] = [];
      order.push(came);
      const ask = async (path: string) => {
        const { response } = await session.send({ method: "GET", path });
        came.push(`${path} ${response?.body}`);
        if (path.length < 4) await ask(`${path}x`);
      };
      // Identical requests each get their own response.
      await Promise.all(["/a", "/b", "/b", "/b", "/c"].map(ask));
      return once([]);
    },
  };
  let nr = 0;
  const next = random(23);
  const baseUrl = await serve((_request, response) => {
    nr += 1;
    setTimeout((body: string) => response.end(body), next() * 20, `"${nr}"`);
  });
  const target: Target = { baseUrl, credentials, profile: "full" };
  await runTwice(target, { only: ["CONV-06"] }, [racing]);
  expect(order[0]).toHaveLength(15);
  expect(order[1]).toEqual(order[0]);
});

test("requests that the evidence lacks leave requirements undecided", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const { evidence } = await runTwice(targetOf(sandbox), { only: ["AUTH-01"] });
  const again = await replayEvidence(evidence, { only: ["AUTH"] });
  const { verdict, reason } = again.requirements.find(({ id }) => id === "AUTH-07") ?? {};
  expect([verdict, reason]).toEqual(["skipped", "the evidence does not contain it"]);
  expect(again.suiteErrors).toEqual([]);
});
