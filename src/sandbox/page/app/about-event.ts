import type { FeedEvent } from "./api.ts";
import { amountOf, money } from "./format.tsx";
import { bankAccountName, cardName } from "./names.ts";
import type { Head } from "./rows.tsx";

/** The names of transactions and bank transactions, by id, from the events that have them. */
export function namesIn(events: readonly FeedEvent[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { name, body } of events) {
    if (name === "transaction.created" || name === "transaction.updated") {
      names.set(body.id, body.descriptor);
    }
    if (name === "banktransaction.created") {
      names.set(body.id, body.merchantName ?? body.description);
    }
  }
  return names;
}

/** What an event is about, and the amount. @param names as by `namesIn` */
export function aboutEvent(
  { name, resource, body }: FeedEvent,
  names: ReadonlyMap<string, string>,
): Pick<Head, "facts" | "amount"> {
  switch (name) {
    case "transactionmessage.created":
      return {
        facts: [names.get(resource) ?? body.messageType, cardName(body.cardId)],
        amount: money(body.transactionAmount, body.transactionCurrency),
      };
    case "transaction.created":
    case "transaction.updated":
      return {
        facts: [body.descriptor || "no descriptor", cardName(body.cardId)],
        amount: amountOf(body),
      };
    case "cardsubscription.created":
    case "cardsubscription.updated":
      return { facts: [`${body.enrollmentType}, ${body.state}`, cardName(body.cardId)] };
    case "networkbulkfeed.statechanged":
      return { facts: [`${body.networkReference}, ${body.oldState} to ${body.newState}`] };
    case "banklink.completed":
      return { facts: [body.bankAccounts.map(({ name, mask }) => `${name} ••${mask}`).join(", ")] };
    case "bankaccount.state_changed": {
      const account = bankAccountName(body.bankAccountId);
      return { facts: [`${account}, ${body.previousState} to ${body.state}`] };
    }
    case "banktransaction.created":
      return {
        facts: [body.merchantName ?? body.description, bankAccountName(body.bankAccountId)],
        amount: money(body.amount, body.currency),
      };
    case "banktransaction.deleted":
      return { facts: [`${names.get(body.id) ?? "bank transaction"}, ${body.reason}`] };
    case "transaction.match.created": {
      const { descriptor, cardId, amount, currency } = body.cardTransaction;
      return {
        facts: [`${descriptor}, ${body.confidence}`, cardName(cardId)],
        amount: money(amount, currency),
      };
    }
    case "transaction.match.deleted":
      return { facts: [`${names.get(resource) ?? "match"}, ${body.reason}`] };
    case "enrichment.merchant.created":
      return { facts: [body.merchant.name] };
    default:
      return { facts: [] };
  }
}
