import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { run } from "../program.ts";

/** What is published, where no package is installed beside it. */
let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "txfeed-build-"));
  const { status, stdout } = await run("scripts/build.ts", ["--out", join(dir, "dist")]);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});

afterAll(() => rm(dir, { recursive: true }));

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: dir, encoding: "utf8" });

test("the package needs no other package", () => {
  expect(packageJson).not.toHaveProperty("dependencies");
});

test("the licence of what was joined in comes along", () => {
  const licence = readFileSync(join(dir, "dist/src/client/LICENSE-openapi-fetch"), "utf8");
  expect(licence).toContain("Permission is hereby granted");
});

const {
  "./fixtures/arbitraries": arbitraries,
  "./client/undici": undici,
  ...exported
} = packageJson.exports;

test.each(Object.entries(exported))("%s is there", async (_name, target) => {
  const file = typeof target === "string" ? target : target.default;
  const flags = file.endsWith(".json") ? `, { with: { type: "json" } }` : "";
  const { stderr } = node("-e", `import("${file}"${flags})`);
  expect(stderr).toBe("");
});

test.each([
  ["./fixtures/arbitraries", "fast-check", arbitraries],
  ["./client/undici", "undici", undici],
])("%s is there, and asks for %s where it is not installed", (_name, needed, target) => {
  const { stderr } = node("-e", `import("${target.default}")`);
  expect(stderr).toContain(`Cannot find package '${needed}'`);
});

test("an error of the client is a TxfeedError of the package", () => {
  const file = (name: "." | "./client") => JSON.stringify(exported[name].default);
  const program = `
    const { TxfeedError } = await import(${file(".")});
    const { FeedError, FeedLinkError } = await import(${file("./client")});
    const error = new FeedLinkError("x", { method: "GET", path: "/", attempts: 0 });
    console.log(error instanceof TxfeedError, error instanceof FeedError, error.name);`;
  const { stdout, stderr } = node("--input-type=module", "-e", program);
  expect({ stdout, stderr }).toEqual({
    stdout: "true true FeedError [refused-link]\n",
    stderr: "",
  });
});

test("the package validates, and checks a history", () => {
  const file = (name: "./contract" | "./fixtures") => JSON.stringify(exported[name].default);
  const program = `
    const { checkHistory, validateEvent } = await import(${file("./contract")});
    const { make, story } = await import(${file("./fixtures")});
    const { ok } = await checkHistory(story("everything-at-once"), { complete: true });
    console.log(ok, validateEvent("transaction.updated", make("transaction.updated")).ok);`;
  const { stdout, stderr } = node("--input-type=module", "-e", program);
  expect({ stdout, stderr }).toEqual({ stdout: "true true\n", stderr: "" });
});

test("the command line runs", () => {
  const { status, stdout } = node(packageJson.bin.txfeed, "--help");
  expect(status).toBe(0);
  expect(stdout).toContain("usage: txfeed COMMAND");
});

test("the mock asks for Prism by name where it is not installed", () => {
  const { status, stderr } = node(packageJson.bin.txfeed, "mock");
  expect(status).toBe(2);
  expect(stderr).toBe(
    "txfeed: the mock needs Prism: npm install --save-dev @stoplight/prism-cli@5.16.0\n",
  );
});
