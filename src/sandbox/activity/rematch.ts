import type { Ledger } from "../ledger.ts";
import { conflict } from "../refusal.ts";
import type { Resource } from "../store/resources.ts";
import type { RematchParams, VerbResults } from "../verbs/params.ts";
import { retractMatch } from "./match.ts";
import { matchAccount } from "./matching-pass.ts";
import { paidFrom } from "./paid-from.ts";
import { matchesToRepeat } from "./pick.ts";
import { unsettle } from "./settlement.ts";
import { standAlone } from "./standalone.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** MAT-09: when an account is matched again after newer card data: dense at first, then sparser. */
export const REMATCH_AFTER_MS = [
  ...[5_000, 30_000, 2 * MINUTE_MS, 10 * MINUTE_MS],
  ...[HOUR_MS, 6 * HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS],
];

/** MAT-09: newer card data (re)starts the schedule by which an account is matched again. */
export function cardDataArrived(ledger: Ledger, bankAccountId: string): void {
  ledger.callOff("rematch", bankAccountId);
  for (const afterMs of REMATCH_AFTER_MS) ledger.schedule("rematch", bankAccountId, afterMs);
}

/** As {@link cardDataArrived}, of the account that a card is paid from, if any. */
export function cardDataArrivedFor(ledger: Ledger, cardId: string | null): void {
  const bankAccountId = paidFrom(ledger.store, cardId);
  if (bankAccountId !== undefined) cardDataArrived(ledger, bankAccountId);
}

/** The job: matches an account again, unless it is gone. */
export function rematchAccount(ledger: Ledger, bankAccountId: string): void {
  const account = ledger.store.get("bank-accounts", bankAccountId);
  if (account) matchAccount(ledger, account);
}

/**
 * MAT-07: takes the matches back and matches anew, so that each has a new id. A posting that is not
 * matched again stands alone, and settles its purchase no more.
 */
export function rematch(ledger: Ledger, params: RematchParams): VerbResults["rematch"] {
  const { store } = ledger;
  const old = matchesToRepeat(store, params);
  if (old.length === 0) throw conflict("rematch: there is no match to make anew");
  for (const { id } of old) retractMatch(ledger, id, "rematch_superseded");
  const movements = old.map((match) => store.find("bank-transactions", match.parent));
  const accounts = new Map<string, Resource<"bank-accounts">>();
  for (const { parent } of movements) accounts.set(parent, store.find("bank-accounts", parent));
  for (const account of accounts.values()) matchAccount(ledger, account);
  const matchIds: string[] = [];
  for (const { parent: movementId, hidden } of old) {
    const movement = store.find("bank-transactions", movementId);
    const { matchId } = movement.hidden;
    const match = matchId === null ? undefined : store.find("transaction-matches", matchId);
    if (match) matchIds.push(match.id);
    if (match?.hidden.transactionId !== hidden.transactionId) {
      unsettle(ledger, store.find("transactions", hidden.transactionId), movementId);
    }
    if (!match) standAlone(ledger, store.find("bank-accounts", movement.parent), movement);
  }
  return { matchIds };
}
