import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { run, txfeed } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startRelay } from "./relay.ts";

const dir = tempDir();
const inDir = (name: string) => join(dir, name);
const [good, bad] = [inDir("good.json"), inDir("bad.json")];

/** Reports of a correct server, and of one whose tokens can be refreshed. */
beforeAll(async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const flags = ["--account-id", accountId, "--client-id", clientId, "--only", "AUTH"];
  const report = async (url: string, file: string) => {
    await run("bin/txfeed.ts", ["conformance", url, ...flags, "--report-json", file], {
      TXFEED_CLIENT_SECRET: clientSecret,
    });
  };
  await using relay = await startRelay(sandbox.baseUrl, (response, { url }) => {
    if (url.startsWith("/auth")) response.json.refresh_token = "x";
  });
  await report(sandbox.baseUrl, good);
  await report(relay.origin, bad);
});

test("a requirement that no longer passes is exit status 1, in each format", async () => {
  const text = await txfeed("compare", good, bad);
  expect(text).toMatchObject({ status: 1, stderr: "" });
  expect(text.stdout).toContain("      AUTH-03  There is no refresh token.\n");
  expect(text.stdout).toContain("The targets differ: http://");

  const json = await txfeed("compare", good, bad, "--format", "json");
  expect(json.status).toBe(1);
  const { changes, regressions } = JSON.parse(json.stdout);
  expect(changes).toContainEqual({
    ...{ id: "AUTH-03", from: "passed", to: "failed", change: "broken", regression: true },
  });
  expect(regressions).toBeGreaterThan(0);

  const markdown = await txfeed("compare", good, bad, "--format", "markdown");
  expect(markdown.status).toBe(1);
  expect(markdown.stdout).toMatch(/^- passed → failed: AUTH-03\b/m);
});

test("a report that is at least as good is exit status 0", async () => {
  expect(await txfeed("compare", good, good)).toMatchObject({ status: 0, stderr: "" });
  const { status, stdout } = await txfeed("compare", bad, good);
  expect(status).toBe(0);
  expect(stdout).toMatch(/ {2}\d fixed\n {4}failed → passed\n {6}AUTH-03\b/);
});

test.each([
  ["a file that is not JSON", "hello", "is not a report: it is not JSON"],
  ["a file that is not a report", '{"a":1}', "is not a report: it has no target, profile and"],
])("%s is exit status 2, with one line", async (_what, content, message) => {
  await writeFile(inDir("other"), content);
  const { status, stdout, stderr } = await txfeed("compare", good, inDir("other"));
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain(`other ${message}`);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test.each([
  [["compare", good], "B is missing"],
  [["compare", good, bad, "more"], 'unexpected argument "more"'],
  [["compare", good, "no-such-file"], "no-such-file can't be read: there is no such file"],
  [["compare", good, bad, "--format", "xml"], '--format takes text, json or markdown, not "xml"'],
])("txfeed %j is bad usage", async (args, message) => {
  const { status, stderr } = await txfeed(...args);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
