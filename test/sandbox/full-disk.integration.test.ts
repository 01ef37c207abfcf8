import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Control } from "../../src/sandbox/index.ts";
import { kinds } from "../../src/world/resources.ts";
import { type SandboxProgram, startSandboxProgram, tokenOf } from "../support/sandbox-program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { gate, startReceiver } from "./delivery/receiver.ts";
import { findingsOf } from "./test-sandbox.ts";

/** The file size limit: 2 MiB, in blocks of 512 bytes. */
const FILE_BLOCKS = 4096;
const ALL = { limit: 1_000_000 };
const FULL = { status: 507 };

/** All observable state. */
async function dump(control: Control): Promise<string> {
  const resources = await Promise.all(kinds.map((kind) => control.resources(kind, ALL)));
  const { counts } = await control.status();
  const rest = [await control.endpoints(), await control.snapshots()];
  return JSON.stringify([resources, await control.events(ALL), counts, rest]);
}

/** Sets the clock until it fails. No change is smaller, so nothing fits after that. */
async function fill(control: Control): Promise<void> {
  for (;;) {
    const outcome = await control.trigger("purchase").catch((error) => error);
    if (outcome.status !== undefined) expect(outcome).toMatchObject(FULL);
    if (outcome.status === FULL.status) break;
  }
  let now = Date.parse((await control.readClock()).now);
  for (;;) {
    now += 1;
    const setting = { mode: "frozen", now: new Date(now).toISOString() } as const;
    const outcome = await control.setClock(setting).catch((error) => error);
    if (outcome.status === FULL.status) break;
  }
}

/** Removes the program's file size limit. */
function makeRoom({ child }: SandboxProgram): void {
  execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited:"]);
}

async function start({ isHeard = true } = {}) {
  const file = join(tempDir(), "sandbox.db");
  const receiver = await startReceiver();
  const heard = isHeard ? ["--webhook-url", receiver.url] : [];
  const args = ["--data", file, "--clock", "frozen", "--validate", ...heard];
  const program = await startSandboxProgram(args, { fileBlocks: FILE_BLOCKS });
  return { program, control: program.control, file, receiver, args };
}

test("changes on a full disk are refused and roll back", async () => {
  const { program, control, file } = await start();
  const { baseUrl } = program.facts;
  const headers = { authorization: `Bearer ${await tokenOf(program)}` };
  const { bankLinkId } = (await control.trigger("link-start")).result;
  await control.snapshot("before");
  await fill(control);
  const before = await dump(control);

  const link = `${baseUrl}/bank-links/${bankLinkId}`;
  const patch = () => fetch(link, { method: "PATCH", headers });
  const post = (path: string, body: object) => () =>
    fetch(`${baseUrl}/_sandbox${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const detail =
    /^the change can't be saved in \S+sandbox\.db: [\w/ ]+; nothing has changed: free space.*$/;
  for (const call of [
    patch,
    post("/verbs/purchase", { amount: 12 }),
    post("/verbs/enroll", {}),
    post("/verbs/feed-accept", { cards: 20 }),
    post("/verbs/link-complete", {}),
    post("/endpoints", { url: "http://127.0.0.1:9/" }),
    post("/clock/advance", { by: "1d" }),
    post("/reset", {}),
    post("/snapshots/before/restore", {}),
  ]) {
    const response = await call();
    const problem = await response.json();
    expect(response).toMatchObject(FULL);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(problem).toEqual({
      ...{ type: "about:blank", title: "Insufficient storage", status: 507 },
      detail: expect.stringMatching(detail),
    });
    expect(problem.detail).toContain(file);
    expect(await dump(control)).toBe(before);
  }

  // Reads still work.
  for (const url of [`${baseUrl}/transactions`, link]) {
    expect((await fetch(url, { headers })).status).toBe(200);
  }
  expect(await tokenOf(program)).not.toBe("");

  makeRoom(program);
  expect((await patch()).status).toBe(200);
  const { events } = await control.trigger("purchase");
  expect((await control.events(ALL)).slice(-events.length)).toEqual(events);
  expect(await program.stop()).toBe(0);
  expect(program.output.stderr).toBe("");
});

test("on a full disk, due deliveries are sent when space is available again", async () => {
  const { program, control, receiver, args } = await start();
  const { opened, open } = gate();
  receiver.setReply(() => opened.then(() => 204));
  await control.trigger("purchase");
  await fill(control);
  // Responses now arrive but can't be recorded.
  open();
  await expect(control.settle()).rejects.toMatchObject(FULL);
  await expect(control.advance("1h")).rejects.toMatchObject(FULL);
  const arrived = receiver.arrivals.length;
  // Wait for the next attempt.
  await wait(1_500);
  expect(receiver.arrivals.length).toBe(arrived);
  expect(program.output.stderr).toBe("");

  makeRoom(program);
  await vi.waitFor(async () => {
    expect(await control.deliveries({ state: "waiting" })).toEqual([]);
    const { now, nextDue } = await control.readClock();
    expect(nextDue === null || nextDue > now).toBe(true);
  }, 20_000);
  await control.advance("30d");
  expect(await findingsOf(await control.events(ALL))).toEqual([]);
  const before = await dump(control);
  await program.stop("SIGKILL");
  const again = await startSandboxProgram(args);
  expect(await dump(again.control)).toBe(before);
  expect(await again.stop()).toBe(0);
});

test("on a full disk, a due job runs when space is available again", async () => {
  const { program, control } = await start({ isHeard: false });
  const { bankLinkId } = (await control.trigger("link-start")).result;
  await control.trigger("link-complete", { bankLinkId, by: "polling" });
  await fill(control);
  const before = await dump(control);
  await expect(control.advance("1d")).rejects.toMatchObject(FULL);
  const stopped = await control.readClock();
  expect(stopped.nextDue).toBe(stopped.now);
  // Wait for the next attempt.
  await wait(1_500);
  expect(await control.readClock()).toEqual(stopped);
  expect(await dump(control)).toBe(before);
  expect(program.output.stderr).toBe("");

  makeRoom(program);
  await vi.waitFor(async () => {
    const { now, nextDue } = await control.readClock();
    expect(nextDue !== null && nextDue <= now).toBe(false);
  }, 20_000);
  await control.advance("1h");
  const [completed] = (await control.events({ name: "banklink.completed" })).slice(-1);
  expect(completed?.body).toMatchObject({ bankLinkId });
  expect(await program.stop()).toBe(0);
});

test("a sandbox with nothing to write starts on a full disk", async () => {
  const { program, args } = await start();
  await fill(program.control);
  const before = await dump(program.control);
  await program.stop("SIGKILL");
  const again = await startSandboxProgram(args, { fileBlocks: 8 });
  expect(await dump(again.control)).toBe(before);
  await expect(again.control.trigger("purchase")).rejects.toMatchObject(FULL);
  expect(await again.stop()).toBe(0);
  expect(again.output.stderr).toBe("");
});

test("without space for its first state, a sandbox exits with status 2 and a line", async () => {
  const args = ["--data", join(tempDir(), "sandbox.db")];
  const started = startSandboxProgram(args, { fileBlocks: 64 });
  await expect(started).rejects.toThrow(/^status 2: txfeed: .* free space.*\n$/);
});
