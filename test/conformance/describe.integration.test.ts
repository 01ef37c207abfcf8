import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { requirementOf } from "../../conformance/check.ts";
import { checks } from "../../conformance/checks/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { notFound, serve } from "../support/local-server.ts";
import { tempDir } from "../support/temp-dir.ts";
import { inState, runVitest } from "./vitest-run.ts";

const EXCLUDED = 15;

/** Starts the sandbox as a target without a driver. */
async function startTarget() {
  const sandbox = await createSandbox({ world: "small" });
  onTestFinished(() => sandbox.close());
  const [credentials] = sandbox.accounts;
  return { baseUrl: sandbox.baseUrl, credentials, profile: "full" };
}

/** Returns a handler that forwards requests to a server after `before` resolves. */
function forwarding(to: string, before?: (request: IncomingMessage) => Promise<void>) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await request.toArray());
    await before?.(request);
    const { authorization, "content-type": type } = request.headers;
    const forwarded = await fetch(to + request.url, {
      method: request.method ?? "GET",
      headers: { ...(authorization && { authorization }), ...(type && { "content-type": type }) },
      ...(body.length > 0 && { body }),
    });
    const headers = { "content-type": forwarded.headers.get("content-type") ?? "" };
    response.writeHead(forwarded.status, headers).end(await forwarded.text());
  };
}

const TARGET = {
  credentials: { accountId: "a", clientId: "b", clientSecret: "c-secret" },
  profile: "full",
};

const describing = (target: object, options = {}) =>
  `describeConformance(${JSON.stringify(target)}, ${JSON.stringify(options)});`;

test("each check is one test, named by its id and title, also in JUnit", async () => {
  const file = join(tempDir(), "junit.xml");
  const args = ["--reporter=junit", `--outputFile.junit=${file}`];
  const { status, tests } = await runVitest({ source: describing(await startTarget()), args });
  expect(status).toBe(0);
  const names = tests.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toHaveLength(checks.length + EXCLUDED);
  const missing = checks.filter(
    (check) => !names.includes(`${requirementOf(check)} ${check.title}`),
  );
  expect(missing).toEqual([]);
  const junit = await readFile(file, "utf8");
  expect(junit.match(/<testcase /g)).toHaveLength(names.length);
  expect(junit).toContain("TXN-01 every body");

  expect(inState(tests, "failed")).toEqual([]);
  expect(inState(tests, "passed").length).toBeGreaterThan(150);
  const skipped = inState(tests, "skipped");
  expect(skipped.filter(({ note }) => !note)).toEqual([]);
  expect(skipped).toContainEqual(
    expect.objectContaining({
      name: "AUTH-01 the SDK client gets 200 with JSON",
      note: "requires SDK credentials: give sdkCredentials",
    }),
  );
  const flagged = skipped.filter(({ note = "" }) => /--[a-z]|TXFEED_/.test(note));
  expect(flagged.map(({ note }) => note)).toEqual([]);
});

test("results are reported while the run continues", async () => {
  const target = await startTarget();
  const eventFile = join(tempDir(), "events");
  let waited = 0;
  const baseUrl = await serve(
    forwarding(target.baseUrl, async ({ url = "", headers }) => {
      // Only later checks send requests without a token.
      if (url.startsWith("/auth/") || headers.authorization) return;
      while (!(await readFile(eventFile, "utf8")).includes('"end"')) await sleep(20);
      waited += 1;
    }),
  );
  const { status } = await runVitest({ source: describing({ ...target, baseUrl }), eventFile });
  expect(status).toBe(0);
  expect(waited).toBeGreaterThan(0);
});

