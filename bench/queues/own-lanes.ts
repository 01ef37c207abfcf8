import type { Pool } from "pg";
import { NOT_STORED } from "../../src/webhooks/delivery.ts";
import { postgresInbox } from "../../src/webhooks/postgres/index.ts";
import { INSERT_EFFECT, type Queue } from "./workload.ts";

const LEASE_MS = 60_000;

/** The project's own inbox, used as its worker uses it. */
export async function openOwnLanes(pool: Pool, lanesAtOnce: number): Promise<Queue> {
  const inbox = postgresInbox({ client: pool });
  return {
    add: ({ lane, position, body }) =>
      inbox.add({
        ...NOT_STORED,
        key: `${lane}/${position}`,
        lane,
        event: "transaction.updated",
        body,
        headers: {},
        deliveryId: null,
        receivedAt: new Date().toISOString(),
      }),
    async handle() {
      const leases = await inbox.take(lanesAtOnce, LEASE_MS);
      if (leases.length === 0) return 0;
      let count = 0;
      await inbox.transaction(LEASE_MS, async (runPart) => {
        for (const { deliveries } of leases) {
          for (const { key } of deliveries) {
            await runPart((tx) => tx.query(INSERT_EFFECT, key?.split("/")));
            count += 1;
          }
        }
        return leases.map((lease) => ({
          lease,
          handled: lease.deliveries.map(({ id }) => id),
          quarantined: [],
        }));
      });
      return count;
    },
    async close() {
      await inbox.close();
    },
  };
}
