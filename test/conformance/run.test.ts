import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { afterEach, expect, test } from "vitest";
import { type Check, Unseen } from "../../conformance/check.ts";
import { runConformance } from "../../conformance/run.ts";

/** What the runner makes of checks and of targets that misbehave. */
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };

/** Runs some checks against a server; gives what became of their requirement. */
async function run(listener: RequestListener, checks: Check[]) {
  const baseUrl = await serve(listener);
  const report = await runConformance({ baseUrl, credentials, profile: "full" }, checks);
  const [{ requirement } = { requirement: "CONV-01" }] = checks;
  return report.requirements.find(({ id }) => id === requirement);
}

const check = (result: Awaited<ReturnType<Check["run"]>>, title = "a fact"): Check => {
  return { requirement: "CONV-06", title, needs: [], run: async () => result };
};

const ok: RequestListener = (_request, response) => response.end("{}");
const exchange = {
  request: { method: "GET", url: "http://127.0.0.1:1/cards?limit=1", headers: {} },
  durationMs: 1,
};
const breach = { expected: "a", actual: "b", exchange };

test("a requirement passes only when each of its checks does", async () => {
  expect(await run(ok, [check([]), check([])])).toMatchObject({ verdict: "passed" });
  expect(await run(ok, [check([]), check(new Unseen("nothing there"))])).toMatchObject({
    verdict: "skipped",
    reason: "nothing there",
  });
  expect(await run(ok, [check([]), check([breach])])).toMatchObject({ verdict: "failed" });
});

test("a breach of a derived requirement is a warning", async () => {
  const derived: Check = { ...check([breach]), requirement: "CONV-07" };
  const result = await run(ok, [derived]);
  expect(result).toMatchObject({ verdict: "warned" });
  expect(result?.checks[0]?.findings?.[0]?.level).toBe("warning");
});

test("a fault of the suite is told as its own, and never as the target's", async () => {
  const broken: Check = {
    ...check([]),
    run: async () => {
      throw new Error("oops");
    },
  };
  expect(await run(ok, [broken])).toMatchObject({
    verdict: "skipped",
    reason: "a fault of the suite, please report it: oops",
  });
});

test("a finding names the request, the pointer, and what was expected and came", async () => {
  const result = await run(ok, [check([{ ...breach, path: "/x" }])]);
  expect(result?.checks[0]).toMatchObject({
    reproduce: 'curl -i "http://127.0.0.1:1/cards?limit=1"',
    findings: [{ requirement: "CONV-06", message: "GET /cards /x: expected a, got b" }],
  });
});

test.each<[string, RequestListener]>([
  ["HTML error pages", (_, response) => response.writeHead(500).end("<html>oops</html>")],
  ["garbage JSON", (_, response) => response.end('{"access_token": "x", ')],
  ["JSON null", (_, response) => response.end("null")],
  ["an empty array", (_, response) => response.end("[]")],
  ["resets, after the first answer", resetting()],
  ["redirects elsewhere", (_, response) => redirect(response, "http://127.0.0.1:1/elsewhere")],
  ["links off its origin", (_, response) => response.end(JSON.stringify(LEADING_OFF))],
])(
  "against a server of %s the run ends with a report, and tells no secret",
  async (_, listener) => {
    const urls: string[] = [];
    const baseUrl = await serve((request, response) => {
      urls.push(request.headers.host ?? "");
      listener(request, response);
    });
    const report = await runConformance({ baseUrl, credentials, profile: "full" });
    expect(report.requirements).toHaveLength(143);
    expect(report.summary.failed).toBeGreaterThan(0);
    expect(JSON.stringify(report)).not.toContain("canary-secret");
    expect(JSON.stringify(report)).not.toContain("a fault of the suite");
    expect(new Set(urls)).toEqual(new Set([new URL(baseUrl).host]));
  },
);

const LEADING_OFF = {
  id: "00000000-0000-4000-8000-000000000000",
  access_token: "a.b.c",
  _links: { self: { href: "//127.0.0.1:1/" }, next: { href: "http://127.0.0.1:1/" } },
  _embedded: { cards: [{ _links: { self: { href: "//127.0.0.1:1/cards/1" } } }] },
};

function resetting(): RequestListener {
  let answered = false;
  return (request, response) => {
    if (answered) request.socket.destroy();
    else response.end('{"access_token": "a.b.c", "expires_in": 300, "token_type": "Bearer"}');
    answered = true;
  };
}

function redirect(response: Parameters<RequestListener>[1], location: string): void {
  response.writeHead(302, { location }).end();
}
