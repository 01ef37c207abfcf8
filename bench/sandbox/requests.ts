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
  freePort,
  kill,
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

const TXFEED = "txfeed sandbox";
const BARE = "node:http, the same bytes";
const PRISM = "Prism";
const SILENT = "Prism, silent";

/** Headers that Node.js adds. */
const NODE_HEADERS = new Set(["date", "connection", "keep-alive"]);

/** The origin of each server. */
type Origins = Readonly<Record<string, string>>;

/** Requests per second of each server, round by round. */
type Rates = Record<string, number[]>;

/** Requests per second of GET /transactions/{id}: the sandbox and other servers. */
export const requests: Section = async ({ processes, isQuick }) => {
  const rates: Rates = { [TXFEED]: [], [BARE]: [], [PRISM]: [], [SILENT]: [] };
  for (let turn = 0; turn < processes; turn += 1) {
    await withSandbox(SOURCE_CLI, (facts) => {
      return withOthers(facts, (origins, responses) => {
        return measure(
          { origins, facts, paths: responses.map(({ path }) => path) },
          rates,
          isQuick,
        );
      });
    });
  }
  return reportOf(rates);
};

/** Starts the other servers, verifies the responses of all, and runs `run`. */
async function withOthers(
  facts: SandboxFacts,
  run: (origins: Origins, responses: readonly StaticResponse[]) => Promise<void>,
): Promise<void> {
  const responses = await transactionResponses(facts);
  const ports = [await freePort(), await freePort()] as const;
  const bare = fork(new URL("static-server.ts", import.meta.url));
  const programs: ChildProcess[] = [
    bare,
    spawnPrism(ports[0]),
    spawnPrism(ports[1], ["-v", "silent"]),
  ];
  try {
    const origins: Origins = {
      [TXFEED]: facts.baseUrl,
      [BARE]: originOf(await ask<number>(bare, responses)),
      [PRISM]: originOf(ports[0]),
      [SILENT]: originOf(ports[1]),
    };
    await verifySame(origins[BARE] ?? "", responses);
    for (const name of [PRISM, SILENT]) await verifyMock(origins[name] ?? "", responses);
    await run(origins, responses);
  } finally {
    for (const program of programs) await kill(program);
  }
}

const originOf = (port: number) => `http://127.0.0.1:${port}`;

/** Returns the response for each listed transaction, after validating it. */
async function transactionResponses(facts: SandboxFacts): Promise<StaticResponse[]> {
  const authorization = `Bearer ${await accessToken(facts.baseUrl, facts)}`;
  const get = (path: string) => fetch(facts.baseUrl + path, { headers: { authorization } });
  const page = (await (await get("/transactions?limit=100")).json()) as {
    _embedded: { transactions: { id: string }[] };
  };
  const responses: StaticResponse[] = [];
  for (const { id } of page._embedded.transactions) {
    const path = `/transactions/${id}`;
    const response = await get(path);
    const body = await response.text();
    if (JSON.parse(body).id !== id) throw new Error(`${path} returned another transaction`);
    verifyResponse(TXFEED, response.status, body);
    responses.push({ path, headers: contentHeaders(response.headers), body });
  }
  return responses;
}

function contentHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => !NODE_HEADERS.has(name)));
}

async function verifySame(origin: string, responses: readonly StaticResponse[]): Promise<void> {
  for (const { path, headers, body } of responses) {
    const response = await fetch(origin + path);
    const isSame =
      JSON.stringify(contentHeaders(response.headers)) === JSON.stringify(headers) &&
      (await response.text()) === body;
    if (!isSame) throw new Error(`${BARE}: the response to ${path} differs from ${TXFEED}`);
  }
}

/** Waits until a mock has started, then validates one response: all ids get the same one. */
async function verifyMock(origin: string, [expected]: readonly StaticResponse[]): Promise<void> {
  const headers = { authorization: "Bearer any" };
  const url = `${origin}${expected?.path}`;
  let response = await fetch(url, { headers }).catch(() => null);
  while (!response) {
    await wait(POLL_MS);
    response = await fetch(url, { headers }).catch(() => null);
  }
  verifyResponse(PRISM, response.status, await response.text());
}

function verifyResponse(name: string, status: number, body: string): void {
  if (status !== 200) throw new Error(`${name}: status ${status}: ${body}`);
  const operation = "GET /transactions/{transactionId}";
  const { findings } = validateResponse(operation, status, JSON.parse(body));
  const wrong = findings.find(({ level }) => level === "error");
  if (wrong) throw new Error(`${name}: invalid response: ${wrong.message}`);
}

interface Servers {
  readonly origins: Origins;
  readonly facts: SandboxFacts;
  readonly paths: readonly string[];
}

/** Adds the rates of each round. The first round is a warm-up and is not counted. */
async function measure(servers: Servers, rates: Rates, isQuick: boolean): Promise<void> {
  const { origins, facts, paths } = servers;
  const rounds = isQuick ? 1 : 5;
  const durationMs = isQuick ? 100 : 2000;
  const sender = fork(new URL("load.ts", import.meta.url));
  try {
    for (let round = 0; round <= rounds; round += 1) {
      // AUTH-09: a token expires after five minutes; the run takes longer.
      const authorization = `Bearer ${await accessToken(facts.baseUrl, facts)}`;
      for (const [name, origin] of rotate(Object.entries(origins), round)) {
        const load: Load = { origin, paths, authorization, connections: CONNECTIONS, durationMs };
        const rate = await ask<number>(sender, load);
        if (round > 0) rates[name]?.push(rate);
      }
    }
  } finally {
    await kill(sender);
  }
}

function reportOf(rates: Readonly<Rates>): SectionReport {
  const own = rates[TXFEED] ?? [];
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
        columns: ["requests per second", "txfeed sandbox relative to it"],
        rows,
        notes: [
          "The responses of each server were verified; node:http sends the sandbox's headers.",
        ],
      },
    ],
    targets: [
      atLeast("requests per second, relative to Prism", LEAST_OVER_PRISM, over(PRISM), text(PRISM)),
      atLeast(
        "requests per second, relative to node:http",
        LEAST_OF_BARE,
        over(BARE),
        text("node:http"),
      ),
    ],
  };
}
