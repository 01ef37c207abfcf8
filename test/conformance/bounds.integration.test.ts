import { request as httpRequest, type RequestListener } from "node:http";
import { expect, test } from "vitest";
import type { Driver } from "../../conformance/driver.ts";
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { renderHtml } from "../../conformance/report/html/index.ts";
import { renderJunit } from "../../conformance/report/junit.ts";
import { renderMarkdown } from "../../conformance/report/markdown.ts";
import { renderText } from "../../conformance/report/text.ts";
import { viewOf } from "../../conformance/report/view.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { serve } from "../support/local-server.ts";
import {
  always,
  findingsIn,
  itemsOf,
  page,
  respondJson,
  runTwice,
  targetAt,
  verdictsOf,
  withToken,
} from "./runs.ts";

/** Evidence and reports are bounded, list omissions, and replay to the same report. */

const MEGABYTE = 1_000_000;
const PATIENT = { patienceMs: 2_000 };

const long = (length: number) => "x".repeat(length);

/** Servers that send the largest possible responses. */
const large: Readonly<Record<string, RequestListener>> = {
  "4 MB in one string": always(JSON.stringify({ id: long(3.9 * MEGABYTE) })),
  "4 MB of blanks": always(" ".repeat(4 * MEGABYTE)),
  "4 MB of control characters": always("\x01".repeat(4 * MEGABYTE)),
  "4 MB that are not JSON": always(`{"id": ${long(3.9 * MEGABYTE)}`),
  "digits followed by other characters": always(`1${" ".repeat(20_000)}x`),
  "the maximum number of values": always(`{"_links":[${"[],".repeat(90_000)}1]}`),
  "wrong items with megabytes of values": withToken((request, response) => {
    const items = Array.from({ length: 100 }, () => ({ id: 1, [long(30_000)]: 1, status: {} }));
    respondJson(response, page(request.url, { self: { href: `/${long(10_000)}` } }, items));
  }),
  "endless links of 15 kB": (() => {
    let nr = 0;
    return withToken((request, response) => {
      nr += 1;
      const items = itemsOf(100, (at) => `${nr}-${at}-${long(12_000)}`);
      respondJson(response, page(request.url, {}, items));
    });
  })(),
};

test.each(Object.entries(large))(
  "evidence and reports are bounded if the server sends %s",
  async (_, listener) => {
    const { report, chars } = await runTwice(targetAt(await serve(listener)), PATIENT);
    expect(report.suiteErrors).toEqual([]);
    const view = viewOf(report);
    expect(chars).toBeLessThan(160 * MEGABYTE);
    for (const text of [JSON.stringify(report), renderJunit(view), renderMarkdown(view)]) {
      expect(text.length).toBeLessThan(60 * MEGABYTE);
    }
    expect(renderHtml(view).length).toBeLessThan(5 * MEGABYTE);
  },
);

test("a truncated body keeps its original size", async () => {
  const { report } = await runTwice(targetAt(await serve(always(long(20_000)))), PATIENT);
  const traffic = report.traffic.find(
    (one) => "response" in one && one.response?.cut !== undefined,
  );
  expect(traffic).toMatchObject({
    response: { body: long(10_000), cut: "not JSON, of 20000 characters" },
  });
});

test("a finding is one line without bidirectional control characters", async () => {
  const listener = withToken((request, response) => {
    const self = { href: "/cards/one" };
    respondJson(response, page(request.url, {}, [{ id: "\u202eother\u2066", _links: { self } }]));
  });
  const { report } = await runTwice(targetAt(await serve(listener)), { only: ["CONV-01"] });
  const messages = findingsIn(report);
  expect(messages.filter((message) => message.includes("other"))).not.toEqual([]);
  for (const message of messages) expect(message).toMatch(/^[ -~…]+$/);
});

/** Sends POST requests, 25 at a time. */
async function flood(url: string, count: number, body: string): Promise<number[]> {
  const post = () =>
    new Promise<number>((resolve) => {
      const headers = { "webhook-event-type": "transaction.created" };
      const sent = httpRequest(url, { method: "POST", headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      // The server may respond before it has read the body.
      sent.on("error", () => resolve(0));
      sent.end(body);
    });
  const statuses: number[] = [];
  while (statuses.length < count) {
    statuses.push(...(await Promise.all(Array.from({ length: 25 }, post))));
  }
  return statuses;
}

/** A run that is flooded when it subscribes to deliveries. */
async function flooded(sandbox: Sandbox, send: (url: string) => Promise<unknown>) {
  const { baseUrl, accounts } = sandbox;
  const driver = sandboxDriver(sandbox);
  const subscribe: Driver["subscribe"] = async (to) => {
    await driver.subscribe?.(to);
    if (to.events === undefined) await send(to.url);
  };
  const target = { baseUrl, credentials: accounts[0], profile: "full" } as const;
  return runTwice({ ...target, driver: { ...driver, subscribe } }, PATIENT);
}

const PLAIN = styleFor({ isTTY: false }, {});

test("requests at other paths change no verdict and are reported", async () => {
  await using sandbox = await createSandbox({ world: "small", seed: 7 });
  const calm = await flooded(sandbox, async () => {});
  await using other = await createSandbox({ world: "small", seed: 7 });
  const { report } = await flooded(other, async (url) => {
    const { origin } = new URL(url);
    await flood(`${origin}/webhooks`, 475, long(MEGABYTE));
  });
  expect(verdictsOf(report)).toEqual(verdictsOf(calm.report));
  expect(calm.report.refusals).toBeUndefined();
  expect(report.refusals).toEqual({ atOtherPaths: 475, tooLarge: 0, whenFull: 0 });
  const line = "the run's receiver refused 475 requests at other paths (404): not counted as";
  for (const render of [renderHtml, renderJunit, renderMarkdown]) {
    expect(render(viewOf(report)).replaceAll("&#39;", "'").replaceAll("&apos;", "'")).toContain(
      line,
    );
  }
  expect(renderText(viewOf(report), PLAIN)).toContain(line);
});

test.each<[string, number, string, object]>([
  ["too large", 50, long(MEGABYTE), { tooLarge: 50 }],
  ["too many", 200, long(500_000), { tooLarge: 0 }],
])(
  "deliveries that are %s leave requirements undecided, not failed",
  async (_, count, body, refusals) => {
    await using sandbox = await createSandbox({ world: "small", seed: 7 });
    let statuses: number[] = [];
    const { report } = await flooded(sandbox, async (url) => {
      statuses = await flood(url, count, body);
    });
    expect(statuses).not.toContain(404);
    expect(report.refusals).toMatchObject({ atOtherPaths: 0, ...refusals });
    expect(report.brokenOff).toBeUndefined();
    const failed = report.requirements.filter(({ verdict }) => verdict === "failed");
    // The second flood sends bodies that are not JSON to the receiver's own path.
    const own = count > 50 ? ["WHK-01"] : [];
    expect(failed.map(({ id }) => id).filter((id) => id !== "WHK-02")).toEqual(own);
    expect(report.claims.decided).toBeGreaterThan(100);
  },
);
