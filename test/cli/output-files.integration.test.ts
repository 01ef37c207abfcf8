import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { EvidenceFile } from "../../conformance/cli/report.ts";
import { CaptureFile } from "../../src/cli/capture-file.ts";
import { appendTo, refuseUnwritable, stageFile, writeAtomically } from "../../src/cli/file.ts";
import { ROOT } from "../document.ts";
import { tempDir } from "../support/temp-dir.ts";

let dir: string;

beforeEach(async () => {
  dir = tempDir();
});

/** Creates a copy of a device such as /dev/null, so that tests do not touch the real one. */
function makeDevice(name: string, minor: number, skip: (note: string) => never): string {
  const device = join(dir, name);
  const { status } = spawnSync("mknod", [device, "c", "1", String(minor)]);
  return status === 0 ? device : skip("only root can make devices");
}

const EVIDENCE = { kind: "run" } as unknown as Parameters<EvidenceFile["add"]>[0];
const SEEN = { kind: "exchange", response: {} } as unknown as Parameters<EvidenceFile["add"]>[0];

/** All writers of the program. Each writes a text that contains "kind". */
const WRITERS: Readonly<Record<string, (file: string) => Promise<void>>> = {
  "a report": async (file) => {
    await refuseUnwritable(file);
    await writeAtomically(file, '{"kind":1}\n');
  },
  "a summary": async (file) => {
    await refuseUnwritable(file);
    await appendTo(file, '{"kind":1}\n');
  },
  "a generated file": async (file) => {
    const { commit } = await stageFile(file, '{"kind":1}\n');
    await commit();
  },
  evidence: async (file) => {
    await refuseUnwritable(file);
    const evidence = new EvidenceFile(file);
    evidence.add(EVIDENCE);
    evidence.add(SEEN);
    evidence.close();
  },
  "a capture": async (file) => {
    const capture = await CaptureFile.open(file);
    await capture.append({ receivedAt: "now", headers: {}, text: '{"kind":1}', isJson: true });
    await capture.close();
  },
};

