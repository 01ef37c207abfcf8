import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { startMock } from "../../src/cli/prism.ts";
import { createProjects, typecheck } from "../../test/support/installed-package.ts";
import { freePort } from "../../test/support/local-server.ts";
import { start, startNode } from "../../test/support/program.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { RECEIVER_URL } from "../reference/events.ts";
import { MOCK_URL } from "../reference/operations.ts";

/** The first block of a language of each page in a folder of the reference. */
function snippetsOf(folder: string) {
  return inject("sitePages")
    .filter(({ path }) => path.startsWith(`reference/${folder}/`))
    .map(({ path, text }) => {
      const blockOf = (language: string) =>
        new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(text)?.[1] ?? "";
      return { path, file: `${path.split("/").at(-1)}.ts`, ts: blockOf("ts"), sh: blockOf("sh") };
    });
}

const operations = snippetsOf("operations");
const events = snippetsOf("events");
const dir = tempDir();
let mock: Awaited<ReturnType<typeof startMock>>;

beforeAll(async () => {
  await createProjects(dir, ["operations", "events"]);
  mock = await startMock();
  const write = (project: string, file: string, code: string) =>
    writeFile(join(dir, project, file), code);
  for (const { file, ts } of operations) {
    await write("operations", file, ts.replaceAll(MOCK_URL, mock.url));
  }
  for (const { file, ts } of events) {
    await write("events", file, ts.replace("listen(3000)", "listen(Number(process.env.PORT))"));
  }
});

afterAll(() => mock?.stop());

test("every TypeScript example compiles", async () => {
  const files = [
    ...operations.map(({ file }) => join("operations", file)),
    ...events.map(({ file }) => join("events", file)),
  ];
  expect(files).toHaveLength(18 + 13);
  expect(await typecheck(dir, files)).toEqual({ stdout: "", status: 0 });
});

test.each(operations)("the examples of $path run against the mock", async ({ file, ts, sh }) => {
  const { status, stdout, stderr } = await startNode([join("operations", file)], { cwd: dir })
    .ended;
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  if (ts.includes("console.log")) expect(stdout).not.toBe("");
  const command = sh.replaceAll(MOCK_URL, mock.url).replace("curl ", "curl -sS --fail ");
  const curl = await start("sh", ["-c", command]).ended;
  expect({ status: curl.status, stderr: curl.stderr }).toEqual({ status: 0, stderr: "" });
  expect(() => JSON.parse(curl.stdout)).not.toThrow();
});

test.each(events)("the receiver of $path accepts the example", async ({ file, sh }) => {
  const port = String(await freePort());
  const receiver = startNode([join("events", file)], { cwd: dir, env: { PORT: port } });
  const url = `http://127.0.0.1:${port}`;
  const command = sh
    .replace(RECEIVER_URL, url)
    .replace("curl ", "curl -sS --retry-connrefused --retry 20 --retry-delay 1 ");
  const { stdout } = await start("sh", ["-c", command]).ended;
  expect(stdout).toContain("204 No Content");
  expect(receiver.output.stdout).not.toBe("");
});
