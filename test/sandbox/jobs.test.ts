import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { DEFAULT_NETWORKS } from "../../src/contract/index.ts";
import { createSandbox } from "../../src/sandbox/create-sandbox.ts";
import { Engine } from "../../src/sandbox/engine.ts";
import { Jobs } from "../../src/sandbox/jobs.ts";
import { Scheduler } from "../../src/sandbox/scheduler.ts";
import { openDatabase } from "../../src/sandbox/store/database.ts";
import { StorageRefusal } from "../../src/world/refusal.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Jobs that fail for the subject `bad`, and for all subjects while the disk is full. */
function start() {
  const done: string[] = [];
  const dropped: string[] = [];
  const disk = { isFull: false };
  const engine = new Engine(openDatabase(), {
    ...{ networks: DEFAULT_NETWORKS, validate: true, seed: 1 },
    ...{ clock: "frozen", startMs: 0 },
  });
  const runJob = (work: { store: Engine["store"] }, subject: string) => {
    work.store.setMeta("last", subject);
    if (disk.isFull) throw new StorageRefusal("the disk is full");
    if (subject === "bad") throw new Error("this never works");
    done.push(subject);
  };
  const handlers = { rematch: runJob, "poll-link": runJob };
  const jobs = new Jobs(engine, handlers, (why) => dropped.push(why));
  const scheduler = new Scheduler(engine.clock, [jobs]);
  engine.onCommit(() => scheduler.wake());
  onTestFinished(async () => {
    await scheduler.stop();
    engine.store.database.close();
  });
  const schedule = (subject: string, inMs: number) =>
    engine.commit((work) => work.schedule("rematch", subject, inMs));
  return { engine, scheduler, schedule, done, dropped, disk };
}

test("a failing job is dropped, reported and changes nothing; later jobs run", async () => {
  const { engine, scheduler, schedule, done, dropped } = start();
  for (const [at, subject] of ["one", "bad", "two"].entries()) schedule(subject, at + 1);
  await scheduler.advance(2);
  expect(engine.store.meta("last")).toBe("one");
  await scheduler.advance(1);
  expect(done).toEqual(["one", "two"]);
  expect(dropped).toEqual(["the job rematch of bad failed and was dropped: this never works"]);
  expect(scheduler.nextDueMs()).toBeUndefined();
});

test("a failing job does not fail the change that makes it due", () => {
  const { schedule, dropped } = start();
  expect(() => schedule("bad", 0)).not.toThrow();
  expect(dropped).toHaveLength(1);
});

test("a job that fails on a full disk is not dropped: it runs later", async () => {
  const { scheduler, schedule, done, dropped, disk } = start();
  disk.isFull = true;
  schedule("one", 1);
  await expect(scheduler.advance(1)).rejects.toThrow("the disk is full");
  disk.isFull = false;
  await scheduler.settle();
  expect([done, dropped]).toEqual([["one"], []]);
});

test("a sandbox records a dropped job in its violations and logs a warning", async () => {
  const folder = tempDir();
  const data = join(folder, "state.db");
  await (await createSandbox({ data, world: "empty" })).close();
  const database = openDatabase(data);
  database.exec("INSERT INTO jobs (due_ms, name, subject) VALUES (0, 'poll-link', 'nothing')");
  database.close();
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  await using sandbox = await createSandbox({ data });
  const why = "the job poll-link of nothing failed and was dropped: there is no bank link nothing";
  expect(sandbox.violations).toEqual([why]);
  expect(warn).toHaveBeenCalledExactlyOnceWith(why);
  warn.mockRestore();
  expect((await sandbox.readClock()).nextDue).toBeNull();
});
