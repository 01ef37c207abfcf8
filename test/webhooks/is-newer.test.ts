import { describe, expect, test } from "vitest";
import { type EventName, eventNames } from "../../generated/events.ts";
import type { FeedEvent } from "../../src/contract/index.ts";
import { make } from "../../src/fixtures/index.ts";
import { finalState, isNewer } from "../../src/webhooks/index.ts";
import { uuid } from "../support/payloads.ts";

const T = "2026-01-05T09:00:00.000Z";
const LATER = "2026-01-05T09:00:00.001Z";

/** An event with other members, which may break the contract like those of a later version. */
const event = (name: EventName, members: object = {}) =>
  ({ name, body: { ...make(name), ...members } }) as FeedEvent;
const unknown: FeedEvent = { name: "unknown", receivedName: "card.lost", body: { id: 1 } };

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
const compare = (one: FeedEvent, other: FeedEvent) => [isNewer(one, other), isNewer(other, one)];
const NEWER = [true, false];
const EQUAL = [false, false];
const UNDECIDABLE = ["undecidable", "undecidable"];

test("an event is newer than nothing", () => {
  for (const any of [...eventNames.map((name) => event(name)), { ...unknown, body: null }]) {
    expect([isNewer(any, null), isNewer(any, undefined)]).toEqual([true, true]);
  }
});

test.each([
  "transaction.updated",
  "cardsubscription.updated",
  "networkbulkfeed.statechanged",
] as const)("%s is compared by time, then by other facts, but not by metadata", (name) => {
  const at = (updatedAt: unknown, more = {}) => event(name, { updatedAt, ...more });
  expect(compare(at(LATER), at(T))).toEqual(NEWER);
  expect(compare(at(T, { metadata: { attempt: 2 } }), at(T))).toEqual(EQUAL);
  expect(compare(at(T, { aLaterMember: { level: 2 } }), at(T))).toEqual(UNDECIDABLE);
  const noTimes = [undefined, null, 42, "", "yesterday", "2026-01-04", "2026-01-04T09:00:00.000"];
  for (const noTime of noTimes) {
    expect([noTime, ...compare(at(noTime), at(T))]).toEqual([noTime, ...UNDECIDABLE]);
  }
});

test.each(["transaction", "cardsubscription"] as const)(
  "an update of a %s is newer than its creation, unless its time is earlier",
  (type) => {
    const created = event(`${type}.created`, { updatedAt: T, status: "SETTLED", more: 1 });
    for (const updatedAt of [T, "yesterday"]) {
      expect(compare(event(`${type}.updated`, { updatedAt }), created)).toEqual(NEWER);
    }
    const behind = event(`${type}.updated`, { updatedAt: "2026-01-05T08:59:59.999Z" });
    expect(compare(created, behind)).toEqual(NEWER);
  },
);

test.each([
  ["2026-01-05T09:00:00.001+00:00", T, NEWER],
  ["2026-01-05T10:00:00.000+00:00", "2026-01-05T10:59:00.000+01:00", NEWER],
  ["2026-01-05T08:30:00.000-01:00", T, NEWER],
  ["2026-01-05T09:00:01Z", "2026-01-05T09:00:00.999Z", NEWER],
  ["2026-01-05T09:00:00.2Z", "2026-01-05T09:00:00.199Z", NEWER],
  ["2026-01-05T09:00:00.002000Z", "2026-01-05T09:00:00.001999Z", NEWER],
  // A database may have cut a fraction, so these may be the same time.
  ["2026-01-05T10:00:00.000+01:00", T, UNDECIDABLE],
  ["2026-01-05T09:00:00Z", "2026-01-05T09:00:00.900Z", UNDECIDABLE],
  ["2026-01-05T09:00:00.1Z", "2026-01-05T09:00:00.199Z", UNDECIDABLE],
  ["2026-01-05T09:00:00.000000001Z", "2026-01-05T09:00:00.000000002Z", UNDECIDABLE],
])("of %s and %s the first is newer, or undecidable", (one, other, expected) => {
  const first = update({ updatedAt: one, transactionSettledAmount: 1 });
  expect(compare(first, update({ updatedAt: other }))).toEqual(expected);
});

const settled = { status: "SETTLED" };
const feed = (newState: string) =>
  event("networkbulkfeed.statechanged", { updatedAt: T, newState });
const LETTERS = "abcdef00-0000-4000-8000-00000000000a";
const UPPER = LETTERS.toUpperCase();
const deep = () => update({ more: JSON.parse(`${"[".repeat(5000)}${"]".repeat(5000)}`) });

