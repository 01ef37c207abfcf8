import { expect, test } from "vitest";
import {
  addAll,
  delivery,
  drain,
  handled,
  keysOf,
  MINUTE,
  type OpenInbox,
  quarantined,
  retried,
  settle,
  takeOne,
} from "./store.ts";

/** Tests of `add`: what is stored, and what is a duplicate. */
export function testReceipt<Tx>(open: OpenInbox<Tx>): void {
  test("a delivery is taken as it was added", async () => {
    const { inbox } = await open();
    const added = delivery("a", "lane", {
      body: '{"amount":1}',
      headers: { "x-request-id": "7" },
      deliveryId: "msg_1",
    });
    expect(await inbox.add(added)).toBe("added");
    const [lease, ...others] = await inbox.take(10, MINUTE);
    expect(others).toEqual([]);
    expect(lease).toEqual({
      lane: expect.any(String),
      token: expect.any(String),
      interruptions: 0,
      deliveries: [{ ...added, id: expect.any(Number), failures: 0, missing: 0 }],
    });
    expect(await inbox.take(10, MINUTE)).toEqual([]);
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
    const key = text.slice(0, 100);
    const added = delivery(key, text, {
      event: text,
      body: text,
      headers: { a: text, "x-b": text },
      deliveryId: text,
    });
    expect(await inbox.add(added)).toBe("added");
    expect(await inbox.add(added)).toBe("waiting");
    expect(await inbox.list({ lane: text, event: text })).toMatchObject([added]);
    const lease = await takeOne(inbox);
    expect(lease.deliveries).toMatchObject([added]);
    await settle(inbox, quarantined(lease, text));
    expect(await inbox.list()).toMatchObject([{ ...added, reason: text, state: "quarantined" }]);
    expect(await inbox.replay({ lane: text })).toBe(1);
    await settle(inbox, handled(await takeOne(inbox)));
    expect(await inbox.add(added)).toBe("handled");
  });

  test("a body of 1 MB is unchanged", async () => {
    const { inbox } = await open();
    const body = JSON.stringify({ text: "é".repeat(500_000) });
    await inbox.add(delivery("large", null, { body }));
    const [taken] = (await takeOne(inbox)).deliveries;
    expect(taken?.body === body).toBe(true);
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
    expect(await inbox.take(10, MINUTE)).toHaveLength(6);
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

  test("deliveries without a key are never duplicates and are not remembered", async () => {
    const { inbox } = await open();
    const without = delivery(null, "lane");
    for (let n = 0; n < 3; n += 1) expect(await inbox.add(without)).toBe("added");
    expect(await drain(inbox)).toEqual([null, null, null]);
    expect(await inbox.add(without)).toBe("added");
  });

  test("a delivery that is waiting, leased or delayed is a duplicate", async () => {
    const { inbox } = await open();
    await inbox.add(delivery("a", "lane"));
    expect(await inbox.add(delivery("a", "lane"))).toBe("waiting");
    const lease = await takeOne(inbox);
    // The first version is kept, because the event's name may not be authentic.
    expect(await inbox.add(delivery("a", "other", { body: "[]" }))).toBe("waiting");
    await settle(inbox, retried(lease));
    expect(await inbox.add(delivery("a", "lane"))).toBe("waiting");
    expect(await inbox.list()).toMatchObject([{ ...delivery("a", "lane"), failures: 1 }]);
  });

  test("a handled delivery is a duplicate until keepMs have passed", async () => {
    const { inbox, advance } = await open({ keepMs: MINUTE });
    await inbox.add(delivery("a", "lane"));
    await drain(inbox);
    expect(await inbox.add(delivery("a", "lane"))).toBe("handled");
    await advance(MINUTE - 10_000);
    expect(await inbox.add(delivery("a", "lane"))).toBe("handled");
    expect(await drain(inbox)).toEqual([]);
    await advance(10_000);
    expect(await inbox.add(delivery("a", "lane"))).toBe("added");
    expect(await inbox.add(delivery("a", "lane"))).toBe("waiting");
    expect(await drain(inbox)).toEqual(["a"]);
    expect(await inbox.add(delivery("a", "lane"))).toBe("handled");
  });

  test("a duplicate of a delivery in quarantine replays it with all its attempts", async () => {
    const { inbox } = await open();
    await inbox.add(delivery("a", "lane"));
    await settle(inbox, retried(await takeOne(inbox), 0));
    await settle(inbox, quarantined(await takeOne(inbox)));
    const [before] = await inbox.list();
    expect(before).toMatchObject({ state: "quarantined", failures: 2, reason: "broken" });
    expect(await inbox.add(delivery("a", "other", { event: "x", body: "[]" }))).toBe("replayed");
    const replayed = { ...before, state: "waiting", failures: 0, reason: null };
    expect(await inbox.list()).toEqual([replayed]);
    expect(await inbox.add(delivery("a", "lane"))).toBe("waiting");
    expect((await takeOne(inbox)).deliveries).toMatchObject([{ id: before?.id, failures: 0 }]);
  });

  test("a replayed delivery comes before later ones of its lane", async () => {
    const { inbox } = await open();
    await addAll(
      inbox,
      ["a", "b", "c"].map((key) => delivery(key, "lane")),
    );
    await settle(inbox, quarantined(await takeOne(inbox)));
    await settle(inbox, retried(await takeOne(inbox)));
    expect(await inbox.take(1, MINUTE)).toEqual([]);
    expect(await inbox.add(delivery("a", "lane"))).toBe("replayed");
    expect(keysOf(await takeOne(inbox))).toEqual(["a", "b", "c"]);
  });

  test("ids grow in order of receipt within a lane", async () => {
    const { inbox, again } = await open();
    const other = await again();
    const ids: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      await (n % 2 ? inbox : other).add(delivery(`${n}`, n % 3 ? "one" : "other"));
    }
    for (const { key, id } of await inbox.list({ lane: "one" })) ids[Number(key)] = id;
    const inOrder = ids.filter(() => true);
    expect(inOrder).toEqual(inOrder.toSorted((one, two) => one - two));
    expect(new Set(inOrder).size).toBe(13);
  });
}
