import { describe, expect, test, vi } from "vitest";
import { eventNames } from "../../../generated/events.ts";
import type { EndpointParams } from "../../../src/sandbox/control/control.ts";
import { gate, startReceiver } from "./receiver.ts";
import { startHarness } from "./start-harness.ts";

const URL_A = "http://127.0.0.1:9/a";

test("defaults to all events of all accounts in order, with its own secret", async () => {
  const { control } = startHarness();
  const endpoint = await control.addEndpoint({ url: URL_A });
  expect(endpoint).toMatchObject({ url: URL_A, events: null, accountId: null, ordered: true });
  expect(endpoint.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  const other = await control.addEndpoint({ url: "https://feed.example/b" });
  expect(other.secret).not.toBe(endpoint.secret);
  expect(await control.endpoints()).toEqual([endpoint, other]);
});

test("keeps the given options", async () => {
  const { control, accounts } = startHarness();
  const params = {
    url: URL_A,
    events: ["transaction.created", "banktransaction.created"],
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    accountId: accounts[1] ?? "",
    ordered: false,
  } as const;
  const { id, ...endpoint } = await control.addEndpoint(params);
  expect(endpoint).toEqual(params);
});

test("draws id and secret from the seed", async () => {
  const [one, same, other] = await Promise.all(
    [1, 1, 2].map((seed) => startHarness({ seed }).control.addEndpoint({ url: URL_A })),
  );
  expect(same).toEqual(one);
  expect(other?.id).not.toBe(one?.id);
  expect(other?.secret).not.toBe(one?.secret);
});

test("registers identical options once", async () => {
  const { control } = startHarness();
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

test.each([
  [{ url: "ftp://feed.example" }, /http or https URL/],
  [{ url: "feed.example" }, /http or https URL/],
  [{ url: "" }, /http or https URL/],
  [{ url: URL_A, events: [] }, /^events/],
  [{ url: URL_A, events: ["transaction.gone"] }, /^events/],
  [{ url: URL_A, secret: "" }, /whsec_ and base64/],
  [{ url: URL_A, secret: "whsec_" }, /whsec_ and base64/],
  [{ url: URL_A, secret: "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }, /whsec_ and base64/],
  [{ url: URL_A, secret: "whsec_a b=" }, /whsec_ and base64/],
  [{ url: URL_A, secret: "whsec_AAAAA" }, /whsec_ and base64/],
])("refuses %j", async (params, detail) => {
  const { control } = startHarness();
  const refused = control.addEndpoint(params as EndpointParams);
  await expect(refused).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(detail),
  });
  expect(await control.endpoints()).toEqual([]);
});

test("refuses an unknown account and the removal of an unknown endpoint", async () => {
  const { control } = startHarness();
  const accountId = "00000000-0000-4000-8000-000000000000";
  const refused = control.addEndpoint({ url: URL_A, accountId });
  await expect(refused).rejects.toMatchObject({ status: 404 });
  await expect(control.removeEndpoint(accountId)).rejects.toMatchObject({ status: 404 });
});

describe("subscriptions", () => {
  test("WHK-06: each endpoint gets only the events it subscribes to", async () => {
    const harness = startHarness();
    const [all, two, none] = [await startReceiver(), await startReceiver(), await startReceiver()];
    await harness.control.addEndpoint({ url: all.url });
    const events = ["transaction.updated", "banktransaction.created"] as const;
    await harness.control.addEndpoint({ url: two.url, events });
    await harness.control.addEndpoint({ url: none.url, events: ["banklink.completed"] });
    for (const [n, name] of eventNames.entries()) {
      if (name !== "banklink.completed") harness.announce(n, { name });
    }
    await harness.control.settle();
    const namesAt = ({ arrivals }: typeof all) =>
      arrivals.map(({ headers }) => headers["webhook-event-type"]);
    expect(namesAt(all).sort()).toEqual(
      eventNames.filter((name) => name !== "banklink.completed").sort(),
    );
    expect(namesAt(two).sort()).toEqual([...events].sort());
    expect(namesAt(none)).toEqual([]);
  });

  test("an endpoint of an account gets no events of other accounts", async () => {
    const harness = startHarness();
    const [first, second, both] = [
      await startReceiver(),
      await startReceiver(),
      await startReceiver(),
    ];
    await harness.control.addEndpoint({ url: first.url, accountId: harness.accounts[0] });
    await harness.control.addEndpoint({ url: second.url, accountId: harness.accounts[1] });
    await harness.control.addEndpoint({ url: both.url });
    const ids = [harness.announce(1, { account: 0 }), harness.announce(2, { account: 1 })];
    await harness.control.settle();
    expect(first.ids()).toEqual([ids[0]]);
    expect(second.ids()).toEqual([ids[1]]);
    expect(both.ids().sort()).toEqual(ids);
  });

  test("gets events announced after its registration", async () => {
    const harness = startHarness();
    const receiver = await startReceiver();
    harness.announce(1);
    await harness.control.addEndpoint({ url: receiver.url });
    const id = harness.announce(2);
    await harness.control.settle();
    expect(receiver.ids()).toEqual([id]);
  });
});

describe("removal", () => {
  test("deletes pending deliveries and keeps completed ones", async () => {
    const harness = startHarness();
    const [removed, kept] = [await startReceiver(), await startReceiver()];
    const { id } = await harness.control.addEndpoint({ url: removed.url });
    await harness.control.addEndpoint({ url: kept.url });
    harness.announce(1);
    await harness.control.settle();
    removed.setReply(() => 500);
    harness.announce(2);
    await harness.control.settle();
    await harness.control.removeEndpoint(id);
    harness.announce(3);
    await harness.control.advance("3d");
    expect(removed.arrivals).toHaveLength(2);
    expect(kept.arrivals).toHaveLength(3);
    const log = await harness.log();
    expect(log.map(({ state }) => state)).toEqual(Array(4).fill("delivered"));
    expect(log.filter(({ endpointId }) => endpointId === id)).toHaveLength(1);
    expect((await harness.control.readClock()).nextDue).toBeNull();
  });

  test("during an attempt discards that attempt's result", async () => {
    const harness = startHarness();
    const { opened, open } = gate();
    const arrived = gate();
    const receiver = await startReceiver(async () => {
      arrived.open();
      await opened;
      return 204;
    });
    const { id } = await harness.control.addEndpoint({ url: receiver.url });
    harness.announce(1, { resource: "same" });
    harness.announce(2, { resource: "same" });
    await arrived.opened;
    await harness.control.removeEndpoint(id);
    // Row ids are reused: the attempt in progress must not be recorded for this row.
    const second = await startReceiver(() => 500);
    await harness.control.addEndpoint({ url: second.url });
    harness.announce(3);
    await vi.waitFor(async () => expect((await harness.log())[0]?.attempts).toHaveLength(1));
    open();
    await harness.control.settle();
    expect(receiver.arrivals).toHaveLength(1);
    expect(second.arrivals).toHaveLength(1);
    expect(await harness.log()).toMatchObject([{ state: "waiting", attempts: [{ status: 500 }] }]);
  });
});
