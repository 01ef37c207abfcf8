import type { HistoryCase } from "./case.ts";
import { altered, history, respelled, without } from "./delivery.ts";
import { match, matched, retracted } from "./money.ts";
import { completed, id, posting, removed, synced } from "./resources.ts";
import { authorized, daysAfter, purchase, rematched, retired } from "./scenarios.ts";

const { bank, pending } = purchase();
const kiosk = purchase({ name: "kiosk" });
const LOW = { score: 0.3 };
const second = posting("second debit");

/** MAT-04: matches[].id is announced by banktransaction.created. */
const bankIds: HistoryCase[] = [
  {
    requirement: "MAT-04",
    title: "a match names a bank transaction that is never announced",
    deliveries: () =>
      history(
        completed(),
        authorized(),
        matched(match("cafe", pending, [posting("ghost")], LOW)),
        ...daysAfter(),
      ),
    expect: "invalid",
    incomplete: "downgraded",
    lines: [4],
  },
  {
    requirement: "MAT-04",
    title: "the second bank transaction of a match is never announced",
    deliveries: () =>
      history(
        ...[completed(), synced(bank)],
        authorized(),
        matched(match("cafe", pending, [bank, posting("ghost")], LOW)),
        ...daysAfter(),
      ),
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MAT-04",
    title: "a match has a bank account's id as its bank transaction",
    deliveries: () => {
      const wrong = matched(match("cafe", pending, [{ ...bank, id: bank.bankAccountId }], LOW));
      return history(completed(), synced(bank), authorized(), wrong);
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MAT-04",
    title: "a match comes days after its bank transaction",
    deliveries: () =>
      history(
        ...[completed(), synced(bank)],
        authorized(),
        ...daysAfter(),
        matched(match("cafe", pending, [bank], LOW)),
      ),
    expect: "valid",
  },
  {
    requirement: "MAT-04",
    title: "a bank transaction is announced after the match that names it",
    deliveries: () =>
      history(
        completed(),
        authorized(),
        matched(match("cafe", pending, [bank], LOW)),
        synced(bank),
      ),
    expect: "valid",
  },
  {
    requirement: "MAT-04",
    title: "one match names two bank transactions",
    deliveries: () =>
      history(
        ...[completed(), synced(bank), synced(second)],
        authorized(),
        matched(match("cafe", pending, [second, bank], LOW)),
      ),
    expect: "valid",
  },
];

/** MAT-05: a retraction names a previously announced match. */
const retractions: HistoryCase[] = [
  {
    requirement: "MAT-05",
    title: "a match is retracted that was never announced",
    deliveries: () => history(without(rematched(), "matched", "rematched"), ...daysAfter()),
    expect: "invalid",
    incomplete: "downgraded",
    lines: [5],
  },
  {
    requirement: "MAT-05",
    title: "a match is announced only after its retraction",
    deliveries: () => {
      const { matched: old, retracted: retraction, ...story } = rematched();
      return history(without(story, "rematched"), retraction, old);
    },
    expect: "invalid",
    incomplete: "downgraded",
  },
  {
    requirement: "MAT-05",
    title: "the retraction names a bank transaction that the match doesn't",
    deliveries: () => {
      const wrong = retracted(match("old", pending, [bank]), "rematch_superseded", second.id);
      const { link, ...story } = rematched();
      return history(link, synced(second), { ...story, retracted: wrong });
    },
    expect: "invalid",
  },
  {
    requirement: "MAT-05",
    title: "the retraction names a different purchase than the match",
    deliveries: () => {
      const story = rematched();
      const wrong = altered(story.retracted, (body) => {
        body.cardTransactionId = kiosk.pending.id;
      });
      return history(authorized({ name: "kiosk" }), { ...story, retracted: wrong });
    },
    expect: "invalid",
  },
  {
    requirement: "MAT-05",
    title: "a match and its retraction are repeated later",
    deliveries: () => {
      const story = retired();
      return history(story, ...daysAfter(), story.matched, respelled(story.retracted));
    },
    expect: "valid",
  },
  {
    requirement: "MAT-05",
    title: "a match is retracted by a rematch and again by a deletion",
    deliveries: () =>
      history(
        without(rematched(), "rematched"),
        removed(bank),
        retracted(match("old", pending, [bank]), "bank_transaction_retired"),
      ),
    expect: "notice",
  },
  {
    requirement: "MAT-05",
    title: "a match of a clearing leg is retracted without a deletion",
    deliveries: () => {
      const card = { cardTransactionId: id("clearing leg"), ...LOW };
      const old = match("leg", pending, [bank], card);
      return history(
        ...[completed(), synced(bank)],
        authorized(),
        ...[matched(old), retracted(old, "rematch_superseded")],
      );
    },
    expect: "valid",
  },
];

/** Matches of bank transactions with card transactions. */
export const matchCases: readonly HistoryCase[] = [...bankIds, ...retractions];
