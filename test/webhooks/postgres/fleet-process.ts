/**
 * A receiver or a worker of a fleet, which can be killed. It prints its port. A worker writes each
 * handled delivery to the table `effect`, in the transaction of the delivery.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { toNodeHandler } from "../../../src/webhooks/adapters/node.ts";
import { createReceiver } from "../../../src/webhooks/index.ts";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";

/** The argument of the program, as JSON. */
export interface FleetSettings {
  readonly role: "receiver" | "worker";
  /** The address of the database. */
  readonly connectionString: string;
  readonly leaseMs: number;
}

const { role, connectionString, leaseMs }: FleetSettings = JSON.parse(process.argv[2] ?? "");
const client = new pg.Pool({ connectionString, max: 8 });
// A lost connection also rejects the statement that uses it.
client.on("error", () => undefined);
const inbox = postgresInbox({ client });

const receiver = createReceiver({
  on: {
    async "transaction.updated"({ body }, { tx, missing }) {
      await tx.query("INSERT INTO effect (resource, number, missing) VALUES ($1, $2, $3)", [
        body.id,
        body.metadata?.["number"],
        missing,
      ]);
    },
  },
  inbox,
  work: role === "worker" && { leaseMs, pollMs: 100, concurrency: 6 },
  onDelivery: ({ event, outcome, error }) => {
    // The database is always there in this test.
    if (outcome === "failed" || outcome === "quarantined") console.error(event, outcome, error);
  },
});

const server = createServer(toNodeHandler(receiver));
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
