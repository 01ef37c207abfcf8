import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { afterEach, expect, test } from "vitest";
import { type Check, Unseen } from "../../conformance/check.ts";
import type { Report } from "../../conformance/report.ts";
import { runConformance } from "../../conformance/run.ts";
import type { Target } from "../../conformance/session.ts";

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

/** Answers the token exchange, and everything else as it is told. */
const withToken =
  (rest: RequestListener): RequestListener =>
  (request, response) => {
    if (!request.url?.includes("/auth/realms/")) return rest(request, response);
    response.end('{"access_token": "head.body.sign", "expires_in": 300, "token_type": "Bearer"}');
  };

const notFound: RequestListener = (_, response) => response.writeHead(404).end();

async function runAll(listener: RequestListener, changed: Partial<Target> = {}, path = "") {
  const baseUrl = (await serve(listener)) + path;
  return runConformance({ baseUrl, credentials, profile: "full", ...changed });
}

const failedIn = ({ requirements }: Report) =>
  requirements.filter(({ verdict }) => verdict === "failed").map(({ id }) => id);

test("credentials that are refused fail the token exchange, and nothing that needs a token", async () => {
  const report = await runAll((_, response) => response.writeHead(401).end());
  expect(failedIn(report)).toEqual(["AUTH-01"]);
  const reasons = report.requirements.flatMap(({ checks }) => checks.map(({ reason }) => reason));
  expect(reasons).toContain("the token exchange gave no token: see AUTH-01 and AUTH-02");
});

test("a server that knows no endpoint fails each that can be asked, and no limit", async () => {
  const report = await runAll(withToken(notFound));
  const collections = ["EP-01", "EP-02", "EP-03", "EP-06", "EP-08", "EP-09", "EP-11", "PAGE-03"];
  const unauthorized = ["AUTH-04", "AUTH-05", "AUTH-06", "AUTH-07", "ERR-01"];
  expect(failedIn(report).sort()).toEqual([...collections, ...unauthorized].sort());
});

test("totalItems on a collection in cursor style is an unknown field like any other", async () => {
  const page = { _links: { self: { href: "/subaccounts" } }, _embedded: { subaccounts: [] } };
  const report = await runAll(
    withToken((request, response) => {
      if (!request.url?.startsWith("/subaccounts")) return notFound(request, response);
      response.end(JSON.stringify({ ...page, totalItems: 0 }));
    }),
  );
  const failed = failedIn(report);
  expect(failed).not.toContain("PAGE-06");
  expect(failed).not.toContain("PAGE-07");
  const limit = report.requirements.find(({ id }) => id === "PAGE-02");
  expect(limit).toMatchObject({ verdict: "skipped" });
});

test.each([
  ["/api", "/../other/x"],
  ["/api", "/%2e%2e/other/x"],
  ["/api", "/./../../x"],
  ["", "//127.0.0.1:1/x"],
  ["", "/\\127.0.0.1:1/x"],
  ["", "http://127.0.0.1:1/x"],
])("below a base path of %j a link to %j is not followed", async (path, href) => {
  const asked: string[] = [];
  const page = { _embedded: { cards: [{ _links: { self: { href } } }] } };
  await runAll(
    withToken((request, response) => {
      asked.push(request.url ?? "");
      response.end(JSON.stringify(page));
    }),
    {},
    path,
  );
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter((url) => !url.startsWith(`${path}/`) || url.endsWith("/x"))).toEqual([]);
});

test.each([
  { accountId: "account-one", clientId: "127", clientSecret: "canary-secret" },
  { accountId: "account-one", clientId: "head.b", clientSecret: 'canary"secret' },
  { accountId: "account-one", clientId: "my(client)", clientSecret: "canary+(secret)" },
])("a server that echoes what it gets gives no secret away: $clientId", async (secrets) => {
  const listener = withToken((request, response) => {
    const { authorization = "" } = request.headers;
    response.end(JSON.stringify({ id: secrets.clientSecret, _links: authorization }));
  });
  const text = JSON.stringify(await runAll(listener, { credentials: secrets }));
  for (const canary of [secrets.clientSecret, "canary", "head.body.sign"]) {
    expect(text).not.toContain(canary);
  }
  expect(text).not.toContain(encodeURIComponent(secrets.clientSecret));
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
