import { describe, expect, test } from "vitest";
import { type EventName, eventNames } from "../../generated/events.ts";
import type { FeedEvent } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { finalState, isNewer } from "../../src/webhooks/index.ts";
import { uuid } from "../support/payloads.ts";

const T = "2026-01-05T09:00:00.000Z";

/** An event with other members, which may break the contract like those of a later version. */
const event = (name: EventName, members: object = {}) =>
  ({ name, body: { ...make(name), ...members } }) as FeedEvent;

const links = (...messages: (number | string)[]) => ({
  self: { href: `/transactions/${uuid(1)}` },
  subaccount: { href: `/subaccounts/${uuid(2)}` },
  messages: messages.map((id) => ({
    href: `/transaction-messages/${typeof id === "number" ? uuid(id) : id}`,
  })),
});

/** An update of one transaction at one time; its messages and its superseded messages by number. */
const update = (members: object = {}, messages: number[] = [1], superseded: number[] = []) =>
  event("transaction.updated", {
    ...{ updatedAt: T, status: "PENDING", transactionSettledAmount: 0, _links: links(...messages) },
    ...{ supersededMessageIds: superseded.map(uuid), ...members },
  });

/** Compares both ways. */
function compare(one: FeedEvent, other: FeedEvent) {
  return [isNewer(one, other), isNewer(other, one)];
}
const NEWER = [true, false];
const EQUAL = [false, false];
const UNDECIDABLE = ["undecidable", "undecidable"];

test("an event is newer than nothing", () => {
  for (const name of eventNames) {
    expect(isNewer(event(name), null)).toBe(true);
    expect(isNewer(event(name), undefined)).toBe(true);
  }
  expect(isNewer({ name: "unknown", receivedName: "card.lost", body: null }, null)).toBe(true);
});

describe.each([
  ["transaction.updated", "transaction.created"],
  ["cardsubscription.updated", "cardsubscription.created"],
  ["networkbulkfeed.statechanged", "networkbulkfeed.statechanged"],
] as const)("%s", (later, earlier) => {
  const at = (updatedAt: unknown) => event(later, { updatedAt });

  test("is newer with a later updatedAt, by one millisecond", () => {
    expect(compare(at("2026-01-05T09:00:00.001Z"), at(T))).toEqual(NEWER);
  });

  test("is not newer than the same event with other metadata", () => {
    const again = event(later, { updatedAt: T, metadata: { attempt: 2 } });
    expect(compare(again, at(T))).toEqual(EQUAL);
  });

  test("is undecidable if only another member differs", () => {
    const other = event(later, { updatedAt: T, aLaterMember: { level: 2 } });
    expect(compare(other, at(T))).toEqual(UNDECIDABLE);
  });

  test("is newer than a creation of the same time, whatever differs", () => {
    if (earlier === later) return;
    const created = event(earlier, { updatedAt: T, status: "SETTLED", more: 1 });
    expect(compare(at(T), created)).toEqual(NEWER);
  });

  test.each([undefined, null, 42, "", "yesterday", "2026-01-05", "2026-01-04T09:00:00.000"])(
    "with the updatedAt %j decides by the other facts",
    (updatedAt) => {
      expect(compare(at(updatedAt), at(T))).toEqual(UNDECIDABLE);
      if (earlier !== later) expect(compare(at(updatedAt), event(earlier))).toEqual(NEWER);
    },
  );
});

const at = (updatedAt: string, amount = 0) =>
  update({ updatedAt, transactionSettledAmount: amount });
const feed = (newState: string) =>
  event("networkbulkfeed.statechanged", { updatedAt: T, newState });
const LETTERS = "abcdef00-0000-4000-8000-00000000000a";
const deep = () => update({ more: JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) });
const deletable = (type: "banktransaction" | "transaction.match", change: "created" | "deleted") =>
  event(`${type}.${change}`, { id: uuid(1), matchId: uuid(1) });

