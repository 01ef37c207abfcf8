import type { HistoryCase } from "./case.ts";
import { type Delivery, history, respelled, without } from "./delivery.ts";
import { created, enriched, match, matched, retracted, updated } from "./money.ts";
import { ACCOUNT, changed, completed, feedMoved, moved, subscribed } from "./resources.ts";
import {
  authorized,
  clearedInParts,
  daysAfter,
  duplicatedTwice,
  lateMatch,
  movement,
  purchase,
  rematched,
  retired,
  settledByBank,
  thenCleared,
  upgraded,
} from "./scenarios.ts";

const { auth, bank, settled, at, pending } = purchase();
const off = { projected: false };

/** WHK-05: transaction.created comes once, before its updates. */
const creations: HistoryCase[] = [
  {
    requirement: "WHK-05",
    title: "the settlement comes as a second created",
    deliveries: () => {
      const story = settledByBank();
      return history({ ...story, settled: created(story.settled.body) });
    },
    expect: "derived",
    incomplete: "reported",
    lines: [3, 7],
  },
  {
    requirement: "WHK-05",
    title: "an update is repeated as a second created",
    deliveries: () => {
      const story = thenCleared(off);
      return history(story, created(story.revised.body));
    },
    expect: "derived",
    incomplete: "reported",
  },
  {
    requirement: "WHK-05",
    title: "a second created differs only in its descriptor",
    deliveries: () =>
      history(authorized(), created(at(0, [auth], { over: { descriptor: "CAFE AND BAR" } }))),
    expect: "derived",
    incomplete: "reported",
  },
  {
    requirement: "WHK-05",
    title: "a transaction is updated that was never created",
    deliveries: () => history(without(settledByBank(), "pending"), movement()),
    expect: "derived",
    incomplete: "downgraded",
    lines: [6],
  },
  {
    requirement: "WHK-05",
    title: "the update comes before the created",
    deliveries: () => {
      const { pending: first, ...story } = settledByBank();
      return history(story, first);
    },
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "WHK-05",
    title: "created is repeated after the updates, also with other bytes",
    deliveries: () => {
      const story = thenCleared();
      return history(story, story.pending, ...daysAfter(), respelled(story.pending));
    },
    expect: "valid",
  },
  {
    requirement: "WHK-05",
    title: "an update changes nothing",
    deliveries: () => history(authorized(), updated(at(0, [auth]))),
    expect: "valid",
  },
  {
    requirement: "WHK-05",
    title: "the events of two transactions are interleaved",
    deliveries: () => {
      const { pending: first, ...story } = settledByBank();
      const kiosk = authorized({ name: "kiosk" });
      return history(kiosk.authorized, first, kiosk.pending, story);
    },
    expect: "valid",
  },
  {
    requirement: "WHK-05",
    title: "a settled purchase is PENDING after a retraction (not specified)",
    deliveries: () => {
      const again = at(70, [auth, settled], { superseded: [settled], over: { status: "PENDING" } });
      return history(retired(), updated(again));
    },
    expect: "notice",
  },
];

/** All scenarios in sequence. */
const everything = (): readonly Delivery[] =>
  history(
    feedMoved("submitted", "active", { expectedCardCount: 2 }),
    ...[subscribed("bulk", { type: "network-bulk", state: "active" }), subscribed("single")],
    upgraded(),
    duplicatedTwice(),
    enriched(auth),
    changed("single", { bankAccountId: ACCOUNT }),
    ...[moved("active", "auth_required"), moved("auth_required", "active")],
    settledByBank({ name: "kiosk", projected: false }),
    retracted(purchase({ name: "kiosk" }).match, "rematch_superseded"),
    matched(match("kiosk again", purchase({ name: "kiosk" }).pending, [kioskBank()])),
    clearedInParts(),
    ...daysAfter(),
  );

const kioskBank = () => purchase({ name: "kiosk" }).bank;

/** Complete scenarios, and orders that the readings allow. */
const wholes: HistoryCase[] = [
  {
    requirement: "WHK-01",
    title: "one long capture has every event",
    deliveries: () => history(...everything(), completed("other link", [])),
    expect: "valid",
  },
  {
    requirement: "WHK-04",
    title: "all deliveries of a long capture are repeated",
    deliveries: () => [...everything(), ...everything().map(respelled)],
    expect: "valid",
  },
  {
    requirement: "WHK-04",
    title: "all deliveries are in reverse order",
    complete: false,
    deliveries: () => everything().toReversed(),
    expect: "notice",
  },
  {
    requirement: "MAT-10",
    title: "a late match in a long capture, projection off",
    deliveries: () => history(lateMatch(0.93, off), ...daysAfter()),
    expect: "valid",
  },
  {
    requirement: "MAT-09",
    title: "a retracted match is found again much later",
    deliveries: () => {
      const again = matched(match("again", pending, [bank], { score: 0.6 }));
      return history(without(rematched(), "rematched"), ...daysAfter(), again);
    },
    expect: "valid",
  },
];

/** Single creations, and long captures. */
export const creationCases: readonly HistoryCase[] = [...creations, ...wholes];
