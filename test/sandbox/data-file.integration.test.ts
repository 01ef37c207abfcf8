import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { txfeed } from "../support/program.ts";
import { startSandboxProgram } from "../support/sandbox-program.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();

/** Creates a database like another program's. */
function makeForeign(file: string, { isLoggedAhead }: { isLoggedAhead: boolean }): void {
  const database = new DatabaseSync(file);
  if (isLoggedAhead) database.exec("PRAGMA journal_mode = WAL");
  database.exec("CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('a', 'b')");
  database.close();
}

/** Creates a sandbox database with changes to its header. */
async function makeOwn(file: string, pragma: string): Promise<void> {
  await (await createSandbox({ data: file, world: "empty" })).close();
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA ${pragma}`);
  database.close();
}

const cases: Record<string, [make: (file: string) => unknown, reason: RegExp]> = {
  "a text": [(file) => writeFileSync(file, "id,amount\n1,2\n"), /it is not an SQLite database/],
  "a byte": [(file) => writeFileSync(file, "S"), /it is not an SQLite database/],
  "another program's database": [
    (file) => makeForeign(file, { isLoggedAhead: false }),
    /it is another program's database/,
  ],
  "another program's database with a log": [
    (file) => makeForeign(file, { isLoggedAhead: true }),
    /it is another program's database/,
  ],
  "a database of a later version": [
    (file) => makeOwn(file, "user_version = 2"),
    /another version of txfeed created it \(its tables have version 2, not 1\)/,
  ],
  "half of a database": [
    async (file) => {
      await makeOwn(file, "user_version = 1");
      truncateSync(file, 8192);
    },
    /malformed/,
  ],
};

/** The contents of all files beside a file, by name. */
function bytesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "hex")]));
}

describe("refuses the file with one line and does not change it:", () => {
  test.each(Object.entries(cases))("%s", async (name, [make, reason]) => {
    const folder = join(directory, name);
    mkdirSync(folder);
    const file = join(folder, "sandbox.db");
    await make(file);
    const before = bytesOf(folder);
    const { status, stdout, stderr } = await txfeed("sandbox", "--port", "0", "--data", file);
    expect(stderr).toMatch(/^txfeed: [^\n]+ can't be opened as the sandbox's data: [^\n]+\n$/);
    expect(stderr).toMatch(reason);
    expect([status, stdout]).toEqual([2, ""]);
    expect(bytesOf(folder)).toEqual(before);
  });

  test("a directory", async () => {
    await expect(createSandbox({ data: directory })).rejects.toMatchObject({
      code: "file",
      message: expect.stringMatching(/it is a folder/),
    });
  });

  test("a pipe", async () => {
    const file = join(directory, "pipe");
    execFileSync("mkfifo", [file]);
    await expect(createSandbox({ data: file })).rejects.toMatchObject({
      code: "file",
      message: expect.stringMatching(/it is not a regular file/),
    });
  });

  test("a file in a missing directory", async () => {
    const refused = createSandbox({ data: join(directory, "none", "sandbox.db") });
    await expect(refused).rejects.toMatchObject({
      code: "file",
      message: expect.stringMatching(/its folder is missing or not writable/),
    });
    expect(readdirSync(directory)).not.toContain("none");
  });

  test.each([
    ["a read-only file", 0o444, /not writable/],
    ["an unreadable file", 0, /permission denied/],
  ])("%s", async (name, mode, reason) => {
    const file = join(directory, name);
    await makeOwn(file, "user_version = 1");
    const before = readFileSync(file);
    chmodSync(file, mode);
    chmodSync(directory, 0o755);
    // Root may access any file.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.("nobody");
    try {
      await expect(createSandbox({ data: file })).rejects.toMatchObject({
        code: "file",
        message: expect.stringMatching(reason),
      });
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    chmodSync(file, 0o644);
    expect(readFileSync(file)).toEqual(before);
  });
});

test("a file in use by another sandbox is refused; that sandbox keeps running", async () => {
  const file = join(directory, "held.db");
  const holder = await startSandboxProgram(["--data", file]);
  const { status, stderr } = await txfeed("sandbox", "--port", "0", "--data", file);
  expect([status, stderr]).toEqual([
    2,
    `txfeed: ${file} can't be opened as the sandbox's data: another program uses it; stop that program\n`,
  ]);
  const { result } = await holder.control.trigger("purchase");
  await holder.stop("SIGKILL");
  // As left by a killed sandbox: the log was never written back.
  const again = await createSandbox({ data: file });
  onTestFinished(() => again.close());
  const shown = await again.resources("transactions", { limit: 1 });
  expect(shown.map(({ id }) => id)).toEqual([result.transactionId]);
});

test("an empty file and names with a special meaning in SQLite are files", async () => {
  const file = join(directory, "empty.db");
  writeFileSync(file, "");
  await (await createSandbox({ data: file, world: "empty" })).close();
  expect(readFileSync(file).length).toBeGreaterThan(0);
  const folder = process.cwd();
  process.chdir(directory);
  onTestFinished(() => process.chdir(folder));
  for (const data of ["file:odd.db?mode=memory", ":memory:"]) {
    await (await createSandbox({ data, world: "empty" })).close();
    expect(readdirSync(directory)).toContain(data);
  }
});