/** Two events of one resource, and whether the first is newer. */
const pairs: [string, FeedEvent, FeedEvent, unknown[]][] = [
  ...[
    ["2026-01-05T09:00:00.001+00:00", T],
    ["2026-01-05T10:00:00.000+00:00", "2026-01-05T10:59:00.000+01:00"],
    ["2026-01-05T08:30:00.000-01:00", "2026-01-05T09:00:00.000Z"],
    ["2026-01-05T09:00:01Z", "2026-01-05T09:00:00.999Z"],
    ["2026-01-05T09:00:00.2Z", "2026-01-05T09:00:00.199Z"],
    ["2026-01-05T09:00:00.002000Z", "2026-01-05T09:00:00.001999Z"],
  ].map(([later = "", earlier = ""]): (typeof pairs)[number] => [
    `${later} and ${earlier}`,
    at(later, 1),
    at(earlier, 2),
    NEWER,
  ]),
  // A database may have cut a fraction, so these may be the same time.
  ...[
    ["2026-01-05T10:00:00.000+01:00", T],
    ["2026-01-05T09:00:00Z", "2026-01-05T09:00:00.900Z"],
    ["2026-01-05T09:00:00.1Z", "2026-01-05T09:00:00.199Z"],
    ["2026-01-05T09:00:00.000000001Z", "2026-01-05T09:00:00.000000002Z"],
    ["2026-01-05T09:00:00.000001Z", "2026-01-05T09:00:00.000002Z"],
  ].map(([one = "", other = ""]): (typeof pairs)[number] => [
    `${one} and ${other}`,
    at(one, 1),
    at(other, 2),
    UNDECIDABLE,
  ]),
  ["one more message", update({}, [1, 2]), update({}, [1]), NEWER],
  ["the messages in another order", update({}, [1, 2, 3]), update({}, [2, 1]), NEWER],
  ["each its own message", update({}, [1, 2]), update({}, [1, 3]), UNDECIDABLE],
  ["one more superseded", update({}, [1, 2], [1]), update({}, [1, 2]), NEWER],
  ["each its own superseded", update({}, [1, 2], [1]), update({}, [1, 2], [2]), UNDECIDABLE],
  ["more messages, fewer superseded", update({}, [1, 2]), update({}, [1], [1]), UNDECIDABLE],
  ["settled", update({ status: "SETTLED" }), update(), NEWER],
  ["settled, fewer messages", update({ status: "SETTLED" }), update({}, [1, 2]), UNDECIDABLE],
  ["a later status", update({ status: "REVERSED" }), update({ status: "SETTLED" }), UNDECIDABLE],
  ["an earlier status", update({ status: "INITIATED" }), update(), UNDECIDABLE],
  ["an amount", update({ transactionSettledAmount: 9 }), update(), UNDECIDABLE],
  ["a longer list of another member", update({ tags: ["a"] }), update(), UNDECIDABLE],
  ["an empty object and list", update({ tags: {} }), update({ tags: [] }), UNDECIDABLE],
  ["a status from Object", update({ status: "constructor" }), update(), UNDECIDABLE],
  [
    "message ids of another case",
    update({ _links: links(LETTERS, 1), supersededMessageIds: [LETTERS.toUpperCase()] }),
    update({ _links: links(LETTERS.toUpperCase()), supersededMessageIds: [LETTERS] }),
    NEWER,
  ],
  [
    "an id of another case",
    update({ id: LETTERS, updatedAt: "2026-01-05T09:00:00.001Z" }),
    update({ id: LETTERS.toUpperCase() }),
    NEWER,
  ],
  ...[
    { supersededMessageIds: undefined },
    { supersededMessageIds: null },
    { _links: undefined },
    { _links: { messages: null } },
  ].map((missing): (typeof pairs)[number] => [
    `only one with ${Object.keys(missing)}`,
    update({}, [1, 2], [1]),
    update(missing),
    UNDECIDABLE,
  ]),
  ["nested too deeply to compare", deep(), deep(), UNDECIDABLE],
  [
    "a later time, with fewer messages and an earlier status",
    update({ updatedAt: "2026-01-05T09:00:00.001Z" }, [1]),
    update({ status: "SETTLED" }, [1, 2], [1]),
    NEWER,
  ],
  ["an active and a submitted feed", feed("active"), feed("submitted"), NEWER],
  ["a failed and a submitted feed", feed("failed"), feed("submitted"), NEWER],
  ["a failed and an active feed", feed("failed"), feed("active"), UNDECIDABLE],
  ["a feed of an unknown state", feed("paused"), feed("submitted"), UNDECIDABLE],
  ["two active feeds", feed("active"), feed("active"), EQUAL],
  ...(["banktransaction", "transaction.match"] as const).flatMap((type): typeof pairs => {
    const [created, deleted] = [deletable(type, "created"), deletable(type, "deleted")];
    return [
      [`a deletion of a ${type} and its creation`, deleted, created, NEWER],
      [`two deletions of a ${type}`, deleted, deleted, EQUAL],
      [`two creations of a ${type}`, created, created, EQUAL],
    ];
  }),
];
test.each(pairs)("%s: the first is newer, or undecidable", (_what, one, other, expected) => {
  expect(compare(one, other)).toEqual(expected);
});

