import type { DeliveryHook, Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  changeResource,
  dropEvents,
  type Json,
  mutationState,
  OTHER_ID,
  replaceEvent,
  sendAfter,
} from "../rewrite.ts";

const CREATED = "transaction.match.created" as const;
const RETRACTED = "transaction.match.deleted" as const;

const isReplaced = (body: Json) => body.reason === "rematch_superseded";

const otherId = (id: string) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;

/** Mutations of retractions, re-matches and purchases in parts. */
export const matRetractions: readonly Mutation[] = [
  {
    id: "mat/deletes-other-id",
    requirement: "MAT-05",
    description: "The retraction has the id of a row in another table",
    checks: [
      "MAT-05: no delivery contradicts another",
      "BTX-05: no delivery contradicts another",
      "MAT-11: GET /transaction-matches lists announced resources until removal",
    ],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      body.matchId = otherId(body.matchId);
    }),
  },
  {
    id: "mat/deletes-bank-id",
    requirement: "MAT-05",
    description: "The retraction's matchId is the bank transaction's id",
    checks: ["MAT-05: no delivery contradicts another"],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      body.matchId = body.bankTransactionId;
    }),
  },
  {
    id: "mat/deleted-without-card",
    requirement: "MAT-05",
    description: "cardTransactionId is missing from the retraction",
    checks: ["MAT-05: a retraction names the announced match", "MAT-05: every body"],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      delete body.cardTransactionId;
    }),
  },
  {
    id: "mat/deleted-for-no-reason",
    requirement: "MAT-05",
    description: "The reason of a retraction is null",
    checks: ["MAT-05: every body"],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      body.reason = null;
    }),
  },
  {
    id: "mat/deletes-other-bank-id",
    requirement: "MAT-05",
    description: "bankTransactionId of a retraction is that of the previous retraction",
    checks: [
      "MAT-05: a retraction names the announced match",
      "MAT-05: no delivery contradicts another",
    ],
    deliveries: changeEventsNamed(RETRACTED, (body, { run }) => {
      const known = mutationState(run, "known", () => ({ id: "" }));
      const { id } = known;
      known.id = body.bankTransactionId;
      if (!id) return;
      body.bankTransactionId = id;
      body.metadata.resourceId = id;
    }),
  },
  {
    id: "mat/resource-of-match",
    requirement: "MAT-06",
    description: "metadata.resourceId is the match's id",
    checks: ["MAT-06"],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      body.metadata.resourceId = body.matchId;
    }),
  },
  {
    id: "mat/rematch-keeps-id",
    requirement: "MAT-07",
    description: "A re-match overwrites the old row: it keeps the id and retracts nothing",
    checks: ["MAT-07: a forced re-match creates matches with new ids"],
    deliveries: async (delivery, { send }, run) => {
      const old = mutationState(run, "old", () => new Map<string, string>());
      const body = parseJson(delivery.body);
      if (delivery.name === RETRACTED && isReplaced(body)) {
        return void old.set(body.bankTransactionId, body.matchId);
      }
      const kept = delivery.name === CREATED && old.get(body.matches[0].id);
      await send(kept ? replaceEvent(delivery, CREATED, { ...body, matchId: kept }) : delivery);
    },
  },
  {
    id: "mat/rematch-retracts-nothing",
    requirement: "MAT-07",
    description: "A re-match replaces the old match without a retraction",
    checks: [
      "MAT-07: a forced re-match retracts the old match by its id",
      "MAT-07: no delivery contradicts another",
    ],
    deliveries: dropEvents(RETRACTED, isReplaced),
  },
  {
    id: "mat/rematch-for-other-reason",
    requirement: "MAT-07",
    description: "A re-match retracts with the reason bank_transaction_retired",
    checks: ["MAT-07: a forced re-match retracts the old match by its id"],
    deliveries: changeEventsNamed(RETRACTED, (body) => {
      if (isReplaced(body)) body.reason = "bank_transaction_retired";
    }),
  },
  {
    id: "mat/rematch-retracts-new",
    requirement: "MAT-07",
    description: "The retraction is sent late, with the id of the new match",
    checks: ["MAT-07: a forced re-match retracts the old match by its id"],
    deliveries: async (delivery, { send }, run) => {
      const waiting = mutationState(run, "waiting", () => new Map<string, typeof delivery>());
      const body = parseJson(delivery.body);
      if (delivery.name === RETRACTED && isReplaced(body)) {
        return void waiting.set(body.bankTransactionId, delivery);
      }
      await send(delivery);
      const late = delivery.name === CREATED ? waiting.get(body.matches[0].id) : undefined;
      if (!late) return;
      waiting.delete(body.matches[0].id);
      await send(replaceEvent(late, RETRACTED, { ...parseJson(late.body), matchId: body.matchId }));
    },
  },
  {
    id: "mat/legs-of-one-id",
    requirement: "MAT-08",
    description: "The match of each part has the transaction's id",
    checks: [
      "MAT-08: each debit of a purchase in parts is matched to its own leg",
      "MAT-08: no delivery contradicts another",
    ],
    ...changeResource("transaction-matches", async (body, { run }) => {
      const all = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
      const own = all.find(({ id }) => id === (body.matchId ?? body.id));
      const { transactionId } = Object(own?.hidden) as { transactionId?: string };
      body.cardTransaction.id = transactionId ?? body.cardTransaction.id;
    }),
  },
  {
    id: "mat/one-match-for-all-legs",
    requirement: "MAT-08",
    description: "Only the first match of a purchase that clears in parts is announced",
    checks: ["MAT-08: each debit of a purchase in parts is matched to its own leg"],
    deliveries: dropEvents(CREATED, async (body, run) => {
      const all = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
      const own = all.find(({ id }) => id === body.matchId);
      const { transactionId = "" } = Object(own?.hidden) as { transactionId?: string };
      const seen = mutationState(run, "seen", () => new Set<string>());
      const isAgain = seen.has(transactionId);
      if (transactionId) seen.add(transactionId);
      return isAgain;
    }),
  },
  {
    id: "mat/deletes-other-card-id",
    requirement: "MAT-05",
    description: "The retraction has the id of another card transaction",
    checks: ["MAT-05: a retraction names the announced match"],
    deliveries: changeEventsNamed("transaction.match.deleted", (body) => {
      body.cardTransactionId = OTHER_ID;
    }),
  },
  {
    id: "mat/retracts-unmatched",
    requirement: "MAT-05",
    description: "Each removed bank transaction sends a retraction, even if it was not matched",
    checks: ["MAT-05: an unmatched movement causes no retraction"],
    deliveries: sendAfter("banktransaction.deleted", ({ id, metadata }) => ({
      name: "transaction.match.deleted",
      body: {
        ...{ matchId: OTHER_ID, bankTransactionId: id, cardTransactionId: OTHER_ID, metadata },
        reason: "bank_transaction_retired",
      },
    })),
  },
  {
    id: "mat/rematch-retracts-one",
    requirement: "MAT-07",
    description: "A re-match of a purchase in parts retracts the match of one part only",
    checks: ["MAT-07: a forced re-match retracts the old match by its id"],
    deliveries: onParts((body, isFirst) => (isFirst ? body : undefined)),
  },
  {
    id: "mat/leg-named-otherwise",
    requirement: "MAT-05",
    description: "The retractions of a purchase in parts name the same card transaction",
    checks: ["MAT-05: a retraction names the announced match"],
    deliveries: onParts((body, isFirst) => {
      return isFirst ? body : { ...body, cardTransactionId: OTHER_ID };
    }),
  },
];

/** Changes the retractions of re-matches by whether they are the first of their purchase. */
function onParts(change: (body: Json, isFirst: boolean) => Json | undefined): DeliveryHook {
  return async (delivery, { send }, run) => {
    const body = parseJson(delivery.body);
    const names = mutationState(run, "names", () => new Map<string, string>());
    const firsts = mutationState(run, "firsts", () => new Map<string | undefined, string>());
    if (delivery.name === CREATED) names.set(body.matchId, body.cardTransaction.descriptor);
    if (delivery.name !== RETRACTED || !isReplaced(body)) return await send(delivery);
    const name = names.get(body.matchId);
    const first = firsts.get(name) ?? body.bankTransactionId;
    firsts.set(name, first);
    const changed = change(body, first === body.bankTransactionId);
    if (changed) await send({ ...delivery, body: JSON.stringify(changed) });
  };
}
