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
    title: "the second duplicate's id comes alone, projection switched off",
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
    title: "the second duplicate's id comes alone, and the first counts again",
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
    title: "a revision empties supersededMessageIds, projection switched off",
    deliveries: () => history(thenCleared(off), later(70, { superseded: [], ...off })),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "TXN-11",
    title: "one superseded id takes the place of another",
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
    title: "an id that transaction.created had superseded is gone in the update",
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
    title: "a repeat of the first snapshot stands between the set and the delta",
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
    title: "a second duplicate joins the first, projection switched off",
    deliveries: () => history(duplicatedTwice(off)),
    expect: "valid",
  },
  {
    requirement: "TXN-11",
    title: "the same set comes in another order of its ids",
    deliveries: () =>
      history(duplicatedTwice(), updated(at(90, four, { superseded: [again, settled] }))),
    expect: "valid",
  },
  {
    requirement: "TXN-11",
    title: "repeats of snapshots from before the duplicate come after it",
    deliveries: () => {
      const story = thenCleared();
      return history(story, story.pending, respelled(story.settled), story.revised);
    },
    expect: "valid",
  },
  {
    requirement: "TXN-11",
    title: "a transaction last updated before the field existed gains its set",
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
    title: "two purchases have each a set of their own, interleaved",
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
    title: "createdAt of the update is its own",
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
    title: "createdAt moves by a millisecond in the third snapshot, projection switched off",
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
    title: "createdAt differs between two updates that are all the capture has",
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
    title: "updatedAt of the settlement lies before the creation, and nothing newer follows",
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
    title: "updatedAt of a standalone lies ahead of its netting",
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
    title: "updatedAt of the clearing lies before that of the settlement",
    deliveries: () => history({ ...thenCleared(), revised: later(9, { superseded: [settled] }) }),
    expect: "derived",
    incomplete: "downgraded",
    lines: [9],
  },
  {
    requirement: "TXN-18",
    title: "updatedAt goes back after a repeat of the newest snapshot",
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
    title: "updates overtake each other",
    complete: false,
    deliveries: () => {
      const { pending: first, settled: second, revised, ...others } = thenCleared();
      return history(others, revised, second, first);
    },
    expect: "notice",
  },
];

export const transactionCases: readonly HistoryCase[] = [...snapshots, ...timestamps];
