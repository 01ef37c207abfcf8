/** What users asked of a receiver, each in one test with real servers and databases. */
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import { createFeedClient } from "../../src/client/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { toNodeHandler } from "../../src/webhooks/adapters/node.ts";
import { createReceiver, type Handler, standardWebhooks } from "../../src/webhooks/index.ts";
import { postgresInbox } from "../../src/webhooks/postgres/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { serve } from "../support/local-server.ts";
import { onFinished } from "../support/on-finished.ts";
import { deliver } from "../support/payloads.ts";
import { describePostgres } from "../support/postgres.ts";
import { tempDir } from "../support/temp-dir.ts";

const PURCHASES = 6;
const CLEARINGS = 5;

test("order per resource", async () => {
  const inbox = sqliteInbox({ path: `${tempDir()}/feed.db` });
  onFinished(() => inbox.close());
  const states = new Map<string, unknown>();
  const handled: string[] = [];
  const receiver = createReceiver({
    on: {
      "transaction.created": ({ body }) => store(body),
      "transaction.updated": ({ body }) => store(body),
    },
    inbox,
  });
  onFinished(() => receiver.close());
  async function store(body: { readonly id: string }) {
    await wait(Math.random() * 100);
    states.set(body.id, body);
    handled.push(body.id);
  }
  const url = await serve(createServer(toNodeHandler(receiver)));
  const sandbox = await createSandbox({ webhooks: [{ url }] });
  onFinished(() => sandbox.close());
  const [{ accountId, clientId, clientSecret }] = sandbox.accounts;
  const feed = createFeedClient({ baseUrl: sandbox.baseUrl, accountId, clientId, clientSecret });

  const ids: string[] = [];
  for (let purchase = 0; purchase < PURCHASES; purchase += 1) {
    const { result } = await sandbox.trigger("purchase", { amount: 100 });
    ids.push((result as { transactionId: string }).transactionId);
  }
  for (const transactionId of ids) {
    for (let clearing = 0; clearing < CLEARINGS; clearing += 1) {
      await sandbox.trigger("clear-partial", { transactionId, amount: 10 + clearing });
    }
  }
  await sandbox.settle();
  await vi.waitFor(async () => expect((await inbox.status()).waiting).toBe(0), 30_000);

  expect(handled.length).toBeGreaterThanOrEqual(PURCHASES * CLEARINGS);
  for (const id of ids) {
    const { data } = await feed.GET("/transactions/{transactionId}", {
      params: { path: { transactionId: id } },
    });
    expect(states.get(id)).toEqual(data);
  }
});

test("duplicate by delivery id", async () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const path = `${tempDir()}/feed.db`;
  const handled: (string | null)[] = [];
  const body = make("bankaccount.state_changed");
  const signed = (id: string) => {
    const request = deliver("bankaccount.state_changed", body);
    const at = new Date();
    request.headers.set("webhook-id", id);
    request.headers.set("webhook-timestamp", String(Math.floor(at.getTime() / 1000)));
    request.headers.set(
      "webhook-signature",
      new Webhook(secret).sign(id, at, JSON.stringify(body)),
    );
    return request;
  };
  // The second process remembers what the first one handled.
  for (const ids of [
    ["msg_1", "msg_1", "msg_2"],
    ["msg_1", "msg_2", "msg_3"],
  ]) {
    const inbox = sqliteInbox({ path });
    const receiver = createReceiver({
      on: {
        "bankaccount.state_changed": (_, { deliveryId }) => void handled.push(deliveryId),
      },
      verify: standardWebhooks({ secrets: secret }),
      inbox,
    });
    for (const id of ids) expect((await receiver(signed(id))).status).toBe(202);
    await vi.waitFor(async () => expect((await inbox.status()).waiting).toBe(0));
    await receiver.close();
    inbox.close();
  }
  expect(handled).toEqual(["msg_1", "msg_2", "msg_3"]);
});

