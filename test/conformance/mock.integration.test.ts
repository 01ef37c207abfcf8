import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Report } from "../../conformance/report/report.ts";
import { requirementIds } from "../../generated/requirements.ts";
import { startMock } from "../../src/cli/prism.ts";
import { readDocument } from "../document.ts";
import { txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The command line against Prism. `npm run conformance` runs the same checks as tests. */

const dir = tempDir();

/** Runs the command line against a mock of a document and reads its report. */
async function runAgainst(document: string | undefined, ...flags: string[]) {
  const mock = await startMock(document === undefined ? {} : { document });
  onTestFinished(() => mock.stop());
  const file = join(dir, "report.json");
  const result = await txfeed("conformance", mock.url, "--report-json", file, ...flags);
  const report: Report = JSON.parse(await readFile(file, "utf8"));
  return { ...result, report, file, url: mock.url };
}

const withVerdict = ({ requirements }: Report, verdict: string) =>
  requirements.filter((entry) => entry.verdict === verdict).map(({ id }) => id);

test("the mock profile passes, and lists every requirement with a reason or a check", async () => {
  const run = await runAgainst(undefined, "--profile", "mock");
  const { report, stdout } = run;
  expect(run).toMatchObject({ status: 0, stderr: "" });
  expect(report).toMatchObject({ target: run.url, profile: "mock" });
  expect(report.requirements.map(({ id }) => id)).toEqual(requirementIds);
  expect(withVerdict(report, "failed")).toEqual([]);
  expect(withVerdict(report, "passed")).toHaveLength(29);
  for (const { verdict, reason, checks } of report.requirements) {
    if (verdict === "skipped" || verdict === "excluded") expect(reason).toBeTruthy();
    if (verdict === "passed") expect(checks.length).toBeGreaterThan(0);
  }
  const auth = report.requirements.find(({ id }) => id === "AUTH-07")?.checks ?? [];
  const tokenless = auth.find(({ name }) => name === "every endpoint requires a token");
  expect(tokenless?.assertions).toBe(17);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.at(-1)).toMatch(/^101 of \d+ claims decided, 0 failed/);
  expect(lines.at(-3)).toBe(`report-json in ${run.file}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: output must not contain them
  expect(stdout).not.toMatch(/\u001b/);
});

test("a stateless mock fails the full profile", async () => {
  const credentials = ["--account-id", "a", "--client-id", "b", "--client-secret", "c-secret"];
  const { status, report } = await runAgainst(undefined, ...credentials);
  expect(status).toBe(1);
  expect(withVerdict(report, "failed")).toEqual(
    expect.arrayContaining(["AUTH-04", "AUTH-05", "AUTH-06", "AUTH-08", "PAGE-07", "ERR-01"]),
  );
});

test("a wrong example and an open endpoint fail their requirements, with evidence", async () => {
  const document = readDocument();
  const { examples = {} } =
    document.paths["/transactions"]?.["get"]?.responses["200"]?.content?.["application/json"] ?? {};
  const page = Object.values(examples)[0]?.value as
    | { _embedded: { transactions: { acceptor: object }[] } }
    | undefined;
  Object.assign(page?._embedded.transactions[0]?.acceptor ?? {}, { mcc: 5812 });
  const operation = document.paths["/bank-links"]?.["get"];
  if (operation) operation.security = [];
  const file = join(dir, "openapi.json");
  await writeFile(file, JSON.stringify(document));
  const { status, report } = await runAgainst(file, "--profile", "mock");
  expect([status, withVerdict(report, "failed")]).toEqual([1, ["AUTH-07", "TXN-05", "ERR-01"]]);
  const failed = report.requirements.flatMap(({ checks }) =>
    checks.filter(({ verdict }) => verdict === "failed"),
  );
  const path = "/_embedded/transactions/0/acceptor/mcc";
  expect(failed).toMatchObject([
    { name: "every endpoint requires a token" },
    {
      ...{ expected: "string", actual: "number 5812" },
      findings: [{ requirement: "TXN-05", level: "error", path }],
      reproduce: expect.stringMatching(/^curl -i "http:\S+\/transactions" -H .*\$TXFEED_TOKEN/),
    },
    { findings: [{ requirement: "ERR-01" }] },
  ]);
  const [nr] = failed[1]?.findings?.[0]?.evidence ?? [];
  expect(report.traffic.find((traffic) => traffic.nr === nr)).toMatchObject({
    request: { method: "GET", url: expect.stringMatching(/\/transactions$/) },
    response: { status: 200, body: expect.stringContaining("5812") },
  });
});
