import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, test } from "vitest";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { onFinished } from "../../support/on-finished.ts";
import { describePostgres } from "../../support/postgres.ts";
import { delivery } from "../inbox/store.ts";

const KEPT_MS = 60_000;
/** For statements that should wait; without the wait they end earlier. */
const PAUSE_MS = 200;

describePostgres("a delivery that is stored and handled at the same time", (server) => {
  async function open() {
    const pool = new pg.Pool({ connectionString: await server.createDatabase() });
    onFinished(() => pool.end());
    const inbox = postgresInbox({ client: pool });
    onFinished(() => inbox.close());
    await inbox.migrate();
    const client = await pool.connect();
    onFinished(() => client.release());
    await client.query("BEGIN");
    return { inbox, client };
  }

  test("is handled once if it is stored first", async () => {
    const { inbox, client } = await open();
    const { receivedAt, ...stored } = delivery("a", "=lane");
    const deliveries = JSON.stringify([{ ...stored, received_at: receivedAt }]);
    await client.query("SELECT txfeed.receive($1, $2)", [deliveries, '["{}"]']);

    const outcome = inbox.once(delivery("a", "other lane"), async () => {});
    await Promise.race([outcome, sleep(PAUSE_MS)]);
    await client.query("COMMIT");

    expect(await outcome).toBe("busy");
    expect(await inbox.status()).toMatchObject({ waiting: 1 });
  });

  test("is handled once if it is handled first", async () => {
    const { inbox, client } = await open();
    await client.query("SELECT txfeed.remember('a', $1)", [KEPT_MS]);

    const receipt = inbox.add(delivery("a", "lane"));
    await Promise.race([receipt, sleep(PAUSE_MS)]);
    await client.query("COMMIT");

    expect(await receipt).toBe("handled");
    expect(await inbox.status()).toMatchObject({ waiting: 0 });
  });
});
