/** What users asked of a receiver, each in one test with real servers and databases. */
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { Webhook } from "standardwebhooks";
import { expect, test, vi } from "vitest";
import { createFeedClient } from "../../src/client/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { toNodeHandler } from "../../src/webhooks/adapters/node.ts";
import { createReceiver, standardWebhooks } from "../../src/webhooks/index.ts";
import { sqliteInbox } from "../../src/webhooks/sqlite/index.ts";
import { serve } from "../support/local-server.ts";
import { onFinished } from "../support/on-finished.ts";
import { deliver } from "../support/payloads.ts";
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
