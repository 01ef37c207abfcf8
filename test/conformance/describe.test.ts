import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { ROOT } from "../document.ts";

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

let sandbox: Sandbox;
let dir: string;

beforeAll(async () => {
  sandbox = await createSandbox({ world: "small" });
  dir = await mkdtemp(join(tmpdir(), "txfeed-vitest-"));
});

afterAll(async () => {
  await sandbox.close();
  await rm(dir, { recursive: true });
});

/** Runs a test file of a team's in a Vitest of its own; gives what its JSON reporter says. */
async function runVitest(target: object) {
  const file = join(dir, "team.test.ts");
  await writeFile(
    file,
    `import { describeConformance } from ${JSON.stringify(join(ROOT, "conformance/vitest.ts"))};
describeConformance(${JSON.stringify(target)});`,
  );
  const program = spawn(
    process.execPath,
    [VITEST, "run", "--root", dir, "--reporter=json", `--outputFile=${join(dir, "report.json")}`],
    { cwd: ROOT, stdio: "ignore" },
  );
  const [status] = await once(program, "close");
  const report = JSON.parse(await readFile(join(dir, "report.json"), "utf8"));
  const tests: { title: string; status: string; failureMessages: string[] }[] =
    report.testResults[0].assertionResults;
  return { status, tests };
}

test("a target that keeps to the interface passes, and what was not looked at is skipped", async () => {
  const [credentials] = sandbox.accounts;
  const { baseUrl } = sandbox;
  const { status, tests } = await runVitest({ baseUrl, credentials, profile: "full" });
  expect(status).toBe(0);
  expect(tests).toHaveLength(143);
  const count = (wanted: string) => tests.filter((done) => done.status === wanted).length;
  expect(count("failed")).toBe(0);
  expect(count("passed")).toBeGreaterThan(40);
  // What binds the caller at least.
  expect(count("passed")).toBeLessThanOrEqual(143 - 15);
});

test("what fails fails in a team's Vitest, by its id and with a curl line", async () => {
  const [credentials] = sandbox.accounts;
  // The sandbox, but for a page that nobody may see.
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith("/bank-links")) {
      response.writeHead(500).end("oops");
      return;
    }
    const chunks = await request.toArray();
    const answer = await fetch(sandbox.baseUrl + request.url, {
      method: request.method ?? "GET",
      headers: Object.entries(request.headers).flatMap(([name, value]) =>
        typeof value === "string" && name !== "host" && name !== "connection"
          ? [[name, value] as [string, string]]
          : [],
      ),
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const headers = { "content-type": answer.headers.get("content-type") ?? "" };
    response.writeHead(answer.status, headers).end(await answer.text());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { status, tests } = await runVitest({ baseUrl, credentials, profile: "full" });
    expect(status).toBe(1);
    expect(tests).toHaveLength(143);
    const failed = tests.filter((done) => done.status === "failed");
    expect(failed.map(({ title }) => title.slice(0, 5))).toContain("EP-06");
    const [message = ""] =
      failed.find(({ title }) => title.startsWith("EP-06"))?.failureMessages ?? [];
    expect(message).toContain("expected 200 with JSON, got 500");
    expect(message).toMatch(/curl -i ".*\/bank-links/);
    expect(message).not.toContain("    at ");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
