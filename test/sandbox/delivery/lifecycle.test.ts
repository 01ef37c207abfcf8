import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createSandbox } from "../../../src/sandbox/create-sandbox.ts";
import { uuid } from "../../support/payloads.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { announceIn, Harness } from "./harness.ts";
import { gate, startReceiver } from "./receiver.ts";
import { startHarness } from "./start-harness.ts";

const directory = tempDir();
const fileOf = (name: string) => join(directory, `${name}.db`);

/** A receiver that never responds and signals the first delivery. */
async function startHanging() {
  const arrived = gate();
  const receiver = await startReceiver(() => {
    arrived.open();
    return undefined;
  });
  return { receiver, arrived: arrived.opened };
}

describe("closing", () => {
  test("aborts attempts, records none of them and leaves no connection", async () => {
    const harness = new Harness({ file: fileOf("closing") });
    const { receiver, arrived } = await startHanging();
    await harness.control.addEndpoint({ url: receiver.url });
    for (let n = 1; n <= 40; n += 1) harness.announce(n);
    await arrived;
    await harness.close();
    await vi.waitFor(async () => expect(await receiver.open()).toBe(0));
    expect(receiver.arrivals.length).toBeLessThanOrEqual(32);

    const again = startHarness({ file: fileOf("closing") });
    expect((await again.log()).every(({ attempts }) => attempts.length === 0)).toBe(true);
    receiver.setReply(() => 204);
    await again.control.settle();
    expect(new Set(receiver.ids()).size).toBe(40);
    expect(await again.states()).toEqual(Array(40).fill("delivered"));
  });

  test("ends a wait for deliveries, and rejects an interrupted clock change", async () => {
    const { receiver, arrived } = await startHanging();
    const webhooks = [{ url: receiver.url }];
    const sandbox = await createSandbox({ world: "empty", clock: "frozen", webhooks });
    await sandbox.trigger("open-subaccount");
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

  test("starts no new delivery, even if the outbox fills", async () => {
    const harness = startHarness();
    const receiver = await startReceiver();
    await harness.control.addEndpoint({ url: receiver.url });
    await harness.service.dispatcher.close();
    harness.announce(1);
    await harness.control.settle();
    expect(receiver.arrivals).toEqual([]);
    expect(harness.scheduler.nextDueMs()).toBeUndefined();
  });
});

describe("a restart on the same file", () => {
  test("resumes: with retries, order, faults' effects and endpoints", async () => {
    const file = fileOf("restart");
    const before = new Harness({ file });
    const receiver = await startReceiver(() => 500);
    await before.control.addEndpoint({ url: receiver.url });
    before.announce(1, { resource: "one" });
    before.announce(2, { resource: "one" });
    await before.control.setFaults({ deliveries: [{ kind: "delay", delayMs: 60_000, times: 1 }] });
    before.announce(3);
    await before.control.advance("10s");
    await before.close();
    expect(receiver.ids()).toEqual([uuid(1), uuid(1)]);

    receiver.setReply(() => 204);
    receiver.arrivals.length = 0;
    const after = startHarness({ file });
    await after.control.advance("49s");
    expect(receiver.ids()).toEqual([]);
    await after.control.advance("1s");
    expect(receiver.ids()).toEqual([uuid(3)]);
    await after.control.advance("5m");
    expect(receiver.ids()).toEqual([uuid(3), uuid(1), uuid(2)]);
    expect((await after.log())[0]?.attempts).toHaveLength(3);
  });

  test("of a whole sandbox sends due deliveries by itself", async () => {
    const file = fileOf("sandbox");
    const receiver = await startReceiver();
    const webhooks = [{ url: receiver.url }];
    const options = { data: file, webhooks, world: "empty", clock: "frozen" } as const;
    await (await createSandbox(options)).close();
    const harness = new Harness({ file });
    // The state after a crash: announced, but not sent.
    await harness.service.dispatcher.close();
    harness.announce(1);
    await harness.close();

    const sandbox = await createSandbox({ ...options, webhooks: [] });
    onTestFinished(() => sandbox.close());
    await vi.waitFor(() => expect(receiver.ids()).toEqual([uuid(1)]));
    await sandbox.settle();
    expect(receiver.arrivals).toHaveLength(1);
  });

  test("of a whole sandbox does not duplicate its webhooks", async () => {
    const webhooks = [{ url: "http://127.0.0.1:9/hook" }];
    const options = { data: fileOf("webhooks"), webhooks, world: "empty" } as const;
    const first = await createSandbox(options);
    const endpoints = await first.endpoints();
    await first.close();
    const second = await createSandbox(options);
    onTestFinished(() => second.close());
    expect(await second.endpoints()).toEqual(endpoints);
  });
});

test("a delivery that can't be recorded is not resent meanwhile", async () => {
  const file = fileOf("full");
  const harness = startHarness({ file });
  const { opened, open } = gate();
  const receiver = await startReceiver(async () => {
    await opened;
    return 204;
  });
  await harness.control.addEndpoint({ url: receiver.url });
  harness.announce(1);
  await vi.waitFor(() => expect(receiver.arrivals).toHaveLength(1));
  // Like a full disk: every write fails.
  const { database } = harness.engine.store;
  database.exec("PRAGMA query_only = ON");
  const written = vi.spyOn(harness.engine, "commit");
  open();
  await vi.waitFor(() => expect(written.mock.calls.length).toBeGreaterThan(1), { timeout: 5_000 });
  expect(receiver.arrivals).toHaveLength(1);
  database.exec("PRAGMA query_only = OFF");
  await harness.control.settle();
  expect(receiver.arrivals).toHaveLength(1);
  expect(await harness.states()).toEqual(["delivered"]);
});

test("a change that is rolled back leaves nothing to send", async () => {
  const harness = startHarness();
  const receiver = await startReceiver();
  await harness.control.addEndpoint({ url: receiver.url });
  const broken = () =>
    harness.engine.commit((work) => {
      announceIn(work, 1, { accountId: harness.accounts[0] ?? "", resource: "one" });
      throw new Error("undone");
    });
  expect(broken).toThrow("undone");
  await harness.control.settle();
  expect(receiver.arrivals).toEqual([]);
  expect(await harness.log()).toEqual([]);
});
