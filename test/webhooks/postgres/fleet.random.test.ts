import { Agent, request } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { buildSync } from "esbuild";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { make } from "../../../src/fixtures/index.ts";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { uuid } from "../../support/payloads.ts";
import { describePostgres } from "../../support/postgres.ts";
import { type Program, startNode } from "../../support/program.ts";
import { tempDir } from "../../support/temp-dir.ts";
import type { FleetSettings } from "./fleet-process.ts";

const DELIVERIES = 100_000;
const RESOURCES = 1000;
const PROCESSES = 4;
/** Resources with a delivery in flight. */
const SENDERS = 48;
/** The pause between two kills. */
const KILL_MS = [300, 3000] as const;
const LEASE_MS = 1500;
const KILLS_OF_EACH_ROLE = 10;

// As one file, a process starts three times as fast.
const directory = tempDir();
const program = join(directory, "fleet-process.cjs");
buildSync({
  entryPoints: [join(import.meta.dirname, "fleet-process.ts")],
  outfile: program,
  bundle: true,
  platform: "node",
  external: ["pg-native"],
});

const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
afterEach(() => agent.destroy());

/** A process that is started again when it was killed. */
interface Member {
  program: Program;
  /** undefined until the process listens. */
  port: number | undefined;
  kills: number;
}

function startMember(settings: FleetSettings): Member {
  const member: Member = { program: undefined as never, port: undefined, kills: 0 };
  restart(member, settings);
  return member;
}

function restart(member: Member, settings: FleetSettings): void {
  const started = startNode([program, JSON.stringify(settings)]);
  member.program = started;
  member.port = undefined;
  const listening = started.until(/^(\d+)\n/).then(([, port]) => {
    if (member.program === started) member.port = Number(port);
  });
  listening.catch(() => undefined);
}

const { id: _, ...updated } = make("transaction.updated");

/** Sends a delivery once. Resolves to whether it was acknowledged. */
function send(port: number, resource: number, number: number): Promise<boolean> {
  const headers = {
    "content-type": "application/json",
    "webhook-event-type": "transaction.updated",
  };
  return new Promise((resolve) => {
    const sent = request(
      { port, host: "127.0.0.1", method: "POST", headers, agent },
      (response) => {
        response.resume().on("end", () => resolve(response.statusCode === 202));
        response.on("error", () => resolve(false));
      },
    );
    const body = { id: uuid(resource), ...updated, metadata: { number } };
    sent.on("error", () => resolve(false)).end(JSON.stringify(body));
  });
}

describePostgres("a fleet of receivers and workers that are killed at random", (server) => {
  test(`handles ${DELIVERIES} deliveries: none lost, each in order, with effects exactly once`, {
    timeout: 900_000,
  }, async () => {
    const connectionString = await server.createDatabase();
    const client = new pg.Pool({ connectionString, max: 3 });
    await client.query(
      "CREATE TABLE effect (place bigserial, resource uuid, number integer, missing integer)",
    );
    const inbox = postgresInbox({ client });
    await inbox.migrate();

    const settingsOf = (role: FleetSettings["role"]): FleetSettings => ({
      role,
      connectionString,
      leaseMs: LEASE_MS,
    });
    const fleet = (["receiver", "worker"] as const).flatMap((role) =>
      Array.from({ length: PROCESSES }, () =>
        Object.assign(startMember(settingsOf(role)), { role }),
      ),
    );
    const receivers = fleet.filter(({ role }) => role === "receiver");
    const kills = { receiver: 0, worker: 0 };
    let isSending = true;

    const killing = (async () => {
      while (isSending || Math.min(kills.receiver, kills.worker) < KILLS_OF_EACH_ROLE) {
        const [least, most] = KILL_MS;
        await wait(least + Math.random() * (most - least));
        const listening = fleet.filter(({ port }) => port !== undefined);
        const member = listening[Math.floor(Math.random() * listening.length)];
        if (!member) continue;
        await member.program.stop("SIGKILL");
        kills[member.role] += 1;
        expect(member.program.output.stderr).toBe("");
        restart(member, settingsOf(member.role));
      }
    })();

    /** Sends the deliveries of a resource in order, each until it is acknowledged. */
    async function sendAll(resource: number): Promise<void> {
      for (let number = 0; number < DELIVERIES / RESOURCES; ) {
        const { port } = receivers[Math.floor(Math.random() * receivers.length)] ?? {};
        if (port !== undefined && (await send(port, resource, number))) number += 1;
        else await wait(20);
      }
    }
    let next = 0;
    await Promise.all(
      Array.from({ length: SENDERS }, async () => {
        while (next < RESOURCES) await sendAll(next++);
      }),
    );
    isSending = false;
    await killing;

    const isDone = async () => (await inbox.status()).waiting === 0;
    while (!(await isDone())) await wait(200);

    const { rows } = await client.query(
      `SELECT count(*)::integer AS effects, sum(missing)::integer AS missing,
           count(DISTINCT (resource, number))::integer AS deliveries,
           count(*) FILTER (WHERE number <> previous + 1)::integer AS disordered
         FROM (
           SELECT *, lag(number, 1, -1) OVER (PARTITION BY resource ORDER BY place) AS previous
           FROM effect
         ) AS effects`,
    );
    expect(rows).toEqual([
      { effects: DELIVERIES, deliveries: DELIVERIES, disordered: 0, missing: 0 },
    ]);
    expect(await inbox.status()).toMatchObject({ waiting: 0, quarantined: 0, stalled: 0 });
    for (const { program } of fleet) await program.stop("SIGKILL");
    await inbox.close();
    await client.end();
  });
});
