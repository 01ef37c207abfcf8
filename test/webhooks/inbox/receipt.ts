import { expect, test } from "vitest";
import { LEASE_CHARACTERS, LEASE_SIZE } from "../../../src/webhooks/inbox.ts";
import {
  addAll,
  delivery,
  drain,
  handled,
  MINUTE,
  type OpenInbox,
  quarantined,
  settle,
  takeOne,
} from "./store.ts";

/** Tests of `add` and `take`: what is stored, and in which order. */
export function testReceipt<Tx>(open: OpenInbox<Tx>): void {
  test("a delivery is taken as it was added", async () => {
    const { inbox } = await open();
    const body = JSON.stringify({ text: "é".repeat(500_000) });
    const added = delivery("a", "lane", { body, headers: { "x-a": "7" }, deliveryId: "msg_1" });
    expect(await inbox.add(added)).toBe("added");
    expect(await inbox.take(10, MINUTE)).toEqual([
      {
        lane: expect.any(String),
        token: expect.any(String),
        interruptions: 0,
        dueAt: expect.any(Number),
        deliveries: [{ ...added, id: expect.any(Number) }],
      },
    ]);
  });

  test("deliveries of a lane keep their order, also if large ones share no transaction", async () => {
    const { inbox } = await open();
    const large = (key: string, lane: string, length: number) =>
      delivery(key, lane, { body: JSON.stringify("x".repeat(length)) });
    const others = [1, 2, 3, 4].map((at) => large(`${at}`, `other ${at}`, 950_000));
    const all = [...others, large("first", "lane", 900_000), large("second", "lane", 10)];
    await Promise.all(all.map((each) => inbox.add(each)));
    expect((await inbox.list({ lane: "lane" })).map(({ key }) => key)).toEqual(["first", "second"]);
  });

  test.each([
    ["quotes", `it's "quoted" -- ; DROP TABLE x`],
    ["backslashes", String.raw`a\b\\c\n\u0000%_{}\x00`],
    ["line breaks", "a\r\nb\tc\u2028d"],
    ["emoji and combining characters", "👩‍👩‍👧 é ﷽ \u{1f600}"],
    ["an empty text", ""],
    ["a placeholder", "$1 ? :key @x {y} %s"],
    ["200 characters", "x".repeat(200)],
  ])("texts with %s are unchanged", async (_kind, text) => {
    const { inbox } = await open();
    const headers = { a: text, "x-b": text };
    const added = {
      ...delivery(text.slice(0, 100), text, { event: text, body: text, headers, deliveryId: text }),
      id: expect.any(Number),
    };
    expect(await inbox.add(added)).toBe("added");
    expect(await inbox.add(added)).toBe("waiting");
    expect(await inbox.list({ lane: text, event: text })).toEqual([added]);
    const lease = await takeOne(inbox);
    expect(lease.deliveries).toEqual([added]);
    await settle(inbox, quarantined(lease, text));
    expect(await inbox.list()).toEqual([
      { ...added, reason: text, failures: 1, state: "quarantined" },
    ]);
    expect(await inbox.replay({ lane: text })).toBe(1);
    await settle(inbox, handled(await takeOne(inbox)));
    expect(await inbox.add(added)).toBe("handled");
  });

  test("keys and lanes are case-sensitive and not trimmed", async () => {
    const { inbox } = await open();
    for (const text of ["a", "A", "a ", "\u00e1", "a\u0301"]) {
      expect(await inbox.add(delivery(text, text))).toBe("added");
    }
    expect(await inbox.take(10, MINUTE)).toHaveLength(5);
  });

  test("a lane, a key and a number with the same text are different things", async () => {
    const { inbox } = await open();
    await addAll(inbox, [delivery("1", null), delivery("2", "1"), delivery("3", "2")]);
    await addAll(inbox, [delivery("4", null), delivery("5", "#1"), delivery("6", "=1")]);
    await addAll(inbox, [delivery("7", "key 1"), delivery("8", "#key 1")]);
    expect(await inbox.take(10, MINUTE)).toHaveLength(8);
  });

  test("a key is stored once, also by concurrent calls", async () => {
    const { inbox, again } = await open();
    const other = await again();
    const results = await Promise.all(
      [inbox, other, inbox, other].map((each) => each.add(delivery("a", "lane"))),
    );
    expect(results.toSorted()).toEqual(["added", "waiting", "waiting", "waiting"]);
    expect(await drain(inbox)).toEqual(["a"]);
  });

  test("concurrent calls get the results of their own deliveries", async () => {
    const { inbox } = await open();
    await addAll(inbox, [delivery("handled", "a"), delivery("broken", "b")]);
    const [first, second] = await inbox.take(2, MINUTE);
    if (!first || !second) throw new Error("not due");
    await settle(inbox, handled(first), quarantined(second));
    await inbox.add(delivery("stored"));
    const keys = ["new", "handled", null, "broken", "newer", "stored", null];
    const results = await Promise.all(keys.map((key) => inbox.add(delivery(key, "lane"))));
    expect(results).toEqual(["added", "handled", "added", "replayed", "added", "waiting", "added"]);
    const added = (await inbox.list({ lane: "lane" })).map(({ key }) => key);
    expect(added).toEqual(["new", null, "newer", null]);
  });

  test("a delivery whose sender has gone can be dropped before it is stored", async () => {
    const { inbox } = await open();
    const gone = inbox.add(delivery("a"), () => true);
    await expect(gone).rejects.toMatchObject({ code: "body-incomplete" });
    expect(await inbox.add(delivery("a"), () => false)).toBe("added");
  });

  test("one that can't be stored does not fail others", async () => {
    const { inbox } = await open();
    const bad = delivery("bad", "lane", { event: null as unknown as string });
    const added = await Promise.allSettled(
      [delivery("a", "lane"), bad, delivery("b", "lane")].map((each) => inbox.add(each)),
    );
    expect(added.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await drain(inbox)).toEqual(["a", "b"]);
  });

  test("a delivery can be stored, which check leaves no trace of", async () => {
    const { inbox } = await open();
    await inbox.check();
    expect(await inbox.list()).toEqual([]);
    expect(await inbox.take(1, MINUTE)).toEqual([]);
  });

  test("ids grow in order of receipt within a lane", async () => {
    const { inbox, again } = await open();
    const other = await again();
    for (let n = 0; n < 20; n += 1) {
      await (n % 2 ? inbox : other).add(delivery(`${n}`, n % 3 ? "one" : "other"));
    }
    const keys = (await inbox.list({ lane: "one" })).map(({ key }) => Number(key));
    expect(keys).toEqual(keys.toSorted((one, two) => one - two));
    expect(keys).toHaveLength(13);
  });

  test("a lease has a limited number and size of deliveries, but at least one", async () => {
    const { inbox } = await open();
    const body = "x".repeat(0.6 * LEASE_CHARACTERS);
    for (const key of ["a", "b"]) await inbox.add(delivery(key, "large", { body }));
    await inbox.add(delivery("c", "largest", { body: body.repeat(3) }));
    await Promise.all(
      Array.from({ length: LEASE_SIZE + 1 }, (_, n) => inbox.add(delivery(`${n}`, "many"))),
    );
    const leases = await inbox.take(3, MINUTE);
    expect(leases.map(({ deliveries }) => deliveries.length)).toEqual([1, 1, LEASE_SIZE]);
  });

  test("concurrent calls never take the same lane", async () => {
    const { inbox, again } = await open();
    const others = [inbox, await again(), await again()];
    for (let n = 0; n < 60; n += 1) await inbox.add(delivery(`${n}`, `lane ${n % 20}`));
    const taken = await Promise.all(
      Array.from({ length: 12 }, (_, n) => (others[n % 3] ?? inbox).take(3, MINUTE)),
    );
    const lanes = taken.flat().map(({ lane }) => lane);
    expect(lanes).toHaveLength(20);
    expect(new Set(lanes).size).toBe(20);
  });
}
