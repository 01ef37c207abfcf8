import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createControlClient } from "../../src/sandbox/control/client.ts";
import { notFound, serve } from "../support/local-server.ts";
import { startNode, TXFEED, txfeed } from "../support/program.ts";
import { startSandboxProgram } from "../support/sandbox-program.ts";
import { tempDir } from "../support/temp-dir.ts";

test.each<[string[], string]>([
  [["more"], 'unexpected argument "more"'],
  [["--frobnicate"], 'unknown option "--frobnicate"'],
  [["--port", "http"], '--port takes a number from 0 to 65535, not "http"'],
  [["--seed=-1"], '--seed takes a number of at most 15 digits, not "-1"'],
  [["--seed", "1e3"], '--seed takes a number of at most 15 digits, not "1e3"'],
  [["--world", "lagre"], 'not "lagre"; did you mean "large"?'],
  [["--world", "huge"], '--world takes empty, small or large, not "huge"'],
  [["--clock", "slow"], '--clock takes real or frozen, not "slow"'],
  [["--now", "tomorrow"], '--now takes a time such as 2026-01-05T09:00:00.000Z, not "tomorrow"'],
  [["--now", "2026-02-30T00:00:00.000Z"], "--now takes a time such as"],
  [["--webhook-url", "ftp://127.0.0.1/"], '--webhook-url takes http(s)://..., not "ftp:'],
  [["--networks", "A"], '--networks takes A=...,B=...,C=..., not "A"'],
  [["--data", ""], "--data is empty"],
  [["--data", tmpdir()], "can't be opened as the sandbox's data: it is a folder"],
])("txfeed sandbox %j is bad usage: one line and exit 2", async (args, message) => {
  const { status, stdout, stderr } = await txfeed("sandbox", ...args);
  expect(stderr).toMatch(/^txfeed: /);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
});

test("its help lists every flag, within 100 columns", async () => {
  const { status, stdout, stderr } = await txfeed("sandbox", "--help");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toContain("usage: txfeed sandbox [FLAGS]");
  expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
});

test("--json is one line with URLs and credentials", async () => {
  const url = "http://127.0.0.1:9/hooks";
  const args = ["--networks", "A=AA,B=BB,C=CC", "--webhook-url", url];
  const { facts, stop, output } = await startSandboxProgram(args);
  const { accounts } = await createControlClient(facts.controlUrl).status();
  const [first, second] = accounts;
  expect(facts).toEqual({
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    ...first,
    networks: { a: "AA", b: "BB", c: "CC" },
    secondAccount: {
      accountId: second?.accountId,
      clientId: second?.clientId,
      clientSecret: second?.clientSecret,
    },
    controlUrl: `${facts.baseUrl}/_sandbox`,
    webhooks: [{ url, secret: expect.stringMatching(/^whsec_/) }],
  });
  expect(await stop()).toBe(0);
  expect(output.stdout.match(/\n/g)).toHaveLength(1);
});

/** The output of the program without --json. */
async function textOf(...args: string[]): Promise<string> {
  const { until } = startNode([TXFEED, "sandbox", "--port", "0", ...args]);
  return (await until(/[\s\S]*; press Ctrl-C to stop\n/))[0];
}

test("without --json it shows page, credentials and triggers", async () => {
  const url = "http://127.0.0.1:9/hooks";
  const output = await textOf("--webhook-url", url);
  const baseUrl = /^sandbox on (\S+); press Ctrl-C to stop$/m.exec(output)?.[1] ?? "";
  const control = createControlClient(`${baseUrl}/_sandbox`);
  const [first, second] = (await control.status()).accounts;
  const [endpoint] = await control.endpoints();
  const shown = [`${baseUrl}/_sandbox/`, `txfeed trigger purchase --url ${baseUrl}`, "in memory"];
  const known = [...Object.values(first ?? {}), second?.accountId, second?.clientSecret];
  for (const text of [...shown, ...known, url, endpoint?.secret]) expect(output).toContain(text);
  expect(output.split("\n").filter((line) => line.length > 100)).toEqual([]);
  expect(output.trimEnd().split("\n").at(-1)).toContain("sandbox on");
});

test("without an endpoint it shows how to add one", async () => {
  const output = await textOf();
  expect(output).toMatch(/deliveries to +nowhere; set --webhook-url URL/);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "it serves until %s and exits 0, with a page connected or not",
  async (signal) => {
    const { facts, stop, output } = await startSandboxProgram();
    const stream = await fetch(`${facts.controlUrl}/events/stream`);
    await stream.body?.getReader().read();
    expect(await stop(signal)).toBe(0);
    expect(output.stderr).toBe("");
    await expect(fetch(facts.controlUrl)).rejects.toThrow();
  },
);

test("a used port is one line and exit 2", async () => {
  const { port } = new URL(await serve(notFound));
  const { status, stdout, stderr } = await txfeed("sandbox", "--port", port);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toMatch(new RegExp(`^txfeed: port ${port} on 127.0.0.1 is not available: .+\n$`));
});

test("a data file in use is one line and exit 2", async () => {
  const data = join(tempDir(), "data");
  await startSandboxProgram(["--data", data]);
  const { status, stdout, stderr } = await txfeed("sandbox", "--port", "0", "--data", data);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toBe(
    `txfeed: ${data} can't be opened as the sandbox's data: another program uses it; ` +
      "stop that program\n",
  );
});

test("a file that is not a data file is one line and exit 2", async () => {
  const data = join(tempDir(), "data");
  await writeFile(data, "This is a text, of more than the sixteen bytes of a header.".repeat(99));
  const { status, stdout, stderr } = await txfeed("sandbox", "--port", "0", "--data", data);
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toBe(
    `txfeed: ${data} can't be opened as the sandbox's data: it is not an SQLite database; ` +
      "choose another file\n",
  );
});

test("--data keeps state, seed data, seed and clock, no endpoint twice", async () => {
  const data = join(tempDir(), "data");
  const now = "2031-05-01T00:00:00.000Z";
  const flags = ["--data", data, "--webhook-url", "http://127.0.0.1:9/a"];
  const started = ["--seed", "7", "--world", "empty", "--clock", "frozen", "--now", now];
  const first = await startSandboxProgram([...flags, ...started]);
  const { control } = first;
  await control.trigger("open-subaccount");
  await control.advance("1d");
  const status = await control.status();
  await first.stop();

  const again = await startSandboxProgram([...flags, "--webhook-url", "http://127.0.0.1:9/b"]);
  const kept = again.control;
  expect(await kept.status()).toEqual(status);
  expect(status.clock.now).toBe("2031-05-02T00:00:00.000Z");
  const urls = (await kept.endpoints()).map(({ url }) => url);
  expect(urls).toEqual(["http://127.0.0.1:9/a", "http://127.0.0.1:9/b"]);
});

test("the seed determines the accounts", async () => {
  const ids = async (...args: string[]) => {
    const { facts, stop } = await startSandboxProgram(args);
    await stop();
    return [facts.accountId, facts.secondAccount.accountId];
  };
  const first = await ids();
  expect(await ids("--seed", "1")).toEqual(first);
  expect(await ids("--seed", "2")).not.toEqual(first);
});

test("it keeps running after its output is closed", async () => {
  const { child, control, stop } = await startSandboxProgram();
  child.stdout.destroy();
  await control.trigger("open-subaccount");
  expect((await control.status()).accounts).toHaveLength(2);
  expect(await stop()).toBe(0);
});
