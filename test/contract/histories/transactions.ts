import type { HistoryCase } from "./case.ts";
import { altered, history, respelled } from "./delivery.ts";
import { announced, created, settlement, updated } from "./money.ts";
import { posting, synced, time } from "./resources.ts";
import {
  daysAfter,
  duplicatedTwice,
  lateMatch,
  purchase,
  settledByBank,
  thenCleared,
} from "./scenarios.ts";

const { auth, bank, settled, cleared, at } = purchase();
const again = settlement(auth, posting("cafe again"));
const three = [auth, settled, cleared];
const four = [...three, again];
const off = { projected: false };

/** A later snapshot of the transaction after its clearing. */
const later = (hour: number, snapshot: Parameters<typeof at>[2]) =>
  updated(at(hour, three, snapshot));

/** TXN-11: supersededMessageIds is a full snapshot. */
const snapshots: HistoryCase[] = [
  {
    requirement: "TXN-11",
    title: "only the second duplicate's id is listed, projection off",
    deliveries: () =>
      history({
        ...duplicatedTwice(off),
        marked: updated(at(80, four, { superseded: [again], ...off })),
      }),
    expect: "invalid",
    incomplete: "downgraded",
    lines: [15],
  },
  {
    requirement: "TXN-11",
    title: "only the second duplicate's id is listed, and the first counts",
    deliveries: () =>
      history({ ...duplicatedTwice(), marked: updated(at(80, four, { superseded: [again] })) }),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-11",
    title: "a revision empties supersededMessageIds",
    deliveries: () => history(thenCleared(), later(70, { superseded: [] })),
    expect: "invalid",
    incomplete: "downgraded",
    lines: [10],
  },
  {
    requirement: "TXN-11",
    title: "a revision empties supersededMessageIds, projection off",
    deliveries: () => history(thenCleared(off), later(70, { superseded: [], ...off })),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-11",
    title: "one superseded id replaces another",
    deliveries: () => history(thenCleared(), later(70, { superseded: [cleared] })),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-11",
    title: "supersededMessageIds is emptied at the same updatedAt",
    deliveries: () => history(thenCleared(), later(58, { superseded: [] })),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-11",
    title: "an id superseded in transaction.created is missing in the update",
    deliveries: () =>
      history(
        ...[auth, settled, cleared].map(announced),
        synced(bank),
        created(at(1, three, { superseded: [settled], ...off })),
        later(2, { superseded: [], ...off }),
      ),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-11",
    title: "the first snapshot is repeated before the ids are reduced",
    deliveries: () => {
      const story = duplicatedTwice(off);
      const delta = updated(at(80, four, { superseded: [again], ...off }));
      return history({ ...story, marked: story.pending }, story.settled, delta);
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-11",
    title: "a second duplicate is added, projection off",
    deliveries: () => history(duplicatedTwice(off)),
    expect: "valid",
  },
  {
    requirement: "TXN-11",
    title: "the same ids are listed in another order",
    deliveries: () =>
      history(duplicatedTwice(), updated(at(90, four, { superseded: [again, settled] }))),
    expect: "valid",
  },
  {
    requirement: "TXN-11",
    title: "older snapshots are repeated after the duplicate",
    deliveries: () => {
      const story = thenCleared();
      return history(story, story.pending, respelled(story.settled), story.revised);
    },
    expect: "valid",
  },
  {
    requirement: "TXN-11",
    title: "an empty supersededMessageIds gains an id",
    complete: false,
    deliveries: () =>
      history(
        updated(
          at(5, three, { superseded: [settled], ...off, over: { supersededMessageIds: [] } }),
        ),
        later(70, { superseded: [settled], ...off }),
      ),
    expect: "valid",
  },
  {
    requirement: "TXN-11",
    title: "two purchases with their own ids are interleaved",
    deliveries: () => {
      const [one, two] = [thenCleared(), thenCleared({ name: "kiosk" })].map(Object.values);
      return (one ?? []).flatMap((delivery, index) => [delivery, two?.[index] ?? delivery]);
    },
    expect: "valid",
  },
];

/** TXN-18: createdAt stays, updatedAt never goes back. */
const timestamps: HistoryCase[] = [
  {
    requirement: "TXN-18",
    title: "the update has another createdAt",
    deliveries: () => {
      const story = settledByBank();
      const wrong = altered(story.settled, (body) => {
        body.createdAt = body.updatedAt;
      });
      return history({ ...story, settled: wrong });
    },
    expect: "derived",
    incomplete: "reported",
    lines: [7],
  },
  {
    requirement: "TXN-18",
    title: "createdAt changes by a millisecond, projection off",
    deliveries: () => {
      const story = thenCleared(off);
      const wrong = altered(story.revised, (body) => {
        body.createdAt = body.createdAt.replace(".000Z", ".001Z");
      });
      return history({ ...story, revised: wrong });
    },
    expect: "derived",
    incomplete: "reported",
  },
  {
    requirement: "TXN-18",
    title: "createdAt differs between the only two updates",
    complete: false,
    deliveries: () =>
      history(
        updated(at(5, [auth, settled])),
        updated(at(6, [auth, settled], { over: { createdAt: time(2) } })),
      ),
    expect: "derived",
  },
  {
    requirement: "TXN-18",
    title: "updatedAt of the last settlement is before the creation",
    deliveries: () => {
      const story = settledByBank();
      const early = altered(story.settled, (body) => {
        body.updatedAt = "2025-03-01T00:00:00.000Z";
      });
      return history({ ...story, settled: early }, ...daysAfter());
    },
    expect: "derived",
    incomplete: "downgraded",
    lines: [7],
  },
  {
    requirement: "TXN-18",
    title: "updatedAt of a standalone is later than that of its netting",
    deliveries: () => {
      const story = lateMatch(0.35);
      const ahead = altered(story.standalone, (body) => {
        body.updatedAt = time(99);
      });
      return history({ ...story, standalone: ahead });
    },
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-18",
    title: "updatedAt of the clearing is before that of the settlement",
    deliveries: () => history({ ...thenCleared(), revised: later(9, { superseded: [settled] }) }),
    expect: "derived",
    incomplete: "downgraded",
    lines: [9],
  },
  {
    requirement: "TXN-18",
    title: "updatedAt decreases after a repeat of the newest snapshot",
    deliveries: () => {
      const story = settledByBank();
      return history(story, story.settled, updated(at(9.5, [auth, settled])));
    },
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-18",
    title: "the two updates come in the wrong order",
    deliveries: () => {
      const { settled: second, cleared: message, revised, ...story } = thenCleared();
      return history(story, message, revised, second);
    },
    expect: "derived",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-18",
    title: "two snapshots have the same updatedAt",
    deliveries: () => history({ ...thenCleared(), revised: later(10, { superseded: [settled] }) }),
    expect: "valid",
  },
  {
    requirement: "TXN-18",
    title: "a snapshot is repeated long after a newer one",
    deliveries: () => {
      const story = thenCleared();
      return history(story, story.settled, story.pending);
    },
    expect: "valid",
  },
  {
    requirement: "TXN-18",
    title: "updates are out of order",
    complete: false,
    deliveries: () => {
      const { pending: first, settled: second, revised, ...others } = thenCleared();
      return history(others, revised, second, first);
    },
    expect: "notice",
  },
];

export const transactionCases: readonly HistoryCase[] = [...snapshots, ...timestamps];
