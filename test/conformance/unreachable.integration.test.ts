import { readFile, writeFile } from "node:fs/promises";
import { createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runConformance } from "../../conformance/run/run.ts";
import { notFound, serve } from "../support/local-server.ts";
import { run } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { withToken } from "./serve.ts";
import { inState, runVitest } from "./vitest-run.ts";

/** Both runners stop with one line if the target does not respond, or refuses the credentials. */

const credentials = { accountId: "a", clientId: "b", clientSecret: "c-secret" };

const tcp = (speak: (socket: Socket) => void) =>
  serve(createTcpServer((socket) => speak(socket.on("error", () => {}))));

const flags = ["--account-id", "a", "--client-id", "b", "--client-secret", "c-secret"];

/** Refuses every request. */
const refusing = (status: number, body: string, headers: Record<string, string> = {}) =>
  serve((request, response) => {
    request.resume();
    response.writeHead(status, headers).end(body);
  });

const UNREACHABLE = /^can't reach \S+: /;
const REFUSED = /^the token endpoint refuses these credentials: POST \S+ got 40[01]; check the/;

test.each<[string, () => Promise<string>, RegExp]>([
  ["refuses every connection", async () => "http://127.0.0.1:4", UNREACHABLE],
  ["resets every socket", () => tcp((socket) => socket.destroy()), UNREACHABLE],
  ["speaks no TLS", async () => (await serve(notFound)).replace("http:", "https:"), UNREACHABLE],
  ["refuses the credentials", () => refusing(401, ""), REFUSED],
  ["names an invalid client", () => refusing(400, '{"error":"invalid_client"}'), REFUSED],
  [
    "names an invalid client in the way of RFC 6749",
    () => refusing(401, '{"error":"invalid_client"}', { "www-authenticate": "Basic" }),
    /^the token endpoint refuses these credentials: POST \S+ got 401 asking for Basic; check the/,
  ],
  [
    "is behind a gateway with a challenge",
    () => refusing(401, "", { "www-authenticate": 'Basic realm="staging"' }),
    /^a gateway before \S+ refuses the run: POST \S+ got 401 asking for Basic realm="staging", /,
  ],
  [
    "is behind a gateway with a page",
    () => refusing(401, "<html>Log in</html>", { "content-type": "text/html" }),
    /^a gateway before \S+ refuses the run: POST \S+ got 401 with text\/html that is not JSON, /,
  ],
])("a server that %s ends the run with one line", async (_what, start, message) => {
  const run = runConformance({ baseUrl: await start(), credentials, profile: "full" });
  const error = await run.catch((error: unknown) => error);
  const code = message === UNREACHABLE ? "unreachable" : "refused-credentials";
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  expect((error as Error).message).toMatch(/^[^\n]*[^\n ]$/);
});

test.each<[string, () => Promise<string>, RegExp]>([
  ["does not respond", () => tcp((socket) => socket.destroy()), UNREACHABLE],
  ["refuses the credentials", () => refusing(401, ""), REFUSED],
])("if a server %s, one test fails, and the exit status is 3", async (_what, start, message) => {
  const baseUrl = await start();
  const { status, stderr } = await run("bin/txfeed.ts", ["conformance", baseUrl, ...flags]);
  expect(status).toBe(3);
  expect(/^txfeed: (.+)\n$/.exec(stderr)?.[1]).toMatch(message);

  const target = { baseUrl, credentials, profile: "full" };
  const ran = await runVitest({ source: `describeConformance(${JSON.stringify(target)});` });
  expect(ran.status).toBe(1);
  const [failed, ...more] = inState(ran.tests, "failed");
  expect(more).toEqual([]);
  expect(failed?.errors[0]).toMatch(message);
  expect(inState(ran.tests, "passed")).toEqual([]);
  expect(ran.output).not.toContain("Failed Suites");
  const notes = new Set(inState(ran.tests, "skipped").map(({ note }) => note));
  expect(notes).toContain(`the run ended early: ${failed?.errors[0]}`);
});

test("an unreachable target keeps the evidence of an earlier run", async () => {
  const evidence = join(tempDir(), "earlier.ndjson");
  await writeFile(evidence, "earlier\n");
  await run("bin/txfeed.ts", [
    "conformance",
    "http://127.0.0.1:4",
    ...flags,
    "--evidence",
    evidence,
  ]);
  expect(await readFile(evidence, "utf8")).toBe("earlier\n");
});

test("a server that responds only to the token exchange gets verdicts", async () => {
  const baseUrl = await serve(withToken((request) => request.destroy()));
  const target = { baseUrl, credentials, profile: "full" };
  const source = `describeConformance(${JSON.stringify(target)}, { only: ["AUTH-01", "AUTH-07"] });`;
  const { tests } = await runVitest({ source });
  expect(inState(tests, "passed").map(({ name }) => name)).toContain(
    "AUTH-01 the API client gets 200 with JSON",
  );
  expect(inState(tests, "failed").length).toBeGreaterThan(5);
});

test("a server without the token exchange gets verdicts", async () => {
  const baseUrl = await serve((request, response) => {
    if (request.url?.startsWith("/auth/")) request.destroy();
    else response.writeHead(401).end();
  });
  const target = { baseUrl, credentials, profile: "full" };
  const source = `describeConformance(${JSON.stringify(target)}, { only: ["AUTH-01", "AUTH-07"] });`;
  const { tests } = await runVitest({ source });
  expect(inState(tests, "failed").map(({ name }) => name)).toEqual([
    expect.stringMatching(/^AUTH-01 the API client/),
    expect.stringMatching(/^AUTH-01 a second request/),
  ]);
  expect(inState(tests, "passed").length).toBeGreaterThan(5);
});
