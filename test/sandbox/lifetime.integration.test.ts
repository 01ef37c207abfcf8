import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import {
  type Control,
  createSandbox,
  type Sandbox,
  type SandboxOptions,
} from "../../src/sandbox/index.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startReceiver } from "./delivery/receiver.ts";

const directory = tempDir();

/** Every call of a sandbox. The compiler reports missing ones. */
const EVERY_CALL: Record<keyof Control, true> = {
  ...{ status: true, verbs: true, trigger: true, readClock: true, setClock: true, advance: true },
  ...{ settle: true, events: true, resources: true, endpoints: true, addEndpoint: true },
  ...{ removeEndpoint: true, deliveries: true, replay: true, faults: true, setFaults: true },
  ...{ dryRun: true, resource: true },
  ...{ reset: true, snapshots: true, snapshot: true, restore: true },
};

describe("close", () => {
  test("lets the process end, even with work in progress", async () => {
    const program = join(import.meta.dirname, "closing.ts");
    // A process that does not exit is killed, and the promise rejects.
    const ended = await promisify(execFile)(process.execPath, [program], { timeout: 40_000 });
    expect(ended).toEqual({ stdout: "rejected resolved\n", stderr: "" });
  });

  test("may be called twice, also concurrently", async () => {
    const sandbox = await createSandbox({ world: "empty" });
    await Promise.all([sandbox.close(), sandbox.close()]);
    await sandbox.close();
    await expect(fetch(sandbox.baseUrl)).rejects.toThrow();
  });

  test("makes every later call report the cause and the remedy", async () => {
    const sandbox = await createSandbox({ world: "empty" });
    const { accounts } = sandbox;
    await sandbox.close();
    const calls = Object.keys(EVERY_CALL) as (keyof Control)[];
    for (const name of calls) {
      await expect((sandbox[name] as () => Promise<unknown>)()).rejects.toMatchObject({
        name: "TxfeedError",
        code: "usage",
        message: `sandbox.${name}() was called after close(); start another with createSandbox()`,
      });
    }
    await sandbox.close();
    expect([sandbox.accounts, sandbox.violations]).toEqual([accounts, []]);
  });

  test("runs at the end of an `await using` block", async () => {
    let baseUrl: string;
    {
      await using sandbox = await createSandbox({ world: "empty" });
      ({ baseUrl } = sandbox);
      expect((await fetch(`${baseUrl}/_sandbox/status`)).status).toBe(200);
    }
    await expect(fetch(baseUrl)).rejects.toThrow();
  });

  test("frees the file and the port", async () => {
    const data = join(directory, "freed.db");
    const first = await createSandbox({ data, world: "empty" });
    const port = Number(new URL(first.baseUrl).port);
    await first.close();
    await using second = await createSandbox({ data, port });
    expect(second.accounts).toEqual(first.accounts);
  });
});

describe("a sandbox that does not start", () => {
  const cases: [string, object][] = [
    ["port", { port: -1 }],
    ["port", { port: 65_536 }],
    ["port", { port: 40.5 }],
    ["port", { port: Number.NaN }],
    ["port", { port: "4020" }],
    ["host", { host: "" }],
    ["data", { data: "" }],
    ["seed", { seed: -1 }],
    ["seed", { seed: 1.5 }],
    ["seed", { seed: 2 ** 60 }],
    ["world", { world: "huge" }],
    ["clock", { clock: "stopped" }],
    ["now", { now: "yesterday" }],
    ["now", { now: "2026-02-30T09:00:00.000Z" }],
    ["now", { now: "9999-01-01T00:00:00.000Z" }],
    ["now", { now: 0 }],
    ["networks", { networks: { a: "X", b: "Y" } }],
    ["networks", { networks: { a: "X", b: "Y", c: "X" } }],
    ["networks", { networks: { a: "X", b: "Y", c: "" } }],
    ["webhooks", { webhooks: [{ url: "ftp://127.0.0.1" }] }],
    ["webhooks", { webhooks: [{ url: "127.0.0.1" }] }],
    ["webhooks", { webhooks: [{ url: "http://127.0.0.1", events: ["nothing"] }] }],
    ["webhooks", { webhooks: { url: "http://127.0.0.1" } }],
    ["validate", { validate: "yes" }],
  ];

  test.each(cases)("reports %s in one line and opens nothing: %j", async (name, options) => {
    const data = join(directory, "unopened.db");
    const refused = createSandbox({ data, ...options } as SandboxOptions);
    await expect(refused).rejects.toMatchObject({
      name: "TxfeedError",
      code: "usage",
      message: expect.stringMatching(new RegExp(`^createSandbox: ${name}\\b.+$`)),
    });
    expect(existsSync(data)).toBe(false);
  });

  test.each([
    [{ hots: "::1" }, 'createSandbox: unknown option "hots"; did you mean "host"?'],
    [{ webhook: [] }, 'createSandbox: unknown option "webhook"; did you mean "webhooks"?'],
    [{ verbose: true }, /^createSandbox: unknown option "verbose"; known options: port, host, /],
    [null, "createSandbox: options must be an object; got null"],
  ])("for options %j names the nearest option", async (options, message) => {
    const refused = createSandbox(options as SandboxOptions);
    await expect(refused).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(message),
    });
  });

  test("for an unknown account leaves its file free", async () => {
    const data = join(directory, "account.db");
    const webhooks = [{ url: "http://127.0.0.1:9", accountId: "nobody" }];
    await expect(createSandbox({ data, webhooks })).rejects.toMatchObject({
      code: "usage",
      message: "there is no account nobody",
    });
    await (await createSandbox({ data })).close();
  });

  test("for its port sends nothing and leaves its file free", async () => {
    const data = join(directory, "port.db");
    const receiver = await startReceiver(() => undefined);
    const webhooks = [{ url: receiver.url }];
    const first = await createSandbox({ data, webhooks });
    await first.trigger("purchase");
    await vi.waitFor(() => expect(receiver.arrivals.length).toBeGreaterThan(0));
    await first.close();
    const arrived = receiver.arrivals.length;

    await using holder: Sandbox = await createSandbox({ world: "empty" });
    const port = Number(new URL(holder.baseUrl).port);
    await expect(createSandbox({ data, webhooks, port })).rejects.toMatchObject({
      code: "port-in-use",
    });
    expect(receiver.arrivals.length).toBe(arrived);
    receiver.setReply(() => 204);
    await using second = await createSandbox({ data, webhooks });
    await second.settle();
    expect(receiver.arrivals.length).toBeGreaterThan(arrived);
  });

  test("accepts known options and undefined", async () => {
    const options = { port: undefined, seed: undefined, now: undefined, networks: undefined };
    await using sandbox = await createSandbox({ ...options, webhooks: undefined, data: undefined });
    expect(sandbox.networks).toEqual({ a: "NETWORK_A", b: "NETWORK_B", c: "NETWORK_C" });
  });
});