describePostgres("on Postgres", (server) => {
  /** A machine: a receiver and a worker with connections of their own. */
  async function machine(connectionString: string, options: Machine) {
    const client = new pg.Pool({ connectionString, max: 6 });
    const inbox = postgresInbox({ client });
    const receiver = createReceiver({
      on: { "transaction.updated": options.handler },
      inbox,
      work: { pollMs: 20, retryDelaysMs: [10, 10], timeoutMs: 500 },
    });
    const close = async () => {
      await receiver.close({ graceMs: 100 });
      await inbox.close();
      await client.end();
    };
    onFinished(close);
    return { client, inbox, receiver };
  }

  interface Machine {
    readonly handler: Handler<"transaction.updated", pg.PoolClient>;
  }

  const version = (id: string, n: number) => ({
    ...make("transaction.updated"),
    id,
    metadata: { n },
  });

  test("one queue for several machines", async () => {
    const database = await server.createDatabase();
    const log: { machine: number; id: string; n: unknown }[] = [];
    const machines = await Promise.all(
      [0, 1, 2].map((at) =>
        machine(database, {
          handler: async ({ body }) => {
            await wait(Math.random() * 5);
            log.push({ machine: at, id: body.id, n: body.metadata?.["n"] });
          },
        }),
      ),
    );
    const ids = Array.from({ length: 30 }, () => crypto.randomUUID());
    await Promise.all(
      ids.map(async (id) => {
        for (let n = 0; n < 10; n += 1) {
          // The sender repeats each delivery to another machine.
          for (const repeat of [0, 1]) {
            const { receiver } = machines[(n + repeat) % 3] ?? {};
            const response = await receiver?.(deliver("transaction.updated", version(id, n)));
            expect(response?.status).toBe(202);
          }
        }
      }),
    );
    await vi.waitFor(() => expect(log).toHaveLength(300), 30_000);
    for (const id of ids) {
      const numbers = log.filter((each) => each.id === id).map(({ n }) => n);
      expect(numbers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
    expect(new Set(log.map((each) => each.machine)).size).toBe(3);
  });

  test("exactly-once effects with own tables", async () => {
    const database = await server.createDatabase();
    const attempts = new Map<string, number>();
    const { client, inbox, receiver } = await machine(database, {
      handler: async ({ body }, { tx, attempt }) => {
        attempts.set(body.id, attempt);
        await tx.query("UPDATE ledger SET total = total + 1 WHERE id = $1", [body.id]);
        await tx.query("INSERT INTO outbox (id) VALUES ($1)", [body.id]);
        // The first attempt of each delivery fails after its statements.
        if (attempt === 1 && body.metadata?.["n"] === 0) throw new Error("too early");
        if (attempt === 1 && body.metadata?.["n"] === 1) await tx.query("SELECT 1 / 0");
        // Its statements after the time limit have no effect either.
        if (attempt === 1 && body.metadata?.["n"] === 2) {
          await wait(700);
          await tx.query("INSERT INTO outbox (id) VALUES ($1)", [body.id]).catch(() => {});
        }
      },
    });
    await client.query("CREATE TABLE ledger (id uuid PRIMARY KEY, total integer DEFAULT 0)");
    await client.query("CREATE TABLE outbox (id uuid)");
    const ids = Array.from({ length: 30 }, () => crypto.randomUUID());
    for (const [n, id] of ids.entries()) {
      await client.query("INSERT INTO ledger (id) VALUES ($1)", [id]);
      await receiver(deliver("transaction.updated", version(id, n % 4)));
    }
    await vi.waitFor(async () => expect((await inbox.status()).waiting).toBe(0), 30_000);
    await wait(300);
    const totals = await client.query("SELECT DISTINCT total FROM ledger");
    expect(totals.rows).toEqual([{ total: 1 }]);
    const outbox = await client.query("SELECT count(*), count(DISTINCT id) AS ids FROM outbox");
    expect(outbox.rows).toEqual([{ count: "30", ids: "30" }]);
    expect(ids.map((id) => attempts.get(id))).toEqual(ids.map((_, n) => (n % 4 === 3 ? 1 : 2)));
    expect(await inbox.list()).toEqual([]);
  });
});
