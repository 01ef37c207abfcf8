import { changeInserted, changeTransactionTransition } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  changeResource,
  changeResponses,
  delayEvents,
  dropEvents,
  type Json,
  mutationState,
  onEvents,
  replaceEvent,
  sendAfter,
} from "../rewrite.ts";
import { finals, isBankOnly, settle } from "./txn.ts";

const MESSAGE = "transactionmessage.created" as const;
const CREATED = "transaction.created" as const;
const UPDATED = "transaction.updated" as const;

/** Whether a message of a purchase comes from a bank posting. */
const isOfBank = (body: Json) => Boolean(body.bankData) && !isBankOnly(body);

const isSettledByBank = (body: Json) =>
  finals(body).length > 0 && finals(body).every(isOfBank) && body.supersededMessageIds.length === 0;

/** Whether a bank-only transaction is netted: its movement was matched. */
const isNetted = (body: Json) => isBankOnly(body) && body.transactionSettledAmount === 0;

async function matchOf(body: Json, run: Parameters<NonNullable<Mutation["inside"]>>[0]) {
  const id = finals(body)[0]?.bankData?.bankTransactionId;
  const all = await run.sandbox.resources("transaction-matches", { limit: 10_000 });
  return all.map((one) => one.body as Json).find((one) => one.matches[0].id === id);
}

