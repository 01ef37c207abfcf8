import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { withBuiltPackage } from "../built-package.ts";
import { runInChild } from "../child.ts";
import { median, rotate } from "../measure.ts";
import { millisecondsText } from "../process-time.ts";
import { atLeast, ratioText, type SectionReport } from "../report.ts";
import type { Section } from "../section.ts";
import {
  accessToken,
  freePort,
  kill,
  type SandboxFacts,
  spawnPrism,
  spawnSandbox,
  withSandbox,
} from "./programs.ts";
import type { Readiness } from "./readiness.ts";

const LEAST_RATIO = 5;
const TURNS_A_PROCESS = 5;
const POLL_MS = 1;
const START_TIMEOUT_MS = 120_000;

interface Program {
  readonly name: string;
  readonly start: (port: number) => ChildProcess;
  /** Requests an access token; rejects until the program listens. */
  readonly token: (origin: string) => Promise<string>;
}

const TXFEED = "txfeed sandbox, built";
const PRISM = "Prism on openapi.yaml";

/** Time from start to the first valid response, and of creating a sandbox in process. */
export const start: Section = ({ processes, isQuick }) =>
  withBuiltPackage(async (folder) => {
    const cli = join(folder, "dist/bin/txfeed.js");
    const facts = await withSandbox(cli, async (output) => output);
    const programs = programsOf(cli, facts);
    const turns = isQuick ? 1 : processes * TURNS_A_PROCESS;
    const times = new Map<string, number[]>(programs.map(({ name }) => [name, []]));
    const entry = pathToFileURL(join(folder, "dist/src/sandbox/index.js")).href;
    const inProcess: Readiness[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      for (const program of rotate(programs, turn)) {
        times.get(program.name)?.push(await firstResponseMs(program));
      }
      inProcess.push(await runInChild(new URL("readiness.ts", import.meta.url), { entry }));
    }
    return reportOf(times, inProcess);
  });

function programsOf(cli: string, facts: SandboxFacts): Program[] {
  return [
    {
      name: TXFEED,
      start: (port) => spawnSandbox(cli, port),
      token: (origin) => accessToken(origin, facts),
    },
    // Prism accepts any token and has no token endpoint.
    { name: PRISM, start: (port) => spawnPrism(port), token: async () => "any" },
  ];
}

async function firstResponseMs({ name, start: startProgram, token }: Program): Promise<number> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const startMs = performance.now();
  const program = startProgram(port);
  try {
    for (;;) {
      const isReady = await hasTransactions(origin, token).catch(ignoreRefused);
      const durationMs = performance.now() - startMs;
      if (isReady) return durationMs;
      const hasFailed = program.exitCode !== null || durationMs > START_TIMEOUT_MS;
      if (hasFailed) throw new Error(`${name} did not start`);
      await wait(POLL_MS);
    }
  } finally {
    await kill(program);
  }
}

async function hasTransactions(origin: string, token: Program["token"]): Promise<boolean> {
  const headers = { authorization: `Bearer ${await token(origin)}` };
  const response = await fetch(`${origin}/transactions`, { headers });
  const page = (await response.json()) as { _embedded?: { transactions?: unknown[] } };
  if (response.status === 200 && page._embedded?.transactions?.length) return true;
  throw new Error(`GET /transactions: status ${response.status}`);
}

/** A refused connection means that the program is still starting; rethrows other errors. */
function ignoreRefused(error: Error): false {
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ECONNREFUSED") return false;
  throw error;
}

function reportOf(
  times: ReadonlyMap<string, readonly number[]>,
  inProcess: readonly Readiness[],
): SectionReport {
  const [own = [], prism = []] = [times.get(TXFEED), times.get(PRISM)];
  const ratio = median(prism.map((ms, turn) => ms / (own[turn] ?? Number.NaN)));
  const rows = [...times].map(([name, ms]) => [
    name,
    millisecondsText(median(ms)),
    millisecondsText(Math.min(...ms)),
  ]);
  const middle = (of: (one: Readiness) => number) => millisecondsText(median(inProcess.map(of)));
  return {
    tables: [
      {
        title: "From the start of the program to the first 200 of GET /transactions",
        columns: ["median", "best"],
        rows,
        notes: ["The sandbox time includes a token request; Prism accepts any token."],
      },
      {
        title: "createSandbox() in process, with the small world",
        columns: ["import", "first sandbox", "later sandboxes"],
        rows: [
          [
            "txfeed, built",
            middle(({ importMs }) => importMs),
            middle(({ firstMs }) => firstMs),
            middle(({ laterMs }) => laterMs),
          ],
        ],
      },
    ],
    targets: [
      atLeast("start to first 200, faster than Prism", LEAST_RATIO, ratio, (value) => {
        return `${ratioText(value)} x`;
      }),
    ],
  };
}
