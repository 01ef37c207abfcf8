import { TxfeedError } from "txfeed";
import {
  createFeedClient,
  FeedContractError,
  FeedHttpError,
  FeedNetworkError,
} from "txfeed/client";
import { createMockTransport } from "txfeed/client/mock";
import { createSdkTokenHandler } from "txfeed/client/sdk";
import { validateEvent } from "txfeed/contract";
import { make } from "txfeed/fixtures";
import { createReceiver, none } from "txfeed/webhooks";
import { check, rejection } from "./facts.ts";

/** Uses the portable exports other than the client. */
export async function useExports(origin: string): Promise<void> {
  await useMock();
  await useTokenHandler(origin);
  const payload = make("transaction.updated");
  check("an event is valid", validateEvent("transaction.updated", payload).ok);
  const broken = { ...payload, createdAt: "yesterday" };
  check("an invalid event is not", !validateEvent("transaction.updated", broken).ok);
  await useReceiver(payload);
}

async function useMock(): Promise<void> {
  const transport = createMockTransport({
    "GET /cards/{id}": { status: 404 },
    "GET /bank-accounts": new Error("connection reset"),
  });
  const mine = {
    baseUrl: "https://feed.example",
    accountId: "a",
    clientId: "b",
    clientSecret: "c",
  };
  const feed = createFeedClient({ ...mine, transport, retries: 0, validate: "throw" });
  const [first] = await feed.transactions.list().toArray({ max: 1 });
  check("the mock responds", first !== undefined);
  check("the mock records", transport.callsOf("GET /transactions").length === 1);
  const missing = await rejection(feed.cards.get("a-card"));
  check("the mock's 404 is the client's error", missing instanceof FeedHttpError);
  const reset = await rejection(feed.bankAccounts.list().toArray({ max: 1 }));
  check("the mock's fault is a network error", reset instanceof FeedNetworkError);
  const small = createFeedClient({
    ...mine,
    transport: createMockTransport(),
    maxResponseBytes: 1000,
  });
  const tooLong = await rejection(small.transactions.list().toArray({ max: 1 }));
  check("the mock's long response is too long", tooLong instanceof FeedContractError);
  const unknown = await rejection((async () => transport.callsOf("GET /" as "GET /cards"))());
  check("the mock's errors are TxfeedErrors", unknown instanceof TxfeedError);
}

async function useTokenHandler(origin: string): Promise<void> {
  const handle = createSdkTokenHandler({
    baseUrl: origin,
    accountId: "an-account",
    sdkClientId: "an-sdk-client",
    sdkClientSecret: "an-sdk-secret",
    authorize: (request) => request.headers.has("x-session"),
  });
  const ask = (headers: Record<string, string>) =>
    handle(new Request("https://shop.example/sdk-token", { method: "POST", headers }));
  check("a request without a session gets no token", (await ask({})).status === 403);
  const response = await ask({ "x-session": "a-session" });
  check("a session gets only a token", /^token-\d+$/.test(await response.text()));
}

async function useReceiver(payload: unknown): Promise<void> {
  const received: string[] = [];
  const receiver = createReceiver({
    verify: none,
    on: { "transaction.updated": ({ body }) => void received.push(body.id) },
  });
  const deliver = (body: unknown) =>
    receiver(
      new Request("https://shop.example/webhooks", {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "webhook-event-type": "transaction.updated",
        },
        body: JSON.stringify(body),
      }),
    );
  check("a delivery is handled", (await deliver(payload)).status === 204 && received.length === 1);
  check("an invalid delivery is not", (await deliver({})).status === 422 && received.length === 1);
}
