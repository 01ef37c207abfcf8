import { changeTransactionTransition } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import {
  changeEventsNamed,
  changeResource,
  changeResponseAt,
  changeResponses,
  type Json,
  mutationState,
  onEvents,
  replaceEvent,
  sendAfter,
} from "../rewrite.ts";
import { finals, isBankOnly, settle } from "../transactions.ts";

const MESSAGE = "transactionmessage.created" as const;
const CREATED = "transaction.created" as const;
const UPDATED = "transaction.updated" as const;

/** Whether a message of a purchase comes from a bank posting. */
const isOfBank = (body: Json) => Boolean(body.bankData) && !isBankOnly(body);

const isSettledByBank = (body: Json) =>
  finals(body).length > 0 && finals(body).every(isOfBank) && body.supersededMessageIds.length === 0;

/** Mutations of the order and the consistency of snapshots. */
export const txnSnapshots: readonly Mutation[] = [
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
    checks: [
      "TXN-11: no delivery contradicts another",
      "TXN-13: a delivered purchase is not settled by both the bank and the network",
    ],
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
    checks: [
      "TXN-11: an update has the complete supersededMessageIds",
      "TXN-11: GET has the supersededMessageIds of the latest snapshot",
    ],
    http: changeResource("transactions", (body) => {
      body.supersededMessageIds = [];
      for (const one of body._embedded?.messages ?? []) one.superseded = false;
    }).http as NonNullable<Mutation["http"]>,
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
    checks: ["TXN-18"],
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
    checks: [
      "WHK-05: a driven transaction is announced as created once, before updates",
      "WHK-05: no delivery contradicts another",
    ],
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
    checks: [
      "WHK-05: a driven transaction is announced as created once, before updates",
      "WHK-05: no delivery contradicts another",
    ],
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
    id: "txn/pending-when-superseded",
    requirement: "TXN-13",
    description: "GET derives PENDING from a superseded settlement",
    checks: [
      "TXN-13: the update with the network's clearing supersedes the bank's message",
      "TXN-20: a SETTLED driven transaction does not become PENDING again",
    ],
    http: changeResponses("transactions", (body) => {
      if (body.supersededMessageIds.length > 0) body.status = "PENDING";
    }),
  },
  {
    id: "txn/superseded-not-in-single",
    requirement: "TXN-11",
    description: "The single resource is cached without superseded ids",
    checks: [
      "TXN-11: the list and GET by id show the same supersededMessageIds",
      "TXN-11: an update has the complete supersededMessageIds",
      "TXN-11: GET has the supersededMessageIds of the latest snapshot",
    ],
    http: changeResponseAt("/transactions/{}", (body) => {
      body.supersededMessageIds = [];
      for (const one of body._embedded?.messages ?? []) one.superseded = false;
    }),
  },
];