test("a resource that never changes is stored once", () => {
  for (const name of [
    "transactionmessage.created",
    "banklink.completed",
    "enrichment.merchant.created",
  ] as const) {
    expect(isNewer(event(name, { more: 1 }), event(name))).toBe(false);
  }
});

test("changes of bank accounts and unknown events are undecidable", () => {
  const change = event("bankaccount.state_changed");
  expect(isNewer(change, change)).toBe("undecidable");
  const unknown: FeedEvent = { name: "unknown", receivedName: "card.lost", body: { id: 1 } };
  expect(isNewer(unknown, unknown)).toBe("undecidable");
});

describe("what is stored must be an event of the same resource", () => {
  test.each<[string, FeedEvent, unknown, string]>([
    [
      "another id",
      update({ id: uuid(1) }),
      update({ id: uuid(2) }),
      `stored about transaction ${uuid(2)}`,
    ],
    ["another type", update(), event("cardsubscription.updated"), "stored about cardsubscription "],
    [
      "the bank transaction of a match",
      event("transaction.match.deleted"),
      event("banktransaction.created"),
      "event is about transaction.match ",
    ],
    [
      "another match of the bank transaction",
      event("transaction.match.created", { id: uuid(7), matchId: uuid(1) }),
      event("transaction.match.created", { id: uuid(7), matchId: uuid(2) }),
      `stored about transaction.match ${uuid(2)}`,
    ],
    [
      "another bank account",
      event("bankaccount.state_changed", { id: 1, bankAccountId: uuid(1) }),
      event("bankaccount.state_changed", { id: 1, bankAccountId: uuid(2) }),
      `stored about bankaccount ${uuid(2)}`,
    ],
    [
      "another bank link",
      event("banklink.completed", { id: 1, bankLinkId: uuid(1) }),
      event("banklink.completed", { id: 1, bankLinkId: uuid(2) }),
      `stored about banklink ${uuid(2)}`,
    ],
    ["a body", update(), update().body, "stored must be an event, { name, body }, or null"],
  ])("not %s", (_what, given, stored, message) => {
    const problem = expect.objectContaining({
      code: "usage",
      message: expect.stringContaining(message),
    });
    expect(() => isNewer(given, stored as FeedEvent)).toThrow(problem);
  });
});

describe("finalState", () => {
  const ids = { A: "active", R: "auth_required", D: "disconnected" } as const;
  /** Changes such as `AD DA`: from active to disconnected, and back. */
  const changes = (text: string) =>
    text
      .split(" ")
      .filter(Boolean)
      .map(([from, to]) => ({
        previousState: ids[from as "A"],
        state: ids[to as "A"],
      }));

  test.each<[string, "active" | "disconnected", string | undefined]>([
    ["", "active", "active"],
    ["AD", "active", "disconnected"],
    ["DA AD", "active", "active"],
    ["AD DA AD", "active", "disconnected"],
    ["DA AD AD", "active", "disconnected"],
    ["RD AR DA", "active", "active"],
    ["DA RD AR AR", "active", "auth_required"],
    ["", "disconnected", "disconnected"],
    ["AD DA", "disconnected", "disconnected"],
    ["DA", "disconnected", "active"],
    // Two gaps, no change from the start, another start, a gap at the start.
    ["AD AD", "active", undefined],
    ["RD DR", "active", undefined],
    ["DA", "active", undefined],
    ["RD", "active", undefined],
  ])("of %j from %s is %s", (text, start, state) => {
    expect(finalState(changes(text), start)).toBe(state);
    if (start === "active") expect(finalState(changes(text))).toBe(state);
  });
});
