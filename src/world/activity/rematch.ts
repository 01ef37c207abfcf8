import * as z from "zod";
import { adviceForMatch } from "../advice.ts";
import { Id, verbParams } from "../fields.ts";
import { bankAccountOfCard } from "../linked-cards.ts";
import { conflict } from "../refusal.ts";
import type { Resource } from "../resources.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { matchesToRepeat } from "./defaults.ts";
import { retractMatch } from "./match.ts";
import { matchAccount } from "./matching-pass.ts";
import { unsettle } from "./settlement.ts";
import { createStandalone } from "./standalone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** MAT-09: the delays of the matching passes after new card data. */
export const REMATCH_AFTER_MS = [
  ...[5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS],
  ...[HOUR_MS, 6 * HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS],
];

/** MAT-09: new card data restarts the schedule of matching passes of an account. */
export function cardDataArrived(work: UnitOfWork, bankAccountId: string): void {
  work.cancel("rematch", bankAccountId);
  for (const afterMs of REMATCH_AFTER_MS) work.schedule("rematch", bankAccountId, afterMs);
}

/** Calls {@link cardDataArrived} for the bank account of a card, if it has one. */
export function cardDataArrivedFor(work: UnitOfWork, cardId: string | null): void {
  const bankAccountId = bankAccountOfCard(work.store, cardId);
  if (bankAccountId !== undefined) cardDataArrived(work, bankAccountId);
}

/** The job: matches an account again, if it exists. */
export function rematchAccount(work: UnitOfWork, bankAccountId: string): void {
  const account = work.store.get("bank-accounts", bankAccountId);
  if (account) matchAccount(work, account);
}

export const RematchParams = verbParams({
  transactionId: Id.optional(),
  bankTransactionId: Id.optional(),
  bankAccountId: Id.optional(),
}).describe(
  "The purchase, bank transaction or bank account to match again. Default: the latest match.",
);
export type RematchParams = Of<typeof RematchParams>;

/**
 * Retracts matches and matches again, so that each match has a new id. A posting without a
 * new match becomes a bank-only transaction, and no longer settles its purchase.
 */
export const rematch = verb({
  name: "rematch",
  summary: "Repeats the matching, with new match ids",
  requirements: ["MAT-07"],
  params: RematchParams,
  result: z.object({ matchIds: z.array(z.string()) }),
  example: {},
  run(work, params) {
    const { store } = work;
    const old = matchesToRepeat(store, params);
    if (old.length === 0) throw conflict("there is no match", adviceForMatch(store, params));
    for (const { id } of old) retractMatch(work, id, "rematch_superseded");
    const movements = old.map((match) => store.find("bank-transactions", match.parent));
    const accounts = new Map<string, Resource<"bank-accounts">>();
    for (const { parent } of movements) accounts.set(parent, store.find("bank-accounts", parent));
    for (const account of accounts.values()) matchAccount(work, account);
    const matchIds: string[] = [];
    for (const { parent: movementId, internal } of old) {
      const movement = store.find("bank-transactions", movementId);
      const { matchId } = movement.internal;
      const match = matchId === null ? undefined : store.find("transaction-matches", matchId);
      if (match) matchIds.push(match.id);
      if (match?.internal.transactionId !== internal.transactionId) {
        unsettle(work, store.find("transactions", internal.transactionId), movementId);
      }
      if (!match) createStandalone(work, store.find("bank-accounts", movement.parent), movement);
    }
    return { matchIds };
  },
});
