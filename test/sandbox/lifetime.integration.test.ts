import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { createControlClient } from "../../src/sandbox/control/client.ts";
import { type Control, createSandbox, type SandboxOptions } from "../../src/sandbox/index.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startReceiver } from "./delivery/receiver.ts";

const directory = tempDir();
const URL_A = "http://127.0.0.1";

test("close lets the process end, even with work in progress", async () => {
  const program = join(import.meta.dirname, "closing.ts");
  // A process that does not exit is killed, and the promise rejects.
  const ended = await promisify(execFile)(process.execPath, [program], { timeout: 40_000 });
  expect(ended).toEqual({ stdout: "rejected resolved\n", stderr: "" });
});

test("close may be called twice, and makes later calls report the cause and remedy", async () => {
  const sandbox = await createSandbox({ world: "empty" });
  const { accounts } = sandbox;
  await Promise.all([sandbox.close(), sandbox.close()]);
  await sandbox.close();
  await expect(fetch(sandbox.baseUrl)).rejects.toThrow();
  for (const name of Object.keys(createControlClient(URL_A)) as (keyof Control)[]) {
    await expect((sandbox[name] as () => Promise<unknown>)()).rejects.toMatchObject({
      name: "TxfeedError",
      code: "usage",
      message: `sandbox.${name}() was called after close(); start another with createSandbox()`,
    });
  }
  expect([sandbox.accounts, sandbox.violations]).toEqual([accounts, []]);
});

test("the end of an `await using` block frees the file and the port", async () => {
  const data = join(directory, "freed.db");
  let first: { readonly accounts: unknown; readonly baseUrl: string };
  {
    await using sandbox = await createSandbox({ data, world: "empty" });
    const { accounts, baseUrl } = sandbox;
    first = { accounts, baseUrl };
    expect((await fetch(`${baseUrl}/_sandbox/status`)).status).toBe(200);
  }
  await expect(fetch(first.baseUrl)).rejects.toThrow();
  await using second = await createSandbox({ data, port: Number(new URL(first.baseUrl).port) });
  expect(second.accounts).toEqual(first.accounts);
});

test.each<[name: string, options: object]>([
  ...[-1, 65_536, 40.5, Number.NaN, "4020"].map((port): [string, object] => ["port", { port }]),
  ["host", { host: "" }],
  ["data", { data: "" }],
  ...[-1, 1.5, 2 ** 60].map((seed): [string, object] => ["seed", { seed }]),
  ["world", { world: "huge" }],
  ["clock", { clock: "stopped" }],
  ...["yesterday", "2026-02-30T09:00:00.000Z", "9999-01-01T00:00:00.000Z", 0].map(
    (now): [string, object] => ["now", { now }],
  ),
  ["networks", { networks: { a: "X", b: "Y" } }],
  ["networks", { networks: { a: "X", b: "Y", c: "X" } }],
  ["networks", { networks: { a: "X", b: "Y", c: "" } }],
  ["webhooks", { webhooks: [{ url: "ftp://127.0.0.1" }] }],
  ["webhooks", { webhooks: [{ url: "127.0.0.1" }] }],
  ["webhooks", { webhooks: [{ url: URL_A, events: ["nothing"] }] }],
  ["webhooks", { webhooks: { url: URL_A } }],
  ["validate", { validate: "yes" }],
])("a wrong %s is reported in one line and opens nothing: %j", async (name, options) => {
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
])("options %j are refused with the nearest option", async (options, text) => {
  const message = expect.stringMatching(text);
  const refused = createSandbox(options as SandboxOptions);
  await expect(refused).rejects.toMatchObject({ code: "usage", message });
});

test("a sandbox for an unknown account does not start and leaves its file free", async () => {
  const data = join(directory, "account.db");
  const webhooks = [{ url: "http://127.0.0.1:9", accountId: "nobody" }];
  await expect(createSandbox({ data, webhooks })).rejects.toMatchObject({
    code: "usage",
    message: "there is no account nobody",
  });
  await (await createSandbox({ data })).close();
});

test("a sandbox without its port sends nothing and leaves its file free", async () => {
  const data = join(directory, "port.db");
  const receiver = await startReceiver(() => undefined);
  const webhooks = [{ url: receiver.url }];
  const first = await createSandbox({ data, webhooks });
  await first.trigger("purchase");
  await vi.waitFor(() => expect(receiver.arrivals.length).toBeGreaterThan(0));
  await first.close();
  const arrived = receiver.arrivals.length;

  await using holder = await createSandbox({ world: "empty" });
  const port = Number(new URL(holder.baseUrl).port);
  const refused = createSandbox({ data, webhooks, port });
  await expect(refused).rejects.toMatchObject({ code: "port-in-use" });
  expect(receiver.arrivals.length).toBe(arrived);
  receiver.setReply(() => 204);
  await using second = await createSandbox({ data, webhooks });
  await second.settle();
  expect(receiver.arrivals.length).toBeGreaterThan(arrived);
});

test("a sandbox accepts known options that are undefined", async () => {
  const options = { port: undefined, seed: undefined, now: undefined, networks: undefined };
  await using sandbox = await createSandbox({ ...options, webhooks: undefined, data: undefined });
  expect(sandbox.networks).toEqual({ a: "NETWORK_A", b: "NETWORK_B", c: "NETWORK_C" });
});
