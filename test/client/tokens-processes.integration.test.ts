import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";
import { FeedServer } from "./feed-server.ts";
import { times } from "./stage.ts";

/** Starts a process that shares its token through a file. */
async function start(url: string, file: string) {
  const program = join(import.meta.dirname, "sharing-process.ts");
  const child = spawn(process.execPath, [program, url, file], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const read = async () => (await lines.next()).value;
  expect(await read()).toBe("ready");
  return {
    call: () => {
      child.stdin.write("go\n");
      return read();
    },
  };
}

test("three processes with one store make one exchange", async () => {
  const directory = tempDir();
  const server = await new FeedServer({ now: Date.now }).listen();
  const file = join(directory, "tokens.db");
  const processes = await Promise.all(times(3, () => start(server.url, file)));
  const statuses = await Promise.all(processes.map(({ call }) => call()));
  expect(statuses).toEqual(["200", "200", "200"]);
  expect(server.exchanges).toBe(1);
  expect(server.bearers).toEqual(["token-1", "token-1", "token-1"]);
});
