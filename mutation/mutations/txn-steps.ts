import { changeInserted, replaceAnnounce, replaceAnnounceDuring } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import {
  changeEventsNamed,
  changeResource,
  changeResponses,
  dropEvents,
  type Json,
  mutationState,
} from "../rewrite.ts";
import { finals, isBankOnly, settle } from "../transactions.ts";

const MESSAGE = "transactionmessage.created" as const;
const CREATED = "transaction.created" as const;
const UPDATED = "transaction.updated" as const;

export const isOfBank = (body: Json) => Boolean(body.bankData) && !isBankOnly(body);

/** The network's clearings of a purchase. */
export const clearings = (body: Json): Json[] => finals(body).filter((one) => !one.bankData);

export const isLastOfBank = (body: Json) => {
  const last = body._embedded?.messages.at(-1);
  return last !== undefined && isOfBank(last);
};

/** Mutations that show after one step of a transaction only. */
export const txnSteps: readonly Mutation[] = [
  {
    id: "txn/second-clearing-silent",
    requirement: "TXN-13",
    description: "The update of a second partial clearing is deduplicated away",
    checks: [
      "WHK-05: each change of a driven transaction is announced as it is",
      "TXN-13: the clearing of each part of a posted purchase is announced",
    ],
    deliveries: dropEvents(
      UPDATED,
      (body) => !isBankOnly(body) && clearings(body).length > 1 && !isLastOfBank(body),
    ),
  },
  {
    id: "txn/authorization-silent-on-b",
    requirement: "WHK-05",
    description: "The consumer of NETWORK_B stores an authorization without transaction.created",
    checks: ["WHK-05: a driven transaction and its messages are announced"],
    deliveries: dropEvents(CREATED, (body) => body.network === "NETWORK_B"),
  },
  {
    id: "txn/late-purchase-silent",
    requirement: "WHK-05",
    description: "A purchase from late card data is imported without transaction.created",
    checks: ["WHK-05: a driven transaction and its messages are announced"],
    inside: replaceAnnounceDuring("late-card-data", (send, { name, order, body }, _work, fire) => {
      if (name === CREATED) fire();
      else send(name, order, body);
    }),
  },
  {
    id: "txn/second-debit-message-silent",
    requirement: "WHK-05",
    description: "Only the first bank debit of a purchase announces its message",
    checks: ["WHK-05: a driven transaction and its messages are announced"],
    inside: (run) =>
      replaceAnnounce((send, { name, order, body }, _work, fire) => {
        const known = mutationState(run, "debits", () => new Set<string>());
        const isDebit = name === MESSAGE && isOfBank(body);
        if (isDebit && known.has(order.resource)) return fire();
        if (isDebit) known.add(order.resource);
        send(name, order, body);
      })(run),
  },
  {
    id: "txn/posting-after-clearing-silent",
    requirement: "WHK-05",
    description: "A bank debit of a cleared purchase is stored without transaction.updated",
    checks: ["WHK-05: each change of a driven transaction is announced as it is"],
    deliveries: dropEvents(UPDATED, (body) => clearings(body).length > 0 && isLastOfBank(body)),
  },
  {
    id: "txn/update-of-second-clearing-stale",
    requirement: "WHK-05",
    description: "The update of a second clearing has the settled amounts of the first one",
    checks: [
      "WHK-05: each change of a driven transaction is announced as it is",
      "TXN-09: every body",
    ],
    deliveries: changeEventsNamed(UPDATED, (body) => {
      const [first, second] = clearings(body);
      if (!second || isLastOfBank(body)) return;
      body.transactionSettledAmount = first.transactionAmount;
      body.cardholderBillingSettledAmount = first.cardholderBillingAmount;
    }),
  },
  {
    id: "txn/amounts-of-bank-kept",
    requirement: "TXN-09",
    description: "A clearing supersedes the bank's message, but its amounts are kept",
    checks: [
      "TXN-13: the settled amounts follow a clearing of another amount",
      "TXN-09: a driven purchase's settled amounts are the sum of its messages",
    ],
    ...changeResource("transactions", (body) => {
      const bank = clearedPostingIn(body);
      if (!bank) return;
      body.transactionSettledAmount = bank.transactionAmount;
      body.cardholderBillingSettledAmount = bank.cardholderBillingAmount;
    }),
  },
  {
    id: "txn/billing-not-revised",
    requirement: "TXN-09",
    description: "A clearing revises the settled amount, but not the one in billing currency",
    checks: [
      "TXN-13: the settled amounts follow a clearing of another amount",
      "TXN-09: a driven purchase's settled amounts are the sum of its messages",
    ],
    ...changeResource("transactions", (body) => {
      const bank = clearedPostingIn(body);
      if (bank) body.cardholderBillingSettledAmount = bank.cardholderBillingAmount;
    }),
  },
  {
    id: "txn/second-superseded-unmarked",
    requirement: "TXN-08",
    description: "The projection marks only the first superseded message",
    checks: ["TXN-08: every body"],
    ...changeResource("transactions", (body) => {
      const [, ...others] = (body._embedded?.messages ?? []).filter((one: Json) => one.superseded);
      for (const one of others) one.superseded = false;
    }),
  },
  {
    id: "txn/second-clearing-unlinked",
    requirement: "TXN-07",
    description: "A join on the first clearing hides the message of the second one",
    checks: ["TXN-07: a driven transaction links once to each of its messages"],
    ...changeResource("transactions", (body) => {
      const [, second] = isBankOnly(body) ? [] : clearings(body);
      if (!second) return;
      const { messages } = body._links;
      body._links.messages = messages.filter((one: Json) => !one.href.endsWith(second.id));
      body._embedded.messages = body._embedded.messages.filter((one: Json) => one !== second);
    }),
  },
  {
    id: "txn/late-posting-counts",
    requirement: "TXN-13",
    description: "A bank debit after the clearing of its part is not superseded, so both count",
    checks: ["TXN-13: the clearing of a part supersedes only the posting of that part"],
    ...changeResource("transactions", (body) => {
      const last = body._embedded?.messages.at(-1);
      if (!last?.superseded || !isOfBank(last)) return;
      last.superseded = false;
      body.supersededMessageIds = body.supersededMessageIds.filter((id: string) => id !== last.id);
      settle(
        body,
        finals(body).filter((one) => !one.superseded),
      );
    }),
  },
  {
    id: "txn/second-clearing-reopens",
    requirement: "TXN-13",
    description: "The API shows a purchase as PENDING once its second part is cleared",
    checks: [
      "TXN-13: the clearing of each part of a posted purchase is announced",
      "TXN-20: a SETTLED driven transaction does not become PENDING again",
    ],
    http: changeResponses("transactions", (body) => {
      if (!isBankOnly(body) && clearings(body).length > 1) body.status = "PENDING";
    }),
  },
  {
    id: "txn/netted-in-one-currency",
    requirement: "TXN-14",
    description: "The netting revises transactionSettledAmount only",
    checks: [
      "TXN-14: a later card match revises a bank-only transaction to 0",
      "TXN-14: a later match of any confidence revises a bank-only transaction to 0",
      "TXN-14: a matched bank-only transaction has settled amounts of 0",
    ],
    ...changeResource("transactions", (body) => {
      if (!isBankOnly(body) || body.transactionSettledAmount !== 0) return;
      body.cardholderBillingSettledAmount = finals(body)[0]?.cardholderBillingAmount ?? 0;
    }),
  },
  {
    id: "txn/cardless-message-silent",
    requirement: "TXN-15",
    description: "An inner join with cards drops the message event of a card-less movement",
    checks: ["TXN-15: a bank-only movement creates a message and a SETTLED transaction"],
    deliveries: dropEvents(MESSAGE, (body) => isBankOnly(body) && !body.cardId),
  },
  {
    id: "txn/own-approval-on-b",
    requirement: "TXN-12",
    description: "The bank's message on NETWORK_B has no approvalCode",
    checks: ["TXN-12: the bank's message inherits its fields on each network"],
    ...changeResource(["transaction-messages", "projection"], (body) => {
      if (isOfBank(body) && body.network === "NETWORK_B") body.approvalCode = null;
    }),
  },
  {
    id: "txn/bulk-not-settled",
    requirement: "TXN-12",
    description: "A posting never settles the purchase of a network-bulk card",
    checks: ["TXN-12: a posting settles a purchase on each network"],
    ...changeResource("transactions", async (body, { run: { sandbox } }) => {
      if (clearings(body).length > 0 || isBankOnly(body)) return;
      const all = await sandbox.resources("card-subscriptions", { limit: 10_000 });
      const own = all.map((one) => one.body as Json).find(({ cardId }) => cardId === body.cardId);
      if (own?.enrollmentType === "network-bulk") body.status = "PENDING";
    }),
  },
  {
    id: "txn/null-when-deactivated",
    requirement: "TXN-17",
    description: "A bank-only transaction has no card if the oldest one is deactivated",
    checks: ["TXN-17: a bank-only transaction has its account's oldest linked card"],
    inside: changeInserted("transactions", ({ body, accountId }, { store }) => {
      if (!isBankOnly(body) || body.cardId === null) return false;
      const all = store.latest("card-subscriptions", accountId, 1_000);
      const own = all.find((one) => one.body.cardId === body.cardId);
      if (own?.body.state !== "deactivated") return false;
      Object.assign(body, { cardId: null });
      delete body._links.card;
      return true;
    }),
  },
  {
    id: "txn/updated-at-midnight",
    requirement: "TXN-18",
    description: "updatedAt of a bank-only transaction is the start of its day",
    checks: [
      "TXN-18: updatedAt of a transaction is not before createdAt",
      "TXN-18: updatedAt of a delivered transaction is not before createdAt",
    ],
    ...changeResource("transactions", (body) => {
      if (isBankOnly(body)) body.updatedAt = `${body.createdAt.slice(0, 10)}T00:00:00.000Z`;
    }),
  },
  {
    id: "txn/projection-undelivered",
    requirement: "TXN-10",
    description: "Events have no projection, to be smaller",
    checks: ["TXN-10: events of a driven transaction have the projection if the API does"],
    deliveries: changeEventsNamed([CREATED, UPDATED], (body) => {
      delete body._embedded;
    }),
  },
  {
    id: "txn/delivered-links-nested",
    requirement: "TXN-01",
    description: "Links to messages in events have a nested path, below the transaction",
    checks: ["TXN-01: links of a delivered transaction have the specified path"],
    deliveries: changeEventsNamed([CREATED, UPDATED], ({ id, _links: { messages } }) => {
      for (const link of messages) link.href = `/transactions/${id}${link.href}`;
    }),
  },
  {
    id: "msg/delivered-bank-only-approval",
    requirement: "MSG-06",
    description: "The event of a bank-only message has an approvalCode of zeros",
    checks: ["MSG-06: every body"],
    deliveries: changeEventsNamed(MESSAGE, (body) => {
      if (isBankOnly(body)) body.approvalCode = "000000";
    }),
  },
  {
    id: "msg/clearing-with-bank-data",
    requirement: "MSG-08",
    description: "A clearing takes over the bankData of the message that it supersedes",
    checks: ["MSG-08: bankData is null on driven authorizations and clearings"],
    inside: changeInserted("transaction-messages", ({ body, parent }, { store }) => {
      if (body.messageType !== "FINL_ADVC" || body.bankData || isBankOnly(body)) return false;
      const all = store.children("transaction-messages", parent);
      const banks = all.find((one) => isOfBank(one.body));
      if (!banks) return false;
      body.bankData = banks.body.bankData ?? null;
      return true;
    }),
  },
];

/** The bank's message, if one clearing superseded it and nothing else settles the purchase. */
function clearedPostingIn(body: Json): Json | undefined {
  const [bank, other] = finals(body).filter((one) => one.superseded && isOfBank(one));
  const isOnly = !other && clearings(body).length === 1 && finals(body).length === 2;
  return isOnly ? bank : undefined;
}