export const txnSequences: readonly Mutation[] = [
  {
    id: "txn/superseded-as-delta",
    requirement: "TXN-11",
    description: "The event has only the ids that this update superseded",
    checks: ["TXN-11: an update has the complete supersededMessageIds"],
    deliveries: changeEventsNamed([CREATED, UPDATED], (body, { run }) => {
      const known = mutationState(run, body.id, () => new Set<string>());
      const fresh = body.supersededMessageIds.filter((id: string) => !known.has(id));
      for (const id of fresh) known.add(id);
      for (const one of body._embedded?.messages ?? []) one.superseded = fresh.includes(one.id);
      body.supersededMessageIds = fresh;
    }),
  },
  {
    id: "txn/un-superseded",
    requirement: "TXN-11",
    description: "A nightly rebuild announces superseded messages as valid again",
    deliveries: sendAfter(UPDATED, (body) => {
      if (body.supersededMessageIds.length === 0 || !body._embedded) return undefined;
      const rebuilt = structuredClone(body);
      rebuilt.supersededMessageIds = [];
      for (const one of rebuilt._embedded.messages) one.superseded = false;
      settle(rebuilt, finals(rebuilt));
      return { name: UPDATED, body: rebuilt };
    }),
  },
  {
    id: "txn/superseded-from-replica",
    requirement: "TXN-11",
    description: "GET reads a stale cache without superseded ids",
    http: changeResource("transactions", (body) => {
      body.supersededMessageIds = [];
      for (const one of body._embedded?.messages ?? []) one.superseded = false;
    }).http as NonNullable<Mutation["http"]>,
  },
  {
    id: "txn/high-match-does-not-settle",
    requirement: "TXN-12",
    description: "A bank settlement adds the message but does not change the status",
    checks: ["TXN-12: a posting matched with high confidence settles its purchase"],
    inside: changeTransactionTransition("bank-settlement", { to: "PENDING" }),
  },
  {
    id: "txn/settlement-unannounced",
    requirement: "TXN-12",
    description: "A bank settlement announces its message, but not transaction.updated",
    checks: ["TXN-12: a posting matched with high confidence settles its purchase"],
    inside: changeTransactionTransition("bank-settlement", { sends: [MESSAGE] }),
  },
  {
    id: "txn/settlement-own-approval",
    requirement: "TXN-12",
    description: "The bank's message does not inherit the approvalCode",
    checks: ["TXN-12: the bank's message inherits the fields of the authorization"],
    ...changeResource(["transaction-messages", "projection"], (body) => {
      if (isOfBank(body)) body.approvalCode = null;
    }),
  },
  {
    id: "txn/settlement-own-reference",
    requirement: "TXN-12",
    description: "The bank's message has its own reference: bank_ and an id",
    ...changeResource(["transaction-messages", "projection"], (body) => {
      if (isOfBank(body)) {
        body.transactionReference = `bank_${body.bankData.bankTransactionId.slice(0, 8)}`;
      }
    }),
  },
  {
    id: "txn/settlement-own-network",
    requirement: "TXN-12",
    description: "Every bank message has network OPEN_BANKING",
    ...changeResource(["transaction-messages", "projection"], (body) => {
      if (isOfBank(body)) body.network = "OPEN_BANKING";
    }),
  },
  {
    id: "txn/clearing-supersedes-nothing",
    requirement: "TXN-13",
    description: "The network's clearing does not supersede the bank's message, so both count",
    checks: ["TXN-13: the update with the network's clearing supersedes the bank's message"],
    ...changeResource("transactions", (body) => {
      if (body.supersededMessageIds.length === 0) return;
      body.supersededMessageIds = [];
      for (const one of body._embedded?.messages ?? []) one.superseded = false;
      settle(body, finals(body));
    }),
  },
  {
    id: "txn/clearing-marked-later",
    requirement: "TXN-13",
    description: "The clearing's update is built before the superseded message is marked",
    deliveries: changeEventsNamed(UPDATED, (body, { run }) => {
      const known = mutationState(run, body.id, () => ({ ids: [] as string[] }));
      const { ids } = known;
      known.ids = body.supersededMessageIds;
      body.supersededMessageIds = ids;
      for (const one of body._embedded?.messages ?? []) one.superseded = ids.includes(one.id);
    }),
  },
  {
    id: "txn/clearing-supersedes-itself",
    requirement: "TXN-13",
    description: "The first settlement wins: the network's clearing is marked as superseded",
    ...changeResource("transactions", (body) => {
      const own = finals(body).filter((one) => !one.bankData);
      const banks = finals(body).filter(isOfBank);
      if (own.length !== 1 || banks.length !== 1 || !banks[0].superseded) return;
      body.supersededMessageIds = [own[0].id];
      own[0].superseded = true;
      banks[0].superseded = false;
      settle(body, banks);
    }),
  },
  {
    id: "txn/part-supersedes-all",
    requirement: "TXN-13",
    description: "The clearing of one part also supersedes the bank's messages of other parts",
    checks: [
      "MAT-08: each part of a purchase settles once, in any order of events",
      "TXN-13: the clearing of a part supersedes only the posting of that part",
    ],
    ...changeResource("transactions", (body) => {
      const own = finals(body).filter((one) => !one.bankData);
      const left = finals(body).filter((one) => isOfBank(one) && !one.superseded);
      const isPart = own.length === 1 && finals(body).length === 3;
      if (!isPart || left.length !== 1) return;
      left[0].superseded = true;
      body.supersededMessageIds.push(left[0].id);
      settle(body, finals(body));
    }),
  },
  {
    id: "txn/clearing-reopens",
    requirement: "TXN-13",
    description: "Superseding the bank's settlement sets the purchase to PENDING again",
    inside: changeTransactionTransition("network-clearing", { to: "PENDING" }),
  },
  {
    id: "txn/not-netted",
    requirement: "TXN-14",
    description: "A standalone transaction still counts after its bank transaction is matched",
    ...changeResource("transactions", (body) => {
      if (isNetted(body)) settle(body, finals(body));
    }),
  },
  {
    id: "txn/netting-unannounced",
    requirement: "TXN-14",
    description: "The netting is written by SQL, bypassing the code that sends events",
    checks: [
      "TXN-14: a later card match revises a bank-only transaction to 0",
      "TXN-14: a later match of any confidence revises a bank-only transaction to 0",
    ],
    inside: changeTransactionTransition("netting", { sends: [] }),
  },
  {
    id: "txn/netted-when-sure",
    requirement: "TXN-14",
    description: "Only a match of HIGH confidence nets the standalone transaction",
    ...changeResource("transactions", async (body, { run }) => {
      if (!isNetted(body)) return;
      const match = await matchOf(body, run);
      if (match && match.confidence !== "HIGH") settle(body, finals(body));
    }),
  },
  {
    id: "txn/netting-reopens",
    requirement: "TXN-14",
    description: "A netted standalone transaction becomes PENDING",
    inside: changeTransactionTransition("netting", { to: "PENDING" }),
  },
  {
    id: "txn/bank-only-pending",
    requirement: "TXN-15",
    description: "Every transaction starts as PENDING, even a bank-only one",
    inside: changeTransactionTransition("movement", { to: "PENDING" }),
  },
  {
    id: "txn/bank-only-without-message",
    requirement: "TXN-15",
    description: "The synthetic message is stored but not announced",
    checks: ["TXN-15: a bank-only movement creates a message and a SETTLED transaction"],
    deliveries: dropEvents(MESSAGE, isBankOnly),
  },
  {
    id: "txn/bank-only-without-transaction",
    requirement: "TXN-15",
    description: "A bank-only transaction announces its message, but not transaction.created",
    inside: changeTransactionTransition("movement", { sends: [MESSAGE] }),
  },
  {
    id: "txn/bank-only-reversed",
    requirement: "TXN-15",
    description: "Events are sent in insertion order: the transaction before its message",
    checks: ["TXN-15: a bank-only message is announced before its transaction"],
    deliveries: delayEvents(MESSAGE, CREATED, isBankOnly),
  },
  {
    id: "txn/newest-card",
    requirement: "TXN-17",
    description: "A bank-only transaction gets the card that was linked last",
    checks: ["TXN-17: a bank-only transaction has its account's oldest linked card"],
    inside: changeInserted("transactions", ({ body, parent }, { store }) => {
      const { cardIds = [] } = store.get("bank-accounts", parent)?.internal ?? {};
      const newest = cardIds.at(-1);
      if (!isBankOnly(body) || newest === undefined || cardIds.length < 2) return false;
      body.cardId = newest;
      body._links.card = { href: `/cards/${newest}` };
      return true;
    }),
  },
  {
    id: "txn/card-for-cardless",
    requirement: "TXN-17",
    description: "A transaction of a card-less link gets any card of the subaccount",
    checks: ["TXN-17: a bank-only transaction on a link without cards has no card"],
    inside: changeInserted("transactions", ({ body, subaccountId, accountId }, { store }) => {
      const card = store
        .latest("cards", accountId)
        .find((one) => one.subaccountId === subaccountId);
      if (!isBankOnly(body) || body.cardId !== null || !card) return false;
      body.cardId = card.id;
      body._links.card = { href: `/cards/${card.id}` };
      return true;
    }),
  },
  {
    id: "txn/cardless-with-cards",
    requirement: "TXN-17",
    description: "A bank-only transaction never has a card, even if the account has some",
    inside: changeInserted("transactions", ({ body }) => {
      if (!isBankOnly(body) || body.cardId === null) return false;
      Object.assign(body, { cardId: null });
      delete body._links.card;
      return true;
    }),
  },
  {
    id: "txn/created-at-of-update",
    requirement: "TXN-18",
    description: "An upsert overwrites createdAt",
    checks: ["TXN-18: createdAt of a driven transaction stays, updatedAt never goes back"],
    ...changeResource("transactions", (body) => {
      body.createdAt = body.updatedAt;
    }),
  },
  {
    id: "txn/updated-at-of-other-node",
    requirement: "TXN-18",
    description: "Clock skew between two nodes moves updatedAt back",
    ...changeResource("transactions", (body) => {
      if (body.status !== "SETTLED" || isBankOnly(body)) return;
      body.updatedAt = new Date(Date.parse(body.updatedAt) - 86_400_000).toISOString();
    }),
  },
  {
    id: "txn/pending-again",
    requirement: "TXN-20",
    description: "A delayed duplicate of the authorization handler sets PENDING again",
    checks: ["TXN-20: a SETTLED driven transaction does not become PENDING again"],
    deliveries: sendAfter(UPDATED, (body) => {
      if (!isSettledByBank(body)) return undefined;
      return { name: UPDATED, body: { ...body, status: "PENDING" } };
    }),
  },
  {
    id: "txn/created-for-update",
    requirement: "WHK-05",
    description: "An upsert announces each change as transaction.created",
    deliveries: onEvents(UPDATED, async (delivery, { send }) => {
      await send(replaceEvent(delivery, CREATED, parseJson(delivery.body)));
    }),
  },
  {
    id: "txn/created-twice",
    requirement: "WHK-05",
    description: "An import announces existing transactions again",
    checks: ["WHK-05: a driven transaction is announced as created once, before updates"],
    deliveries: sendAfter(UPDATED, (body) => ({ name: CREATED, body })),
  },
  {
    id: "txn/created-never",
    requirement: "WHK-05",
    description: "A purchase is announced only when it settles, without transaction.created",
    inside: changeTransactionTransition("authorization", { sends: [MESSAGE] }),
  },
  {
    id: "txn/updated-first",
    requirement: "WHK-05",
    description: "A database trigger sends updated on insert, before created",
    checks: ["WHK-05: an immediate clearing is announced after the purchase's creation"],
    deliveries: onEvents(CREATED, async (delivery, { send }) => {
      await send(replaceEvent(delivery, UPDATED, parseJson(delivery.body)));
      await send(delivery);
    }),
  },
  {
    id: "txn/update-as-patch",
    requirement: "WHK-05",
    description: "transaction.updated has only the changed fields",
    checks: ["WHK-05: an immediate clearing is announced after the purchase's creation"],
    deliveries: changeEventsNamed(UPDATED, ({ id, status, updatedAt, _links, ...body }) => ({
      ...{ id, status, updatedAt, _links },
      transactionSettledAmount: body.transactionSettledAmount,
    })),
  },
  {
    id: "txn/settled-off-by-one",
    requirement: "TXN-09",
    description: "An issuer fee is added to the settled amount",
    checks: ["TXN-09: a driven purchase's settled amounts are the sum of its messages"],
    http: changeResponses("transactions", (body) => {
      if (body.status === "SETTLED") body.transactionSettledAmount += 1;
    }),
  },
  {
    id: "txn/pending-when-superseded",
    requirement: "TXN-20",
    description: "GET derives PENDING from a superseded settlement",
    checks: ["TXN-20: a SETTLED driven transaction does not become PENDING again"],
    http: changeResponses("transactions", (body) => {
      if (body.supersededMessageIds.length > 0) body.status = "PENDING";
    }),
  },
];
