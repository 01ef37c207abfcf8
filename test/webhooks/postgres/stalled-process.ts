/**
 * A process whose handlers never end: they write to a hot row, print `locked` and wait. With an id,
 * it delivers a transaction of that id to itself and prints the status of the response.
 */
import pg from "pg";
import { createReceiver } from "../../../src/webhooks/index.ts";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { bankTransaction, deliver } from "../../support/payloads.ts";

/** The argument of the program, as JSON. */
export interface StalledSettings {
  readonly url: string;
  readonly leaseMs: number;
  /** Delivers this transaction, to handle it before the acknowledgement. */
  readonly direct?: number;
}

const { url, leaseMs, direct }: StalledSettings = JSON.parse(process.argv[2] ?? "");
const receiver = createReceiver({
  on: {
    async "banktransaction.created"(_, { tx }) {
      await tx.query("INSERT INTO hot VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET total = 1");
      console.log("locked");
      // Until the process was stopped and continues.
      await new Promise((resolve) => setTimeout(resolve, 2000));
      await tx.query("INSERT INTO effect VALUES ('stalled')");
    },
  },
  inbox: postgresInbox({ client: new pg.Pool({ connectionString: url, max: 11 }) }),
  ...(direct !== undefined && { acknowledge: "handled" }),
  work: { leaseMs, pollMs: 100, concurrency: 8 },
});
if (direct !== undefined) {
  const { status } = await receiver(deliver("banktransaction.created", bankTransaction(direct)));
  console.log(`status ${status}`);
}
