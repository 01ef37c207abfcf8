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
  ended,
  freePort,
  type SandboxFacts,
  spawnPrism,
  spawnSandbox,
  withSandbox,
} from "./programs.ts";
import type { Readiness } from "./readiness.ts";

const LEAST_RATIO = 5;
const TURNS_A_PROCESS = 5;
const POLL_MS = 1;
/** Slower than any machine: then something is wrong. */
const LONGEST_MS = 120_000;

interface Contestant {
  readonly name: string;
  readonly start: (port: number) => ChildProcess;
  /** What opens the first list; rejects as long as nothing listens. */
  readonly token: (origin: string) => Promise<string>;
}

const OURS = "txfeed sandbox, as built";
const PRISM = "Prism on openapi.yaml";

/** From the start of the program to its first answer that is right, and from a call in process. */
export const start: Section = ({ processes, isQuick }) =>
  withBuiltPackage(async (folder) => {
    const cli = join(folder, "dist/bin/txfeed.js");
    const facts = await withSandbox(cli, async (told) => told);
    const contestants = contestantsOf(cli, facts);
    const turns = isQuick ? 1 : processes * TURNS_A_PROCESS;
    const times = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
    const entry = pathToFileURL(join(folder, "dist/src/sandbox/index.js")).href;
    const inProcess: Readiness[] = [];
    for (let turn = 0; turn < turns; turn += 1) {
      for (const contestant of rotate(contestants, turn)) {
        times.get(contestant.name)?.push(await firstAnswerMs(contestant));
      }
      inProcess.push(await runInChild(new URL("readiness.ts", import.meta.url), { entry }));
    }
    return reportOf(times, inProcess);
  });

function contestantsOf(cli: string, facts: SandboxFacts): Contestant[] {
  return [
    {
      name: OURS,
      start: (port) => spawnSandbox(cli, port),
      token: (origin) => accessToken(origin, facts),
    },
    // Prism takes any token, and has none to ask for.
    { name: PRISM, start: (port) => spawnPrism(port), token: async () => "any" },
  ];
}

async function firstAnswerMs({ name, start: startProgram, token }: Contestant): Promise<number> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const startMs = performance.now();
  const program = startProgram(port);
  try {
    for (;;) {
      const isThere = await hasList(origin, token).catch(refusedConnection);
      const durationMs = performance.now() - startMs;
      if (isThere) return durationMs;
      const isGone = program.exitCode !== null || durationMs > LONGEST_MS;
      if (isGone) throw new Error(`${name} did not start`);
      await wait(POLL_MS);
    }
  } finally {
    await ended(program);
  }
}

async function hasList(origin: string, token: Contestant["token"]): Promise<boolean> {
  const headers = { authorization: `Bearer ${await token(origin)}` };
  const response = await fetch(`${origin}/transactions`, { headers });
  const page = (await response.json()) as { _embedded?: { transactions?: unknown[] } };
  if (response.status === 200 && page._embedded?.transactions?.length) return true;
  throw new Error(`GET /transactions is answered with ${response.status}`);
}

/** As long as nobody listens there is no answer; any other failure is none of a program's start. */
function refusedConnection(error: Error): false {
  const code = (error.cause as NodeJS.ErrnoException | undefined)?.code;
  if (code === "ECONNREFUSED") return false;
  throw error;
}

function reportOf(
  times: ReadonlyMap<string, readonly number[]>,
  inProcess: readonly Readiness[],
): SectionReport {
  const [own = [], prism = []] = [times.get(OURS), times.get(PRISM)];
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
        notes: ["Of the sandbox with the exchange of a token before; Prism takes any."],
      },
      {
        title: "createSandbox() in process, with the small world",
        columns: ["the import before", "ready", "ready, later ones"],
        rows: [
          [
            "txfeed, as built",
            middle(({ importMs }) => importMs),
            middle(({ firstMs }) => firstMs),
            middle(({ laterMs }) => laterMs),
          ],
        ],
      },
    ],
    targets: [
      atLeast("start to first 200, sooner than Prism", LEAST_RATIO, ratio, (value) => {
        return `${ratioText(value)} x`;
      }),
    ],
  };
}
