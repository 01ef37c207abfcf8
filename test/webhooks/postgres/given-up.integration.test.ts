import pg from "pg";
import { expect, test, vi } from "vitest";
import { postgresInbox } from "../../../src/webhooks/postgres/index.ts";
import { startWorker } from "../../../src/webhooks/worker.ts";
import { onFinished } from "../../support/on-finished.ts";
import { describePostgres } from "../../support/postgres.ts";
import { addAll, delivery } from "../inbox/store.ts";

describePostgres("a handler on pg that does not end", (server) => {
  test("is no obstacle for others after its time limit, even if few connections are left", async () => {
    const pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 3 });
    onFinished(() => pool.end());
    const inbox = postgresInbox({ client: pool, maxTransactions: 1 });
    onFinished(() => inbox.close());
    await inbox.migrate();
    await pool.query("CREATE TABLE effect (key text)");
    await addAll(inbox, [delivery("endless", "one"), delivery("other", "two")]);
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
    let late: Promise<unknown> | undefined;

    const worker = startWorker(
      inbox,
      {
        async handle({ delivery: { key }, tx }) {
          await tx.query("INSERT INTO effect VALUES ($1)", [key]);
          if (key === "endless") {
            await isOver;
            late = tx.query("INSERT INTO effect VALUES ('late')");
            await late;
          }
          return { outcome: "handled" };
        },
        report() {},
        interrupted() {},
      },
      { timeoutMs: 200, pollMs: 50, concurrency: 1, retryDelaysMs: [60_000] },
    );
    onFinished(() => worker.close(0));

    await vi.waitFor(
      async () => {
        expect(await inbox.status()).toMatchObject({ waiting: 1, delayed: 1, running: 0 });
      },
      { timeout: 5000 },
    );
    end();
    await vi.waitFor(() => expect(late).toBeDefined());
    await expect(late).rejects.toThrow();
    expect((await pool.query("SELECT key FROM effect")).rows).toEqual([{ key: "other" }]);
  });
});
