import * as z from "zod";
import type { EventPayloads } from "../../../generated/events.ts";
import { BANK_TRANSACTION_TRANSITIONS } from "../../model/bank-transaction.ts";
import { amountOf } from "../../model/money.ts";
import { Id, verbParams } from "../fields.ts";
import { conflict } from "../refusal.ts";
import type { Resource } from "../resources.ts";
import type { Of } from "../schema.ts";
import { requireTransition } from "../state-machine.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";
import { latestMovement, twinsOf } from "./defaults.ts";
import { retractMatch } from "./match.ts";
import { matchAccount } from "./matching-pass.ts";
import { syncPosting } from "./posting.ts";
import { setNetted } from "./standalone.ts";

export const BankTransactionParams = verbParams({ bankTransactionId: Id.optional() }).describe(
  "A bank transaction. Default: the latest one.",
);
export type BankTransactionParams = Of<typeof BankTransactionParams>;

const BankTransactionResult = z.object({ bankTransactionId: z.string() });

/** The provider removes a bank transaction. */
export const providerRemove = verb({
  name: "provider-remove",
  summary: "Deletes a bank transaction that the provider removed",
  requirements: ["BTX-04", "BTX-05"],
  params: BankTransactionParams,
  result: BankTransactionResult,
  example: {},
  run(work, params) {
    const movement = latestMovement(work.store, params);
    remove(work, movement, "provider_removed");
    return { bankTransactionId: movement.id };
  },
});

/**
 * Retires a duplicate bank transaction. Default: the later one of the latest pair. If the latest
 * posting has no duplicate, it is synced again, and that duplicate is retired.
 */
export const retireDuplicate = verb({
  name: "retire-duplicate",
  summary: "Deletes a bank transaction that is a duplicate",
  requirements: ["BTX-04", "BTX-05"],
  params: BankTransactionParams,
  result: BankTransactionResult,
  example: {},
  run(work, params) {
    const movement = latestMovement(work.store, params);
    const twins = twinsOf(work.store, movement);
    const { internal: account } = work.store.find("bank-accounts", movement.parent);
    const canSync = params.bankTransactionId === undefined && account.state === "active";
    if (twins.length === 0 && !canSync) {
      const { day: date, cents, category: _category, ...posting } = movement.internal.posting;
      const amount = amountOf(cents, posting.currency);
      throw conflict(`bank transaction ${movement.id} has no duplicate`, {
        text: "post the same movement again first",
        verb: "bank-post",
        params: { bankAccountId: movement.parent, date, amount, ...posting },
      });
    }
    const retired =
      twins.length > 0 ? movement : syncPosting(work, movement.parent, movement.internal.posting);
    remove(work, retired, "duplicate_retired");
    return { bankTransactionId: retired.id };
  },
});

/**
 * BTX-04, BTX-05: announces the deletion, and retracts the match. The purchase stays settled until
 * another message settles it. A bank-only transaction of the posting is netted. A duplicate without
 * a match may match the purchase.
 */
function remove(
  work: UnitOfWork,
  movement: Resource<"bank-transactions">,
  reason: EventPayloads["banktransaction.deleted"]["reason"],
): void {
  const { store } = work;
  const { id, accountId, parent: bankAccountId, internal } = movement;
  const state = internal.deleted ? "deleted" : "synced";
  const { sends } = requireTransition(
    BANK_TRANSACTION_TRANSITIONS,
    reason,
    state,
    `bank transaction ${id}`,
  );
  movement.listed = false;
  movement.open = false;
  internal.deleted = true;
  store.update(movement);
  // BTX-06
  const metadata = { resourceId: id };
  const body = { id, bankAccountId, deletedAt: work.now(), reason, metadata };
  for (const name of sends) work.announce(name, { accountId, resource: id }, body);
  if (internal.standaloneId !== null) setNetted(work, internal.standaloneId, true);
  if (internal.matchId === null) return;
  retractMatch(work, internal.matchId, "bank_transaction_retired");
  const account = store.find("bank-accounts", bankAccountId);
  matchAccount(work, account, movement.day);
}
