import type { IncomingMessage } from "node:http";
import { afterEach, expect, test } from "vitest";
import { type Mutant, startMutant } from "../../mutation/mutant.ts";
import type { HttpHook, MutationHooks } from "../../mutation/mutation.ts";
import { createControlClient, createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { serve } from "../support/local-server.ts";

interface Got {
  readonly headers: IncomingMessage["headers"];
  readonly path: string;
  readonly name: string;
  readonly body: string;
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(
  hooks?: MutationHooks,
  port = 0,
): Promise<{ sandbox: Sandbox; faulty: Mutant }> {
  const sandbox = await createSandbox({ clock: "frozen", port });
  ends.push(() => sandbox.close());
  const faulty = await startMutant(sandbox, hooks);
  ends.push(() => faulty.close());
  return { sandbox, faulty };
}

async function receive(): Promise<{ url: string; got: Got[] }> {
  const got: Got[] = [];
  const origin = await serve(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { headers, url: path = "" } = request;
    got.push({ headers, path, name: String(headers["webhook-event-type"]), body });
    response.writeHead(204).end();
  });
  return { url: `${origin}/hooks?of=one`, got };
}

/** Enrolls a card and uses it: four deliveries in two queues. */
async function act(controlUrl: string, url: string): Promise<void> {
  const control = createControlClient(controlUrl);
  await control.addEndpoint({ url });
  const { result } = await control.trigger("enroll");
  await control.settle();
  await control.trigger("sca-pass", { subscriptionId: result.subscriptionId });
  await control.settle();
  await control.trigger("purchase", { cardId: result.cardId });
  await control.settle();
}

const NAMES = [
  ...["cardsubscription.created", "cardsubscription.updated"],
  ...["transactionmessage.created", "transaction.created"],
];

async function tokenOf(baseUrl: string, { accounts: [account] }: Sandbox): Promise<string> {
  const path = `/auth/realms/${account.accountId}/protocol/openid-connect/token`;
  const body = new URLSearchParams({
    client_id: account.clientId,
    client_secret: account.clientSecret,
    grant_type: "client_credentials",
  });
  const response = await fetch(baseUrl + path, { method: "POST", body });
  return ((await response.json()) as { access_token: string }).access_token;
}

async function get(baseUrl: string, path: string, token: string) {
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
  const { date, "keep-alive": kept, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}

test("without a mutation, responses equal the sandbox's", async () => {
  const { sandbox, faulty } = await start();
  const token = await tokenOf(faulty.baseUrl, sandbox);
  for (const path of ["/transactions?limit=3", "/cards", "/nothing", "/cards?limit=x"]) {
    const direct = await get(sandbox.baseUrl, path, token);
    expect(await get(faulty.baseUrl, path, token)).toEqual(direct);
  }
  expect((await get(faulty.baseUrl, "/cards", "none")).status).toBe(401);
  expect(faulty.fired()).toBe(0);
});

test("without a mutation, deliveries equal the sandbox's, in order", async () => {
  const { faulty, sandbox } = await start();
  const [through, beside] = [await receive(), await receive()];
  await sandbox.addEndpoint({ url: beside.url });
  await act(faulty.controlUrl, through.url);
  const bare = ({ headers, ...rest }: Got) => {
    // These differ between two deliveries, the timestamp only if a second ends between them.
    const own = ["host", "webhook-id", "webhook-signature", "webhook-timestamp"];
    const shared = Object.entries(headers).filter(([name]) => !own.includes(name));
    return { ...rest, shared: Object.fromEntries(shared), names: Object.keys(headers).toSorted() };
  };
  expect(through.got.map(({ name }) => name)).toEqual(NAMES);
  expect(through.got.map(bare)).toEqual(beside.got.map(bare));
  expect(faulty.fired()).toBe(0);
});

test("an endpoint is listed and can be removed", async () => {
  const { faulty } = await start();
  const control = createControlClient(faulty.controlUrl);
  const { url } = await receive();
  const { id } = await control.addEndpoint({ url });
  expect(await control.endpoints()).toMatchObject([{ id, url }]);
  await control.removeEndpoint(id);
  expect(await control.endpoints()).toEqual([]);
});

test.each<[does: string, change: HttpHook, shown: object]>([
  [
    "replaces a response",
    async ({ forward }) => ({ ...(await forward()), status: 500, body: "oh" }),
    { status: 500, body: "oh" },
  ],
  [
    "changes a request",
    ({ forward }) => forward({ target: "/subaccounts" }),
    { status: 200, body: expect.stringContaining('"subaccounts":[') },
  ],
])("a mutation %s and is counted", async (_, change, shown) => {
  const { faulty, sandbox } = await start({
    http: (exchange, run) =>
      exchange.path === "/cards" ? change(exchange, run) : exchange.forward(),
  });
  const token = await tokenOf(faulty.baseUrl, sandbox);
  expect(await get(faulty.baseUrl, "/cards", token)).toMatchObject(shown);
  expect((await get(faulty.baseUrl, "/subaccounts", token)).status).toBe(200);
  expect(faulty.fired()).toBe(1);
});

test("a mutation changes, drops and duplicates deliveries", async () => {
  const { faulty } = await start({
    deliveries: async (delivery, { send }) => {
      if (delivery.name === "cardsubscription.created") return;
      if (delivery.name === "transaction.created") await send(delivery);
      const isUpdate = delivery.name === "cardsubscription.updated";
      await send(isUpdate ? { ...delivery, body: "{}" } : delivery);
    },
  });
  const { got, url } = await receive();
  await act(faulty.controlUrl, url);
  const [update, ...rest] = got;
  expect(update).toMatchObject({ name: "cardsubscription.updated", body: "{}" });
  expect(rest.map(({ name }) => name)).toEqual([
    ...["transactionmessage.created", "transaction.created", "transaction.created"],
  ]);
  expect(faulty.fired()).toBe(3);
});

test("a mutation reorders and delays deliveries; deferred ones come last", async () => {
  const { faulty } = await start({
    deliveries: async (delivery, { send, defer: keep, takeDeferred: takeKept }) => {
      if (delivery.name === "transactionmessage.created") return keep(delivery);
      await send(delivery);
      for (const kept of takeKept()) await send(kept);
      if (delivery.name === "transaction.created") keep({ ...delivery, body: "late" });
    },
  });
  const { got, url } = await receive();
  await act(faulty.controlUrl, url);
  expect(got.slice(2).map(({ name, body }) => (body === "late" ? body : name))).toEqual([
    ...["transaction.created", "transactionmessage.created", "late"],
  ]);
});

test("an internal mutation is reverted when the mutant closes", async () => {
  const log: string[] = [];
  const { faulty } = await start({
    inside: ({ fire }) => {
      log.push("in");
      fire();
      return () => log.push("out");
    },
  });
  expect(log).toEqual(["in"]);
  expect(faulty.fired()).toBe(1);
  await faulty.close();
  expect(log).toEqual(["in", "out"]);
});
