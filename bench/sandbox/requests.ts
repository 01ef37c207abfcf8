import { type ChildProcess, fork } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import { validateResponse } from "../../src/contract/index.ts";
import { ask } from "../child.ts";
import { median, rotate } from "../measure.ts";
import { atLeast, ratioText, type SectionReport } from "../report.ts";
import type { Section } from "../section.ts";
import type { Load } from "./load.ts";
import {
  accessToken,
  ended,
  freePort,
  type SandboxFacts,
  SOURCE_CLI,
  spawnPrism,
  withSandbox,
} from "./programs.ts";
import type { StaticResponse } from "./static-server.ts";

const LEAST_OVER_PRISM = 8;
const LEAST_OF_BARE = 0.5;
const CONNECTIONS = 32;
const POLL_MS = 50;

const OURS = "txfeed sandbox";
const BARE = "bare node:http, the same bytes";
const PRISM = "Prism";
const SILENT = "Prism, silent";

/** Node writes these itself. */
const OWN_HEADERS = new Set(["date", "connection", "keep-alive"]);

/** Where each contestant is. */
type Origins = Readonly<Record<string, string>>;

/** How many requests a second each took, round by round. */
type Rates = Record<string, number[]>;

/** GET /transactions/{id}: the requests a second of a sandbox, beside others. */
export const requests: Section = async ({ processes, isQuick }) => {
  const rates: Rates = { [OURS]: [], [BARE]: [], [PRISM]: [], [SILENT]: [] };
  for (let turn = 0; turn < processes; turn += 1) {
    await withSandbox(SOURCE_CLI, (facts) => {
      return withOthers(facts, (origins, answers) => {
        return measure({ origins, facts, paths: answers.map(({ path }) => path) }, rates, isQuick);
      });
    });
  }
  return reportOf(rates);
};

/** Runs something with all contestants, each in a process of its own, proven to answer right. */
async function withOthers(
  facts: SandboxFacts,
  run: (origins: Origins, answers: readonly StaticResponse[]) => Promise<void>,
): Promise<void> {
  const answers = await answersOf(facts);
  const ports = [await freePort(), await freePort()] as const;
  const bare = fork(new URL("bare.ts", import.meta.url));
  const programs: ChildProcess[] = [
    bare,
    spawnPrism(ports[0]),
    spawnPrism(ports[1], ["-v", "silent"]),
  ];
  try {
    const origins: Origins = {
      [OURS]: facts.baseUrl,
      [BARE]: originOf(await ask<number>(bare, answers)),
      [PRISM]: originOf(ports[0]),
      [SILENT]: originOf(ports[1]),
    };
    await proveSame(origins[BARE] ?? "", answers);
    for (const name of [PRISM, SILENT]) await proveMock(origins[name] ?? "", answers);
    await run(origins, answers);
  } finally {
    for (const program of programs) await ended(program);
  }
}

const originOf = (port: number) => `http://127.0.0.1:${port}`;

/** What the sandbox answers for each transaction that it lists, and that each is one. */
async function answersOf(facts: SandboxFacts): Promise<StaticResponse[]> {
  const authorization = `Bearer ${await accessToken(facts.baseUrl, facts)}`;
  const get = (path: string) => fetch(facts.baseUrl + path, { headers: { authorization } });
  const page = (await (await get("/transactions?limit=100")).json()) as {
    _embedded: { transactions: { id: string }[] };
  };
  const answers: StaticResponse[] = [];
  for (const { id } of page._embedded.transactions) {
    const path = `/transactions/${id}`;
    const response = await get(path);
    const body = await response.text();
    if (JSON.parse(body).id !== id) throw new Error(`${path} is answered with another one`);
    prove(OURS, response.status, body);
    answers.push({ path, headers: told(response.headers), body });
  }
  return answers;
}

function told(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !OWN_HEADERS.has(name)));
}

async function proveSame(origin: string, answers: readonly StaticResponse[]): Promise<void> {
  for (const { path, headers, body } of answers) {
    const response = await fetch(origin + path);
    const isSame =
      JSON.stringify(told(response.headers)) === JSON.stringify(headers) &&
      (await response.text()) === body;
    if (!isSame) throw new Error(`${BARE} answers ${path} otherwise than ${OURS}`);
  }
}

/** A mock has one transaction for all ids. It is asked until it has started. */
async function proveMock(origin: string, [answer]: readonly StaticResponse[]): Promise<void> {
  const headers = { authorization: "Bearer any" };
  const url = `${origin}${answer?.path}`;
  let response = await fetch(url, { headers }).catch(() => null);
  while (!response) {
    await wait(POLL_MS);
    response = await fetch(url, { headers }).catch(() => null);
  }
  prove(PRISM, response.status, await response.text());
}

function prove(name: string, status: number, body: string): void {
  if (status !== 200) throw new Error(`${name} answers with ${status}: ${body}`);
  const operation = "GET /transactions/{transactionId}";
  const { findings } = validateResponse(operation, status, JSON.parse(body));
  const wrong = findings.find(({ level }) => level === "error");
  if (wrong) throw new Error(`${name} answers otherwise than it is to: ${wrong.message}`);
}

interface Field {
  readonly origins: Origins;
  readonly facts: SandboxFacts;
  readonly paths: readonly string[];
}

/** Adds the rates of each round; the first is left out, in which code gets warm. */
async function measure(field: Field, rates: Rates, isQuick: boolean): Promise<void> {
  const { origins, facts, paths } = field;
  const rounds = isQuick ? 1 : 5;
  const durationMs = isQuick ? 100 : 2000;
  const sender = fork(new URL("load.ts", import.meta.url));
  try {
    for (let round = 0; round <= rounds; round += 1) {
      // AUTH-09: a token lives for five minutes, the whole run takes longer.
      const authorization = `Bearer ${await accessToken(facts.baseUrl, facts)}`;
      for (const [name, origin] of rotate(Object.entries(origins), round)) {
        const load: Load = { origin, paths, authorization, connections: CONNECTIONS, durationMs };
        const rate = await ask<number>(sender, load);
        if (round > 0) rates[name]?.push(rate);
      }
    }
  } finally {
    await ended(sender);
  }
}

function reportOf(rates: Readonly<Rates>): SectionReport {
  const own = rates[OURS] ?? [];
  const over = (name: string) =>
    median(own.map((rate, round) => rate / (rates[name]?.[round] ?? Number.NaN)));
  const rows = Object.entries(rates).map(([name, all]) => [
    name,
    Math.round(median(all)).toLocaleString("en"),
    ratioText(over(name)),
  ]);
  const text = (name: string) => (ratio: number) => `${ratioText(ratio)} x ${name}`;
  return {
    tables: [
      {
        title: `GET /transactions/{id}, ${CONNECTIONS} connections`,
        columns: ["requests a second", "txfeed sandbox over it"],
        rows,
        notes: ["Each has proven that it answers right, the bare one with the sandbox's headers."],
      },
    ],
    targets: [
      atLeast("requests a second, over Prism", LEAST_OVER_PRISM, over(PRISM), text(PRISM)),
      atLeast("requests a second, of node:http's", LEAST_OF_BARE, over(BARE), text("node:http")),
    ],
  };
}