test("-t with an id runs only the checks of that requirement", async () => {
  const file = join(tempDir(), "scopes");
  const source = `import { appendFileSync } from "node:fs";
    const onEvidence = ({ scope = "" }) => appendFileSync(${JSON.stringify(file)}, scope + "\\n");
    describeConformance(${JSON.stringify(await startTarget())}, { onEvidence });`;
  const { status, tests } = await runVitest({ source, args: ["-t", "AUTH-07"] });
  expect(status).toBe(0);
  const ran = tests.filter(({ state, note }) => state !== "skipped" || note);
  expect(ran.map(({ name }) => name.slice(0, 7))).toEqual(
    checks.filter((check) => requirementOf(check) === "AUTH-07").map(() => "AUTH-07"),
  );
  const scopes = new Set((await readFile(file, "utf8")).split("\n"));
  const ofChecks = [...scopes].filter((scope) => /^[A-Z]+-\d\d: /.test(scope));
  expect(ofChecks.length).toBeGreaterThan(0);
  expect(ofChecks.filter((scope) => !scope.startsWith("AUTH-07: "))).toEqual([]);
});

test("Vitest's order, concurrency and retry options do not change a run", async () => {
  const args = ["--sequence.shuffle", "--sequence.concurrent", "--retry=2"];
  const { status, tests, order } = await runVitest({
    source: describing(await startTarget()),
    args,
  });
  expect(status).toBe(0);
  expect(tests).toHaveLength(checks.length + EXCLUDED);
  expect(order.findLast(({ event }) => event === "begin")?.name).toMatch(/^VER-02 /);
});

test("a failed test shows expected, actual and curl, but no stack trace", async () => {
  const target = await startTarget();
  const forward = forwarding(target.baseUrl);
  const baseUrl = await serve((request, response) => {
    if (request.url?.startsWith("/bank-links")) response.writeHead(500).end("oops");
    else forward(request, response);
  });
  const { status, tests } = await runVitest({ source: describing({ ...target, baseUrl }) });
  expect(status).toBe(1);
  const failed = inState(tests, "failed");
  const [message = ""] = failed.find(({ name }) => name.startsWith("EP-06"))?.errors ?? [];
  expect(message).toContain("GET /bank-links: expected 200 with JSON, got 500");
  expect(message).toMatch(/\ncurl -i ".*\/bank-links/);
  const [last, ...others] = message.split("\n").reverse();
  expect(last).toBe(
    "$TXFEED_… are placeholders for secrets: set these variables to run the curl lines",
  );
  expect(others).not.toContain(last);
  expect(failed.flatMap(({ errors }) => errors).join("\n")).not.toContain("    at ");
});

test.each<[string, string]>([
  ["the target is unreachable", describing({ ...TARGET, baseUrl: "http://127.0.0.1:4" })],
  ["a server does not start", `describeConformance(() => { throw new Error("no server"); });`],
])("one test fails if %s, and the others are skipped", async (_what, source) => {
  const { status, tests } = await runVitest({ source });
  expect(status).toBe(1);
  const [failed, ...more] = inState(tests, "failed");
  expect(more).toEqual([]);
  expect(failed?.errors[0]).toMatch(/^(can't reach http:\/\/127.0.0.1:4: .+|Error: no s.+)/);
  const [skipped] = inState(tests, "skipped");
  expect(skipped?.note).toMatch(/^the run ended early: (can't reach|no server)/);
});

test("a run that exceeds its time limit stops with one error", async () => {
  // The server never responds.
  const baseUrl = await serve((request) => request.resume());
  const target = { ...TARGET, baseUrl };
  const { status, output, tests } = await runVitest({
    source: describing(target, { timeoutMs: 300 }),
  });
  expect(status).toBe(1);
  expect(inState(tests, "failed")).toEqual([]);
  expect(output).toContain("the run was aborted: the run took longer than 0.3 s");
});

test("a function returns the target once, before the first check", async () => {
  const baseUrl = await serve(notFound);
  const target = { ...TARGET, baseUrl };
  const source = `let calls = 0;
    describeConformance(async () => {
      calls += 1;
      if (calls > 1) throw new Error("called again");
      return ${JSON.stringify(target)};
    });`;
  const { tests } = await runVitest({ source, args: ["-t", "AUTH-0"] });
  const errors = tests.flatMap((each) => each.errors);
  expect(errors.length).toBeGreaterThan(0);
  expect(errors.join("\n")).not.toContain("called again");
});
