import type { HistoryCase } from "./case.ts";
import { history, respelled, without } from "./delivery.ts";
import { match, matched, retracted } from "./money.ts";
import { account, completed, id, posting, removed, synced } from "./resources.ts";
import {
  authorized,
  daysAfter,
  movement,
  purchase,
  rematched,
  retired,
  settledByBank,
} from "./scenarios.ts";

const TWO = [account(), account("savings", { type: "savings" })];

const { bank, pending, match: cafe } = purchase();

/** BTX-04: a deletion names what was announced earlier. */
const deletions: HistoryCase[] = [
  {
    requirement: "BTX-04",
    title: "a bank transaction is deleted that was never announced",
    deliveries: () => [completed(), removed(posting("ghost")), ...daysAfter()],
    expect: "invalid",
    incomplete: "downgraded",
    lines: [2],
  },
  {
    requirement: "BTX-04",
    title: "a bank transaction is announced only after its deletion",
    deliveries: () => [completed(), removed(bank), synced(bank)],
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "BTX-04",
    title: "the deletion names another bank account",
    deliveries: () => [
      completed("link", TWO),
      synced(bank),
      removed(bank, { bankAccountId: id("savings") }),
    ],
    expect: "invalid",
  },
  {
    requirement: "BTX-04",
    title: "the deletion of an unmatched bank transaction is repeated later",
    deliveries: () => {
      const deletion = removed(bank);
      return [
        completed(),
        synced(bank),
        deletion,
        ...daysAfter(),
        respelled(deletion),
        synced(bank),
      ];
    },
    expect: "valid",
  },
  {
    requirement: "BTX-04",
    title: "a deletion is repeated with another deletedAt (not specified)",
    deliveries: () => [
      ...[completed(), synced(bank), removed(bank)],
      removed(bank, { deletedAt: "2025-03-09T00:00:00.000Z" }),
    ],
    expect: "notice",
  },
];

const second = posting("second debit");

const RETIRED = "bank_transaction_retired";
const both = match("both", pending, [bank, second], { score: 0.6 });
const ofTwo = () => history(completed(), synced(bank), synced(second), authorized(), matched(both));

/** BTX-05: the match of a deleted bank transaction is retracted. */
const retirements: HistoryCase[] = [
  {
    requirement: "BTX-05",
    title: "the match of a deleted bank transaction is never retracted",
    deliveries: () => history(without(retired(), "retracted"), ...daysAfter()),
    expect: "invalid",
    incomplete: "downgraded",
    lines: [8],
  },
  {
    requirement: "BTX-05",
    title: "the match of a retired duplicate stays, projection off",
    deliveries: () => {
      const removal = removed(bank, { reason: "duplicate_retired" });
      return history(settledByBank({ projected: false }), removal, movement());
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "BTX-05",
    title: "the retraction has the reason rematch_superseded",
    deliveries: () =>
      history({ ...retired(), retracted: retracted(cafe, "rematch_superseded") }, ...daysAfter()),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "BTX-05",
    title: "the retraction is sent before its deletion",
    deliveries: () => {
      const { removed: deletion, retracted: retraction, ...story } = retired();
      return history(story, retraction, deletion, ...daysAfter());
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "BTX-05",
    title: "only one of two deleted bank transactions has a retraction",
    deliveries: () =>
      history(
        retired(),
        authorized({ name: "kiosk" }),
        synced(posting("kiosk")),
        matched(
          match("kiosk", purchase({ name: "kiosk" }).pending, [posting("kiosk")], { score: 0.6 }),
        ),
        removed(posting("kiosk")),
        ...daysAfter(),
      ),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "BTX-05",
    title: "the retraction comes long after the deletion",
    deliveries: () => {
      const { retracted: retraction, ...story } = retired();
      return history(story, ...daysAfter(), retraction, respelled(story.matched));
    },
    expect: "valid",
  },
  {
    requirement: "BTX-05",
    title: "the duplicate of a matched bank transaction is deleted",
    deliveries: () => {
      const twin = posting("twin");
      return history(settledByBank(), synced(twin), removed(twin, { reason: "duplicate_retired" }));
    },
    expect: "valid",
  },
  {
    requirement: "BTX-05",
    title: "a bank transaction without a match after a rematch is deleted",
    deliveries: () => history(without(rematched(), "rematched"), removed(bank), ...daysAfter()),
    expect: "valid",
  },
  {
    requirement: "BTX-05",
    title: "the retraction names the deleted second bank transaction of a match",
    deliveries: () => [...ofTwo(), removed(second), retracted(both, RETIRED, second.id)],
    expect: "valid",
  },
  {
    requirement: "BTX-05",
    title: "both bank transactions of a match are deleted and retracted",
    deliveries: () => [
      ...[...ofTwo(), removed(second), retracted(both, RETIRED, second.id)],
      ...[removed(bank), retracted(both, RETIRED, bank.id)],
    ],
    expect: "valid",
  },
  {
    requirement: "BTX-05",
    title: "a match is not retracted if its second bank transaction is deleted",
    deliveries: () => [...ofTwo(), removed(second), ...daysAfter()],
    expect: "invalid",
    incomplete: "downgraded",
  },
];

export const bankTransactionCases: readonly HistoryCase[] = [...deletions, ...retirements];
