import { join } from "node:path";
import { expect, test } from "vitest";
import { startNode } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";
import { FeedServer } from "./feed-server.ts";
import { times } from "./fixture.ts";

/** Starts a process that shares its token through a file. */
async function startSharing(url: string, file: string) {
  const { child, until } = startNode([join(import.meta.dirname, "sharing-process.ts"), url, file]);
  await until(/^ready\n/);
  return {
    call: async () => {
      child.stdin.write("go\n");
      return (await until(/^ready\n(.+)\n/))[1];
    },
  };
}

test("three processes with one store make one exchange", async () => {
  const directory = tempDir();
  const server = await new FeedServer({ now: Date.now }).listen();
  const file = join(directory, "tokens.db");
  const processes = await Promise.all(times(3, () => startSharing(server.url, file)));
  const statuses = await Promise.all(processes.map(({ call }) => call()));
  expect(statuses).toEqual(["200", "200", "200"]);
  expect(server.exchanges).toBe(1);
  expect(server.bearers).toEqual(["token-1", "token-1", "token-1"]);
});
