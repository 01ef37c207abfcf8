import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.ts";
import { txfeed } from "../support/program.ts";
import { startSandboxProgram } from "../support/sandbox-program.ts";
import { tempDir } from "../support/temp-dir.ts";

const directory = tempDir();

/** Runs SQL in a file. */
function runSql(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Creates a sandbox database with changes to its header. */
async function makeOwn(file: string, pragma: string): Promise<void> {
  await (await createSandbox({ data: file, world: "empty" })).close();
  runSql(file, `PRAGMA ${pragma}`);
}

const FOREIGN = "CREATE TABLE meta (name TEXT, value TEXT); INSERT INTO meta VALUES ('a', 'b')";
const NOT_SQLITE = /it is not an SQLite database/;
const NOT_OURS = /it is another program's database/;
const OTHER_VERSION = /another version of txfeed created it \(its tables have version 2, not 1\)/;

const wrongFiles: [what: string, make: (file: string) => unknown, reason: RegExp][] = [
  ["a text", (file) => writeFileSync(file, "id,amount\n1,2\n"), NOT_SQLITE],
  ["a byte", (file) => writeFileSync(file, "S"), NOT_SQLITE],
  ["another program's database", (file) => runSql(file, FOREIGN), NOT_OURS],
  [
    "another program's database with a log",
    (file) => runSql(file, `PRAGMA journal_mode = WAL; ${FOREIGN}`),
    NOT_OURS,
  ],
  ["a database of a later version", (file) => makeOwn(file, "user_version = 2"), OTHER_VERSION],
  [
    "half of a database",
    async (file) => {
      await makeOwn(file, "user_version = 1");
      truncateSync(file, 8192);
    },
    /malformed/,
  ],
];

const NO_THROW = { throwIfNoEntry: false } as const;

/** The contents of all files of a folder, by name. */
function bytesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "hex")]));
}

test.each(wrongFiles)("%s is refused with one line and not changed", async (name, make, reason) => {
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

test.each<[what: string, path: string, make: (file: string) => unknown, reason: RegExp]>([
  ["a directory", "folder", (file) => mkdirSync(file), /it is a folder/],
  ["a pipe", "pipe", (file) => execFileSync("mkfifo", [file]), /it is not a regular file/],
  ["a file in a missing directory", "none/a.db", () => {}, /its folder is missing or not writable/],
  [
    "a read-only file",
    "read-only",
    (file) => makeOwn(file, "user_version = 1").then(() => chmodSync(file, 0o444)),
    /not writable/,
  ],
  [
    "an unreadable file",
    "unreadable",
    (file) => makeOwn(file, "user_version = 1").then(() => chmodSync(file, 0)),
    /permission denied/,
  ],
])("%s is refused as a file", async (_what, path, make, reason) => {
  const file = join(directory, path);
  await make(file);
  chmodSync(directory, 0o755);
  const state = () => [readdirSync(directory), statSync(file, NO_THROW)?.mtimeMs];
  const before = state();
  // Root may access any file.
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.("nobody");
  try {
    const message = expect.stringMatching(reason);
    await expect(createSandbox({ data: file })).rejects.toMatchObject({ code: "file", message });
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
  expect(state()).toEqual(before);
});

test("a file in use by another sandbox is refused; that sandbox keeps running", async () => {
  const file = join(directory, "held.db");
  const holder = await startSandboxProgram(["--data", file]);
  const { status, stderr } = await txfeed("sandbox", "--port", "0", "--data", file);
  expect(status).toBe(2);
  const why = "another program uses it; stop that program";
  expect(stderr).toBe(`txfeed: ${file} can't be opened as the sandbox's data: ${why}\n`);
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
