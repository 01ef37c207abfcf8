import { expect, test, vi } from "vitest";
import { eventNames } from "../../../generated/events.ts";
import type { EndpointParams } from "../../../src/sandbox/control/control.ts";
import { startSandbox } from "../test-sandbox.ts";
import { gate, startDelivering, startReceiver } from "./receiver.ts";

const URL_A = "http://127.0.0.1:9/a";

test("an endpoint gets all events of all accounts in order, with its own secret", async () => {
  const { control } = startSandbox();
  const endpoint = await control.addEndpoint({ url: URL_A });
  expect(endpoint).toMatchObject({ url: URL_A, events: null, accountId: null, ordered: true });
  expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  const other = await control.addEndpoint({ url: "https://feed.example/b" });
  expect(other.secret).not.toBe(endpoint.secret);
  expect(await control.endpoints()).toEqual([endpoint, other]);
});

test("an endpoint keeps the given options", async () => {
  const { control, accountIds } = startSandbox();
  const params = {
    url: URL_A,
    events: ["transaction.created", "banktransaction.created"],
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    accountId: accountIds[1],
    ordered: false,
  } as const;
  const { id, ...endpoint } = await control.addEndpoint(params);
  expect(endpoint).toEqual(params);
});

test("an endpoint's id and secret are drawn from the seed", async () => {
  const [one, same, other] = await Promise.all(
    [1, 1, 2].map((seed) => startSandbox({ seed }).control.addEndpoint({ url: URL_A })),
  );
  expect(same).toEqual(one);
  expect(other?.id).not.toBe(one?.id);
  expect(other?.secret).not.toBe(one?.secret);
});

test("an endpoint with identical options is registered once", async () => {
  const { control } = startSandbox();
  const first = await control.addEndpoint({ url: URL_A });
  expect(await control.addEndpoint({ url: URL_A })).toEqual(first);
  expect(await control.addEndpoint({ url: URL_A, secret: first.secret })).toEqual(first);
  for (const params of [
    { url: `${URL_A}/` },
    { url: URL_A, ordered: false },
    { url: URL_A, events: ["transaction.created"] },
    { url: URL_A, secret: "whsec_AAAA" },
  ] as EndpointParams[]) {
    expect((await control.addEndpoint(params)).id).not.toBe(first.id);
  }
  expect(await control.endpoints()).toHaveLength(5);
});

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

test.each([
  [{ url: "ftp://feed.example" }, 400, /http or https URL/],
  [{ url: "feed.example" }, 400, /http or https URL/],
  [{ url: "" }, 400, /http or https URL/],
  [{ url: URL_A, events: [] }, 400, /^events/],
  [{ url: URL_A, events: ["transaction.gone"] }, 400, /^events/],
  [{ url: URL_A, secret: "" }, 400, /whsec_ and base64/],
  [{ url: URL_A, secret: "whsec_" }, 400, /whsec_ and base64/],
  [{ url: URL_A, secret: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }, 400, /whsec_ and base64/],
  [{ url: URL_A, secret: "whsec_a b=" }, 400, /whsec_ and base64/],
  [{ url: URL_A, secret: "whsec_AAAAA" }, 400, /whsec_ and base64/],
  [{ url: URL_A, accountId: UNKNOWN_ID }, 404, /there is no account/],
])("an endpoint %j is refused with %i", async (params, status, detail) => {
  const { control } = startSandbox();
  const refused = control.addEndpoint(params as EndpointParams);
  await expect(refused).rejects.toMatchObject({ status, message: expect.stringMatching(detail) });
  expect(await control.endpoints()).toEqual([]);
  await expect(control.removeEndpoint(UNKNOWN_ID)).rejects.toMatchObject({ status: 404 });
});

test("WHK-06: each endpoint gets only the events it subscribes to", async () => {
  const { sandbox, control, receiver: all } = await startDelivering();
  const [two, none] = [await startReceiver(), await startReceiver()];
  const events = ["transaction.updated", "banktransaction.created"] as const;
  await control.addEndpoint({ url: two.url, events });
  await control.addEndpoint({ url: none.url, events: ["banklink.completed"] });
  const sent = eventNames.filter((name) => name !== "banklink.completed");
  for (const [n, name] of sent.entries()) sandbox.announce(n, { name });
  await control.settle();
  const names = [all, two, none].map(({ arrivals }) =>
    arrivals.map(({ headers }) => headers["webhook-event-type"]).sort(),
  );
  expect(names).toEqual([sent.toSorted(), events.toSorted(), []]);
});

test("an endpoint gets its account's events, from its registration on", async () => {
  const sandbox = startSandbox();
  const [first, second, both] = [
    await startReceiver(),
    await startReceiver(),
    await startReceiver(),
  ];
  sandbox.announce(0);
  await sandbox.control.addEndpoint({ url: first.url, accountId: sandbox.accountIds[0] });
  await sandbox.control.addEndpoint({ url: second.url, accountId: sandbox.accountIds[1] });
  await sandbox.control.addEndpoint({ url: both.url });
  const ids = [sandbox.announce(1, { account: 0 }), sandbox.announce(2, { account: 1 })];
  await sandbox.control.settle();
  const arrived = [first, second, both].map((receiver) => receiver.ids().sort());
  expect(arrived).toEqual([[ids[0]], [ids[1]], ids]);
});

test("removal deletes pending deliveries and keeps completed ones", async () => {
  const { sandbox, control, receiver: removed, endpoint } = await startDelivering();
  const kept = await startReceiver();
  await control.addEndpoint({ url: kept.url });
  sandbox.announce(1);
  await control.settle();
  removed.setReply(() => 500);
  sandbox.announce(2);
  await control.settle();
  await control.removeEndpoint(endpoint.id);
  sandbox.announce(3);
  await control.advance("3d");
  expect([removed.arrivals.length, kept.arrivals.length]).toEqual([2, 3]);
  expect(await sandbox.states()).toEqual(Array(4).fill("delivered"));
  const log = await sandbox.log();
  expect(log.filter(({ endpointId }) => endpointId === endpoint.id)).toHaveLength(1);
  expect((await control.readClock()).nextDue).toBeNull();
});

test("removal during an attempt discards that attempt's result", async () => {
  const { opened, open } = gate();
  const arrived = gate();
  const { sandbox, control, receiver, endpoint } = await startDelivering({
    reply: () => {
      arrived.open();
      return opened.then(() => 204);
    },
  });
  sandbox.announce(1, { resource: "same" });
  sandbox.announce(2, { resource: "same" });
  await arrived.opened;
  await control.removeEndpoint(endpoint.id);
  // Row ids are reused: the attempt in progress must not be recorded for this row.
  const second = await startReceiver(() => 500);
  await control.addEndpoint({ url: second.url });
  sandbox.announce(3);
  await vi.waitFor(async () => expect((await sandbox.log())[0]?.attempts).toHaveLength(1));
  open();
  await control.settle();
  expect([receiver.arrivals.length, second.arrivals.length]).toEqual([1, 1]);
  expect(await sandbox.log()).toMatchObject([{ state: "waiting", attempts: [{ status: 500 }] }]);
});
