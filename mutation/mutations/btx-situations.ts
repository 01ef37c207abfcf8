import { replaceAnnounceDuring, replaceVerb } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { changeEventsNamed, dropEvents, type Json, onEvents, patch } from "../rewrite.ts";

const DELETED = "banktransaction.deleted" as const;
const MATCHED = "transaction.match.created" as const;
const CHANGED = "bankaccount.state_changed" as const;

const SPECIAL = "BTX-01: credits and pending postings are announced as they are";

/** Mutations of bank transactions that show in one situation only. */
export const btxSituations: readonly Mutation[] = [
  {
    id: "btx/detailed-category",
    requirement: "BTX-03",
    description: "The event has the last of the provider's categories, the detailed one",
    checks: ["BTX-03: category of banktransaction.created is not the detailed one"],
    deliveries: changeEventsNamed("banktransaction.created", async (body, { run }) => {
      const all = await run.sandbox.resources("bank-transactions", { limit: 10_000 });
      const own = all.find(({ id }) => id === body.id);
      body.category = (own?.body as Json | undefined)?.category.at(-1) ?? null;
    }),
  },
  {
    id: "btx/pending-unannounced",
    requirement: "BTX-01",
    description: "A pending posting is synced, but announced only once it is booked",
    checks: [SPECIAL],
    deliveries: dropEvents("banktransaction.created", ({ pending }) => pending),
  },
  {
    id: "btx/credit-as-debit",
    requirement: "BTX-01",
    description: "The event of every posting says debit",
    checks: [SPECIAL],
    deliveries: changeEventsNamed("banktransaction.created", (body) => {
      body.transactionType = "debit";
    }),
  },
  {
    id: "btx/credits-negative",
    requirement: "BTX-02",
    description: "The event of a refund has the sign of the bank's statement",
    checks: ["BTX-02: every body", SPECIAL],
    deliveries: changeEventsNamed("banktransaction.created", (body) => {
      if (body.transactionType === "credit") body.amount = -body.amount;
    }),
  },
  {
    id: "btx/second-of-twins-deleted-silently",
    requirement: "BTX-04",
    description: "A duplicate is announced as retired only if it has a match",
    checks: ["BTX-04: a retired duplicate movement is announced as deleted"],
    deliveries: onEvents([DELETED, MATCHED], async (delivery, { send }, { memory }) => {
      const { id, matches, reason } = JSON.parse(delivery.body);
      if (delivery.name === MATCHED) memory.set(matches[0].id, true);
      if (reason !== "duplicate_retired" || memory.has(id)) await send(delivery);
    }),
  },
  {
    id: "btx/deleted-while-lost-silently",
    requirement: "BTX-04",
    description: "A removal is announced only while the account is active",
    checks: ["BTX-04: a movement that is removed while disconnected is announced as deleted"],
    deliveries: onEvents([CHANGED, DELETED], async (delivery, { send }, { memory }) => {
      const { bankAccountId, state } = JSON.parse(delivery.body);
      if (delivery.name === CHANGED) memory.set(bankAccountId, state);
      const isActive = (memory.get(bankAccountId) ?? "active") === "active";
      if (delivery.name === CHANGED || isActive) await send(delivery);
    }),
  },
  {
    id: "btx/backlog-unannounced",
    requirement: "BTX-01",
    description: "What the bank posted on a disconnected account is synced without an event",
    checks: ["BTX-01: each new resource of GET /bank-transactions is announced"],
    inside: replaceVerb("recover", (original, work, params, fire) => {
      const announce = work.announce.bind(work);
      const restore = patch(work, "announce", () => (name, order, body) => {
        if (name !== "banktransaction.created") announce(name, order, body);
        else fire();
      });
      try {
        return original(work, params as never);
      } finally {
        restore();
      }
    }),
  },
  {
    id: "btx/backlog-with-signs",
    requirement: "BTX-02",
    description: "What the bank posted on a disconnected account has the sign of its statement",
    checks: ["BTX-02: every body"],
    inside: replaceAnnounceDuring("recover", (send, { name, order, body }, _work, fire) => {
      const isNegative = name === "banktransaction.created" && body.transactionType === "credit";
      if (isNegative) fire();
      send(name, order, isNegative ? { ...body, amount: -body.amount } : body);
    }),
  },
];
