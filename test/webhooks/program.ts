import { existsSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach } from "vitest";
import { bankTransaction } from "../support/payloads.ts";
import { startNode } from "../support/program.ts";
import type { ServiceSettings } from "./service.ts";

const agent = new Agent({ keepAlive: true, maxSockets: 40 });

afterEach(() => agent.destroy());

export interface Service {
  readonly port: number;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts `service.ts` in a child process. */
export async function start(settings: ServiceSettings): Promise<Service> {
  const { until, stop } = startNode([
    join(import.meta.dirname, "service.ts"),
    JSON.stringify(settings),
  ]);
  const [, port] = await until(/^(\d+)\n/);
  return { port: Number(port), kill: async () => void (await stop("SIGKILL")) };
}

/** Sends the n-th delivery once. Resolves to the status; null if no response came. */
export function send(port: number, n: number): Promise<number | null> {
  const headers = {
    "content-type": "application/json",
    "webhook-event-type": "banktransaction.created",
  };
  return new Promise((resolve) => {
    const sent = request(
      { port, host: "127.0.0.1", method: "POST", headers, agent },
      (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? null));
        response.on("error", () => resolve(null));
      },
    );
    sent.on("error", () => resolve(null)).end(JSON.stringify(bankTransaction(n)));
  });
}

/** Sends the n-th delivery until it is acknowledged. */
export async function sendUntilAcknowledged(port: () => number, n: number): Promise<void> {
  while (true) {
    const status = await send(port(), n);
    if (status !== null && status < 300) return;
    await wait(10);
  }
}

/** Returns the ids of the started or handled deliveries in the logs, in order. */
export function idsIn(what: "started" | "handled", ...logs: string[]): string[] {
  const lines = logs.filter(existsSync).flatMap((log) => readFileSync(log, "utf8").split("\n"));
  return lines.filter((line) => line.startsWith(what)).map((line) => line.slice(what.length + 1));
}

/** Returns the ids in the table of effects, sorted. */
export function effectsIn(path: string): string[] {
  const database = new DatabaseSync(path);
  const rows = database.prepare("SELECT id FROM effect ORDER BY id").all();
  database.close();
  return rows.map(({ id }) => String(id));
}
