import { request as httpRequest, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import type { Driver } from "../../conformance/driver.ts";
import { replayEvidence, runConformance } from "../../conformance/run/run.ts";
import type { Evidence } from "../../conformance/wire/evidence.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { notFound, serve } from "../support/local-server.ts";
import { uuid } from "../support/payloads.ts";
import { randomFrom } from "../support/random.ts";
import { doing } from "./run/some-checks.ts";
import {
  always,
  fullTarget,
  itemsOf,
  page,
  respondJson,
  runTwice,
  targetAt,
  withToken,
} from "./runs.ts";

/** Replayed evidence gives the same report, byte by byte, whatever the target does. */

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
    const next = randomFrom(3);
    return withToken((request, response) => {
      const status = [200, 200, 401, 404, 500][Math.floor(next() * 5)] ?? 200;
      const body = page(request.url, {}, itemsOf(Math.floor(next() * 9), uuid));
      setTimeout(() => response.writeHead(status).end(body), next() * 10);
    });
  })(),
};

test.each(Object.entries(faulty))("a run against a server that %s", async (_, listener) => {
  const target = targetAt(await serve(listener));
  for (const options of [{}, { only: ["AUTH", "PAGE", "CONV-06"], strict: true }]) {
    const { report } = await runTwice(target, { patienceMs: 500, ...options });
    expect(report.summary.failed).toBeGreaterThan(0);
  }
});

test("a run whose credentials are refused", async () => {
  const baseUrl = await serve((_request, response) => response.writeHead(401).end());
  const evidence: Evidence[] = [];
  const onEvidence = (entry: Evidence) => evidence.push(entry);
  const live = await runConformance(targetAt(baseUrl), { onEvidence }).catch((error) => error);
  expect(live).toMatchObject({ code: "refused-credentials" });
  await expect(replayEvidence(evidence)).rejects.toEqual(live);
});

test("a run that is stopped at any point", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const next = randomFrom(11);
  for (let i = 0; i < 8; i++) {
    const stop = new AbortController();
    const concurrency = 1 + Math.floor(next() * 16);
    let left = Math.floor(next() ** 2 * 1_500);
    const evidence: Evidence[] = [];
    const report = await runConformance(fullTarget(sandbox), {
      ...{ signal: stop.signal, concurrency },
      onEvidence: (entry) => {
        evidence.push(JSON.parse(JSON.stringify(entry)));
        left -= 1;
        if (left < 0) stop.abort(new Error("stopped by the test"));
      },
    });
    expect(report.suiteErrors).toEqual([]);
    expect(JSON.stringify(await replayEvidence(evidence))).toBe(JSON.stringify(report));
  }
});

test("a run with deliveries throughout", async () => {
  const subscribe: Driver["subscribe"] = async ({ url }) => {
    let left = 40;
    const sending = setInterval(() => {
      left -= 1;
      if (left < 0) return clearInterval(sending);
      const headers = { "webhook-event-type": "transaction.created" };
      const sent = httpRequest(url, { method: "POST", headers }).on("error", () => {});
      sent.end(left % 3 === 0 ? "{" : JSON.stringify({ id: uuid(left), _links: {} }));
    }, 10);
  };
  const webhooks = { host: "127.0.0.1", port: 0, collectSeconds: 1 };
  const target = targetAt(await serve(withToken(notFound)), { webhooks, driver: { subscribe } });
  const { evidence } = await runTwice(target);
  expect(evidence.filter(({ kind }) => kind === "delivery").length).toBeGreaterThan(5);
});

test("a run whose driver refuses, returns nonsense or can't subscribe", async () => {
  const refuse = () => Promise.reject(new Error("not on Sundays"));
  const nonsense = async () => ({ cardId: 7 }) as never;
  const verbs = { enroll: nonsense, startLink: refuse, authorize: nonsense, settle: refuse };
  for (const subscribe of [async () => {}, refuse]) {
    const driver: Driver = { ...verbs, subscribe };
    const target = targetAt(await serve(withToken(notFound)), { driver, writes: true });
    await runTwice(target, { patienceMs: 300 });
  }
});

test("a run whose responses race", async () => {
  const order: string[][] = [];
  const racing = doing("CONV-06", async (session) => {
    const came: string[] = [];
    order.push(came);
    const ask = async (path: string) => {
      const { response } = await session.send({ method: "GET", path });
      came.push(`${path} ${response?.body}`);
      if (path.length < 4) await ask(`${path}x`);
    };
    // Identical requests each get their own response.
    await Promise.all(["/a", "/b", "/b", "/b", "/c"].map(ask));
  });
  let nr = 0;
  const next = randomFrom(23);
  const baseUrl = await serve((_request, response) => {
    nr += 1;
    setTimeout((body: string) => response.end(body), next() * 20, `"${nr}"`);
  });
  await runTwice(targetAt(baseUrl), { only: ["CONV-06"] }, [racing]);
  expect(order[0]).toHaveLength(15);
  expect(order[1]).toEqual(order[0]);
});