describe.each(Object.entries(WRITERS))("%s", (_what, write) => {
  test("is written to a named pipe", async () => {
    const pipe = join(dir, "pipe");
    spawnSync("mkfifo", [pipe]);
    const reader = spawn("cat", [pipe]);
    let read = "";
    reader.stdout.on("data", (chunk) => (read += chunk));
    const ended = new Promise((resolve) => reader.on("close", resolve));
    await write(pipe);
    await ended;
    expect(read).toContain('"kind"');
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect(readdirSync(dir)).toEqual(["pipe"]);
  });

  test("is written to a device through a link, keeping both", async ({ skip }) => {
    const device = makeDevice("device", 3, skip);
    symlinkSync(device, join(dir, "link"));
    await write(join(dir, "link"));
    expect(lstatSync(device).isCharacterDevice()).toBe(true);
    expect(lstatSync(join(dir, "link")).isSymbolicLink()).toBe(true);
    expect(readdirSync(dir).sort()).toEqual(["device", "link"]);
  });

  test("reports a full disk in one line", async ({ skip }) => {
    const device = makeDevice("full", 7, skip);
    await expect(write(device)).rejects.toThrow(/full can't be written: ENOSPC/);
    expect(lstatSync(device).isCharacterDevice()).toBe(true);
  });

  test("follows a chain of links across folders", async () => {
    mkdirSync(join(dir, "a"));
    mkdirSync(join(dir, "b"));
    writeFileSync(join(dir, "b/kept.txt"), "");
    symlinkSync("../b/kept.txt", join(dir, "a/second"));
    symlinkSync("a/second", join(dir, "first"));
    await write(join(dir, "first"));
    expect(readFileSync(join(dir, "b/kept.txt"), "utf8")).toContain('"kind"');
    expect(lstatSync(join(dir, "first")).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(dir, "a/second")).isSymbolicLink()).toBe(true);
  });

  test("follows a dangling link and creates its target", async () => {
    symlinkSync("new.txt", join(dir, "link"));
    await write(join(dir, "link"));
    expect(lstatSync(join(dir, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(dir, "new.txt"), "utf8")).toContain('"kind"');
  });

  test("refuses links that form a loop", async () => {
    symlinkSync("two", join(dir, "one"));
    symlinkSync("one", join(dir, "two"));
    await expect(write(join(dir, "one"))).rejects.toThrow(
      /one can't be written: its symbolic links form a loop$/,
    );
    await expect(write(join(dir, "one/x"))).rejects.toThrow(/form a loop$/);
  });

  test.each(["", "folder/", "folder", "link-to-folder"])(
    "refuses the folder '%s'",
    async (name) => {
      mkdirSync(join(dir, "folder"));
      symlinkSync("folder", join(dir, "link-to-folder"));
      await expect(write(name && join(dir, name))).rejects.toThrow(/" is not a file/);
    },
  );

  test("refuses a link into a folder that does not exist", async () => {
    symlinkSync("none/new.txt", join(dir, "link"));
    await expect(write(join(dir, "link"))).rejects.toThrow(/its folder is missing/);
  });

  test("keeps a file's mode and owner", async () => {
    const file = join(dir, "report");
    writeFileSync(file, "");
    chmodSync(file, 0o640);
    const before = statSync(file);
    await write(file);
    expect(statSync(file)).toMatchObject({ mode: before.mode, uid: before.uid, gid: before.gid });
    expect(readdirSync(dir)).toEqual(["report"]);
  });

  test("gives a new file the mode of the umask", async () => {
    const previous = process.umask();
    await write(join(dir, "new"));
    expect(statSync(join(dir, "new")).mode & 0o777).toBe(0o666 & ~previous);
  });

  test("is appended to an open descriptor", async () => {
    const file = join(dir, "redirected");
    const descriptor = openSync(file, "w");
    writeFileSync(descriptor, "before\n");
    try {
      await write(`/dev/fd/${descriptor}`);
      symlinkSync(`/proc/self/fd/${descriptor}`, join(dir, "link"));
      await write(join(dir, "link"));
      writeFileSync(descriptor, "after\n");
    } finally {
      closeSync(descriptor);
    }
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/^before\n(.*"kind".*\n)+after\n$/s);
    expect(text.match(/"kind":("exchange"|1)/g)).toHaveLength(2);
  });

  test("refuses a closed and a read-only descriptor", async () => {
    await expect(write("/dev/fd/987654")).rejects.toThrow(/987654 can't be written: EBADF/);
    writeFileSync(join(dir, "read"), "");
    const descriptor = openSync(join(dir, "read"), "r");
    try {
      await expect(write(`/dev/fd/${descriptor}`)).rejects.toThrow(/can't be written: EBADF/);
    } finally {
      closeSync(descriptor);
    }
  });

  test("refuses a socket", async () => {
    const server = createServer().listen(join(dir, "socket"));
    await once(server, "listening");
    try {
      await expect(write(join(dir, "socket"))).rejects.toThrow(/is not a file: it is a socket/);
    } finally {
      server.close();
    }
  });
});

test("a report waits for the reader of a pipe", async () => {
  const pipe = join(dir, "pipe");
  spawnSync("mkfifo", [pipe]);
  const content = "x".repeat(1_000_000);
  const written = writeAtomically(pipe, content);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const reader = spawn("cat", [pipe]);
  let length = 0;
  reader.stdout.on("data", (chunk) => (length += chunk.length));
  const ended = new Promise((resolve) => reader.on("close", resolve));
  await written;
  await ended;
  expect(length).toBe(content.length);
});

test("evidence for a pipe without a reader fails in one line", () => {
  const pipe = join(dir, "pipe");
  spawnSync("mkfifo", [pipe]);
  const evidence = new EvidenceFile(pipe);
  evidence.add(EVIDENCE);
  evidence.add(SEEN);
  expect(() => evidence.close()).toThrow(/pipe can't be written: nothing reads from this pipe$/);
});

test("a reader that closes a report's pipe early is not an error", async () => {
  const pipe = join(dir, "pipe");
  spawnSync("mkfifo", [pipe]);
  const reader = spawn("head", ["-c1", pipe]);
  await writeAtomically(pipe, "x".repeat(1_000_000));
  expect(lstatSync(pipe).isFIFO()).toBe(true);
  reader.kill();
});

test("a file that can't be replaced is unchanged", async () => {
  const file = join(dir, "report");
  writeFileSync(file, "old");
  const { commit, discard } = await stageFile(file, "new");
  expect(readFileSync(file, "utf8")).toBe("old");
  await discard();
  await expect(commit()).rejects.toThrow(/can't be written: ENOENT/);
  expect(readFileSync(file, "utf8")).toBe("old");
  expect(readdirSync(dir)).toEqual(["report"]);
});

/** A capture with one unreadable line, which every report lists. */
function validated(redirected: string): string {
  writeFileSync(join(dir, "capture.ndjson"), "not JSON\n");
  const main = join(ROOT, "bin/txfeed.ts");
  const words = `"${process.execPath}" "${main}" validate capture.ndjson --format json`;
  return spawnSync("bash", ["-c", `${words} ${redirected}`], { cwd: dir, encoding: "utf8" }).stderr;
}

test("--sarif /dev/stdout appends to the redirected file", () => {
  // Through a link, so that a replaced target does not harm the machine.
  symlinkSync("/proc/self/fd/1", join(dir, "stdout"));
  expect(validated("--sarif stdout > all.txt")).toBe("");
  expect(lstatSync(join(dir, "stdout")).isSymbolicLink()).toBe(true);
  const text = readFileSync(join(dir, "all.txt"), "utf8");
  expect(text).toContain('"version": "2.1.0"');
  expect(text).toContain('{"line":1,"ok":false');
});

test("--sarif writes to a pipe of the shell", () => {
  expect(validated('--sarif >(cat > "sarif.txt") > /dev/null; sleep 0.3')).toBe("");
  expect(readFileSync(join(dir, "sarif.txt"), "utf8")).toContain('"version": "2.1.0"');
});

test("--sarif through a link to an input is refused", () => {
  symlinkSync("capture.ndjson", join(dir, "link"));
  expect(validated("--sarif link")).toMatch(
    /^txfeed: --sarif would overwrite an input: link .*\n$/,
  );
  expect(readFileSync(join(dir, "capture.ndjson"), "utf8")).toBe("not JSON\n");
});