/** Two events of one resource, and whether the first is newer. */
const pairs: [string, FeedEvent, FeedEvent, unknown[]][] = [
  ["one more message", update({}, [1, 2]), update({}, [1]), NEWER],
  ["the messages in another order", update({}, [1, 2, 3]), update({}, [2, 1]), NEWER],
  ["each its own message", update({}, [1, 2]), update({}, [1, 3]), UNDECIDABLE],
  ["one more superseded", update({}, [1, 2], [1]), update({}, [1, 2]), NEWER],
  ["each its own superseded", update({}, [1, 2], [1]), update({}, [1, 2], [2]), UNDECIDABLE],
  ["more messages, fewer superseded", update({}, [1, 2]), update({}, [1], [1]), UNDECIDABLE],
  ["settled", update(settled), update(), NEWER],
  ["settled, fewer messages", update(settled), update({}, [1, 2]), UNDECIDABLE],
  ["later, all else less", update({ updatedAt: LATER }), update(settled, [1, 2], [1]), NEWER],
  ["a later status", update({ status: "REVERSED" }), update(settled), UNDECIDABLE],
  ["an earlier status", update({ status: "INITIATED" }), update(), UNDECIDABLE],
  ["a status from Object", update({ status: "constructor" }), update(), UNDECIDABLE],
  ["an amount", update({ transactionSettledAmount: 9 }), update(), UNDECIDABLE],
  ["a longer list of another member", update({ tags: ["a"] }), update(), UNDECIDABLE],
  ["an empty object and list", update({ tags: {} }), update({ tags: [] }), UNDECIDABLE],
  ["nested too deeply to compare", deep(), deep(), UNDECIDABLE],
  ["an id of another case", update({ id: LETTERS }), update({ id: UPPER }), UNDECIDABLE],
  [
    "message ids of another case",
    update({ _links: links(LETTERS, 1), supersededMessageIds: [UPPER] }),
    update({ _links: links(UPPER), supersededMessageIds: [LETTERS] }),
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
  ["an active and a submitted feed", feed("active"), feed("submitted"), NEWER],
  ["a failed and a submitted feed", feed("failed"), feed("submitted"), NEWER],
  ["a failed and an active feed", feed("failed"), feed("active"), UNDECIDABLE],
  ["a feed of an unknown state", feed("paused"), feed("submitted"), UNDECIDABLE],
  ["two active feeds", feed("active"), feed("active"), EQUAL],
];
test.each(pairs)("%s: the first is newer, or undecidable", (_what, one, other, expected) => {
  expect(compare(one, other)).toEqual(expected);
});

test.each(["banktransaction", "transaction.match"] as const)(
  "of a %s only a deletion is newer, once",
  (type) => {
    const ids = { id: uuid(1), matchId: uuid(1) };
    const created = event(`${type}.created`, ids);
    const deleted = event(`${type}.deleted`, ids);
    expect(compare(deleted, created)).toEqual(NEWER);
    expect(compare(deleted, deleted)).toEqual(EQUAL);
    expect(compare(created, event(`${type}.created`, { ...ids, more: 1 }))).toEqual(EQUAL);
  },
);

test.each([
  ["transactionmessage.created", false],
  ["banklink.completed", false],
  ["enrichment.merchant.created", false],
  ["bankaccount.state_changed", "undecidable"],
] as const)("of %s a second event is never newer", (name, expected) => {
  expect(isNewer(event(name, { more: 1 }), event(name))).toBe(expected);
});

test("unknown events are undecidable", () => {
  expect(isNewer(unknown, unknown)).toBe("undecidable");
});

/** Events that differ only in one member, their id. */
const twoOf = (name: EventName, member: string) =>
  [1, 2].map((n) => event(name, { id: uuid(7), [member]: uuid(n) })) as [FeedEvent, FeedEvent];

test.each<[FeedEvent, unknown, string]>([
  [...twoOf("transaction.updated", "id"), `stored about transaction ${uuid(2)}`],
  [...twoOf("transaction.match.created", "matchId"), `about transaction.match ${uuid(2)}`],
  [...twoOf("bankaccount.state_changed", "bankAccountId"), `about bankaccount ${uuid(2)}`],
  [...twoOf("banklink.completed", "bankLinkId"), `stored about banklink ${uuid(2)}`],
  [update(), event("cardsubscription.updated"), "stored about cardsubscription "],
  [
    event("transaction.match.deleted"),
    event("banktransaction.created"),
    "about transaction.match ",
  ],
  [update(), update().body, "stored must be an event, { name, body }, or null"],
])("%o: the stored event must be of the same resource", (given, stored, problem) => {
  const message = expect.stringContaining(problem);
  const error = expect.objectContaining({ code: "usage", message });
  expect(() => isNewer(given, stored as FeedEvent)).toThrow(error);
});

describe("finalState", () => {
  const ids = { A: "active", R: "auth_required", D: "disconnected" } as const;
  /** Changes such as `AD DA`: from active to disconnected, and back. */
  const changes = (text: string) =>
    Array.from(text.matchAll(/(\w)(\w)/g), ([, from, to]) => ({
      previousState: ids[from as "A"],
      state: ids[to as "A"],
    }));

  test.each<[string, "active" | "disconnected", string | undefined]>([
    ["", "active", "active"],
    ["DA AD", "active", "active"],
    ["DA AD AD", "active", "disconnected"],
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
