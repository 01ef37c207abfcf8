import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { releaseChangelog } from "../../scripts/release.ts";
import { ROOT } from "../document.ts";
import { tempDir } from "../support/temp-dir.ts";

const CHANGELOG = "# Changelog\n\n## Unreleased\n\n- A new thing.\n\n## 0.1.0\n\n- The first.\n";

const ADDRESS = "git+https://repository.example/txfeed.git";

let repository: string;
const read = (name: string) => readFileSync(join(repository, name), "utf8");
const git = (...args: string[]) =>
  execFileSync("git", args, { cwd: repository, encoding: "utf8" }).trim();

/** Runs the script in the repository. */
function release(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(ROOT, "scripts/release.ts"), ...args],
    {
      cwd: repository,
      encoding: "utf8",
    },
  );
  return { status, stdout, stderr };
}

beforeEach(() => {
  const dir = tempDir();
  const origin = join(dir, "origin");
  repository = join(dir, "clone");
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", origin]);
  const manifest = { name: "txfeed", version: "0.1.0", repository: { url: ADDRESS } };
  writeFileSync(join(origin, "package.json"), JSON.stringify(manifest));
  const lock = { name: "txfeed", version: "0.1.0", packages: { "": { version: "0.1.0" } } };
  writeFileSync(join(origin, "package-lock.json"), JSON.stringify(lock));
  writeFileSync(join(origin, "CHANGELOG.md"), CHANGELOG);
  const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
  execFileSync("git", ["-C", origin, "add", "."]);
  execFileSync("git", ["-C", origin, ...identity, "commit", "--quiet", "--message=first"]);
  execFileSync("git", ["clone", "--quiet", origin, repository]);
  git("config", "user.name", "test");
  git("config", "user.email", "test@localhost");
});

test("a release moves the changelog, commits and tags", () => {
  expect(release("0.2.0")).toMatchObject({ status: 0, stderr: "" });
  expect(JSON.parse(read("package.json")).version).toBe("0.2.0");
  const lock = JSON.parse(read("package-lock.json"));
  expect([lock.version, lock.packages[""].version]).toEqual(["0.2.0", "0.2.0"]);
  expect(read("CHANGELOG.md")).toMatch(
    /## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- A new thing\.\n\n## 0\.1\.0/,
  );
  expect(git("log", "-1", "--format=%s")).toBe("release: 0.2.0");
  expect(git("describe", "--exact-match")).toBe("v0.2.0");
  expect(git("status", "--porcelain")).toBe("");
});

test("a dry run prints the commands and changes nothing", () => {
  const head = git("rev-parse", "HEAD");
  const { status, stdout } = release("0.2.0", "--dry-run");
  expect(status).toBe(0);
  expect(stdout).toContain("git tag --annotate v0.2.0");
  expect(git("rev-parse", "HEAD")).toBe(head);
  expect(git("status", "--porcelain") + git("tag")).toBe("");
});

test("the script needs no installed packages", () => {
  const dir = tempDir();
  for (const name of ["package.json", "scripts", "src"]) {
    cpSync(join(ROOT, name), join(dir, name), { recursive: true });
  }
  const script = join(dir, "scripts/release.ts");
  const { stdout, stderr } = spawnSync(process.execPath, [script, "--help"], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(stdout).toContain("npm run release -- VERSION");
});

test.each([
  ["a version that is not semantic", ["next"], 'VERSION must be like 1.2.3; got "next"'],
  ["a lower version", ["0.0.9"], "VERSION must not be lower than 0.1.0; got 0.0.9"],
])("%s is rejected", (_, args, message) => {
  const { status, stderr } = release(...args);
  expect(status).toBe(1);
  expect(stderr).toContain(message);
});

test.each([undefined, {}, { url: "txfeed" }])("the repository %j is rejected", (address) => {
  writeFileSync(
    join(repository, "package.json"),
    JSON.stringify({ version: "0.1.0", repository: address }),
  );
  git("commit", "--quiet", "--all", "--message=no address");
  const { status, stderr } = release("0.2.0", "--dry-run");
  expect(status).toBe(1);
  expect(stderr).toBe(
    "release: set repository.url in package.json to the repository's address, git+https://….git\n",
  );
});

test("no version is bad usage", () => {
  const { status, stderr } = release();
  expect(status).toBe(2);
  expect(stderr).toBe("release: VERSION is missing (see: npm run release -- --help)\n");
});

test("uncommitted changes, another branch and an existing tag are rejected", () => {
  writeFileSync(join(repository, "new.txt"), "");
  expect(release("0.2.0").stderr).toContain("commit or remove these changes:\n?? new.txt");
  rmSync(join(repository, "new.txt"));
  git("tag", "v0.2.0");
  expect(release("0.2.0").stderr).toContain("the tag v0.2.0 exists");
  git("checkout", "--quiet", "-b", "topic");
  expect(release("0.3.0").stderr).toContain('the current branch is "topic"');
});

test.each([
  ["without the section", "# Changelog\n", 'has no "## Unreleased"'],
  ["with an empty section", "## Unreleased\n\n## 0.1.0\n", "is empty"],
])("a changelog %s is rejected", (_, changelog, message) => {
  expect(() => releaseChangelog(changelog, "0.2.0", "2026-01-01")).toThrow(message);
});
