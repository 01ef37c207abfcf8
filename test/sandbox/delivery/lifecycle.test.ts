import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createSandbox } from "../../../src/sandbox/create-sandbox.ts";
import { uuid } from "../../support/payloads.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { startSandbox } from "../test-sandbox.ts";
import { gate, startDelivering, startReceiver } from "./receiver.ts";

const directory = tempDir();
const fileOf = (name: string) => join(directory, `${name}.db`);

/** A reply that never comes, and signals the first delivery. */
function hang() {
  const arrived = gate();
  const reply = () => {
    arrived.open();
    return undefined;
  };
  return { reply, arrived: arrived.opened };
}

test("closing aborts attempts, records none of them and leaves no connection", async () => {
  const file = fileOf("closing");
  const { reply, arrived } = hang();
  const { sandbox, receiver } = await startDelivering({ file, reply });
  for (let n = 1; n <= 40; n += 1) sandbox.announce(n);
  await arrived;
  await sandbox.close();
  await vi.waitFor(async () => expect(await receiver.open()).toBe(0));
  expect(receiver.arrivals.length).toBeLessThanOrEqual(32);

  const again = startSandbox({ file });
  expect((await again.log()).every(({ attempts }) => attempts.length === 0)).toBe(true);
  receiver.setReply(() => 204);
  await again.control.settle();
  expect(new Set(receiver.ids()).size).toBe(40);
  expect(await again.states()).toEqual(Array(40).fill("delivered"));
});

test("closing ends a wait for deliveries, and rejects an interrupted clock change", async () => {
  const { reply, arrived } = hang();
  const webhooks = [{ url: (await startReceiver(reply)).url }];
  const sandbox = await createSandbox({ world: "empty", clock: "frozen", webhooks });
  await sandbox.trigger("enroll");
  await arrived;
  const settled = sandbox.settle();
  const rejected = expect(sandbox.advance("1d")).rejects.toThrow(
    "the sandbox was closed while its clock was advanced",
  );
  await sandbox.close();
  await Promise.all([settled, rejected]);
  // Shorter than an attempt's timeout.
}, 5_000);

test("closing starts no new delivery, even if the outbox fills", async () => {
  const { sandbox, control, receiver } = await startDelivering();
  await sandbox.service.dispatcher.close();
  sandbox.announce(1);
  await control.settle();
  expect(receiver.arrivals).toEqual([]);
  expect(sandbox.scheduler.nextDueMs()).toBeUndefined();
});

test("a restart resumes: with retries, order, faults' effects and endpoints", async () => {
  const file = fileOf("restart");
  const { sandbox: before, receiver } = await startDelivering({ file, reply: () => 500 });
  before.announce(1, { resource: "one" });
  before.announce(2, { resource: "one" });
  await before.control.setFaults({ deliveries: [{ kind: "delay", delayMs: 60_000, times: 1 }] });
  before.announce(3);
  await before.control.advance("10s");
  await before.close();
  expect(receiver.ids()).toEqual([uuid(1), uuid(1)]);

  receiver.setReply(() => 204);
  receiver.arrivals.length = 0;
  const after = startSandbox({ file });
  await after.control.advance("49s");
  expect(receiver.ids()).toEqual([]);
  await after.control.advance("1s");
  expect(receiver.ids()).toEqual([uuid(3)]);
  await after.control.advance("5m");
  expect(receiver.ids()).toEqual([uuid(3), uuid(1), uuid(2)]);
  expect((await after.log())[0]?.attempts).toHaveLength(3);
});

test("a restart sends due deliveries by itself, and keeps its webhooks once", async () => {
  const file = fileOf("sandbox");
  const receiver = await startReceiver();
  const webhooks = [{ url: receiver.url }];
  const options = { data: file, webhooks, world: "empty", clock: "frozen" } as const;
  const first = await createSandbox(options);
  const endpoints = await first.endpoints();
  await first.close();
  const crashed = startSandbox({ file });
  // The state after a crash: announced, but not sent.
  await crashed.service.dispatcher.close();
  crashed.announce(1);
  await crashed.close();

  const sandbox = await createSandbox(options);
  onTestFinished(() => sandbox.close());
  await vi.waitFor(() => expect(receiver.ids()).toEqual([uuid(1)]));
  await sandbox.settle();
  expect(receiver.arrivals).toHaveLength(1);
  expect(await sandbox.endpoints()).toEqual(endpoints);
});

test("a delivery that can't be recorded is not resent meanwhile", async () => {
  const { opened, open } = gate();
  const { sandbox, control, receiver } = await startDelivering({
    file: fileOf("full"),
    reply: () => opened.then(() => 204),
  });
  sandbox.announce(1);
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(1));
  // Like a full disk: every write fails.
  const { database } = sandbox.engine.store;
  database.exec("PRAGMA query_only = ON");
  const written = vi.spyOn(sandbox.engine, "commit");
  open();
  await vi.waitFor(() => expect(written.mock.calls.length).toBeGreaterThan(1), { timeout: 5_000 });
  expect(receiver.arrivals).toHaveLength(1);
  database.exec("PRAGMA query_only = OFF");
  await control.settle();
  expect(receiver.arrivals).toHaveLength(1);
  expect(await sandbox.states()).toEqual(["delivered"]);
});

test("a change that is rolled back leaves nothing to send", async () => {
  const { sandbox, control, receiver } = await startDelivering();
  const broken = () =>
    sandbox.engine.commit((work) => {
      sandbox.announceIn(work, 1);
      throw new Error("undone");
    });
  expect(broken).toThrow("undone");
  await control.settle();
  expect(receiver.arrivals).toEqual([]);
  expect(await sandbox.log()).toEqual([]);
});
