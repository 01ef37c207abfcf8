import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { ROOT } from "../../test/document.ts";
import { ask } from "../child.ts";
import type { Load } from "../sandbox/load.ts";
import type { StaticResponse } from "../sandbox/static-server.ts";

const run = promisify(execFile);

/** Building the package and starting Prism is slow on a busy machine. */
const LONGEST_MS = 300_000;

/** The targets of each section. */
const SECTIONS = {
  sandbox: ["requests per second, relative to Prism", "requests per second, relative to node:http"],
  "sandbox-start": ["start to first 200, faster than Prism"],
  "sandbox-delivery": ["event to POST at 200 events per second, p99"],
  "sandbox-reset": [
    "reset with the small world, in process",
    "reset with the small world, over HTTP",
  ],
  "sandbox-growth": [
    "start with --data, growth with the history",
    "a page of 100 transactions, growth with the history",
    "a purchase with its deliveries, growth with the history",
  ],
  matching: [
    "precision of HIGH, all at once",
    "recall of HIGH, all at once",
    "precision of HIGH, day by day",
    "recall of HIGH, day by day",
  ],
};

test.each(Object.entries(SECTIONS))(
  "the section %s measures each of its targets",
  async (part, targets) => {
    const words = ["bench/main.ts", "--only", part, "--quick", "--processes", "1"];
    const { stdout } = await run(process.execPath, words, { cwd: ROOT });
    const [, targetLines = ""] = stdout.split("\nTargets\n");
    const lines = [...targetLines.matchAll(/^ {2}(\S.*?) {3,}.* {3}(met|not met|not measured)$/gm)];
    expect(lines.map(([, what]) => what)).toEqual(targets);
    expect(lines.map(([, , verdict]) => verdict)).not.toContain("not measured");
  },
  LONGEST_MS,
);

test("the load generator exits with an error if a response is not 200", async () => {
  const server = createServer((_, response) => response.writeHead(503).end()).listen(0);
  await once(server, "listening");
  const sender = forked("load.ts");
  const load: Load = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths: ["/transactions/1"],
    authorization: "Bearer any",
    connections: 2,
    durationMs: 1000,
  };
  await expect(ask<number>(sender, load)).rejects.toThrow(
    "a child process of the benchmark exited",
  );
  server.closeAllConnections();
  server.close();
});

test("the static server sends the given responses, and 404 for other paths", async () => {
  const bare = forked("static-server.ts");
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  const responses: StaticResponse[] = [{ path: "/transactions/1", headers, body: '{"id":"é"}' }];
  const origin = `http://127.0.0.1:${await ask<number>(bare, responses)}`;
  const response = await fetch(`${origin}/transactions/1`);
  expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  expect(await response.text()).toBe('{"id":"é"}');
  expect((await fetch(`${origin}/transactions/2`)).status).toBe(404);
  bare.kill();
  await once(bare, "exit");
});

function forked(module: string) {
  return fork(join(ROOT, "bench/sandbox", module), { silent: true });
}
