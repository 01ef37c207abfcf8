import type { EventPayloads } from "../../generated/events.ts";
import type { components } from "../../generated/types.ts";
import type { TestSandbox } from "./test-sandbox.ts";

type Transaction = components["schemas"]["Transaction"];
type Subscription = EventPayloads["cardsubscription.created"];

/** A short name for an id, such as `msg2`, by the order in which the ids of a kind appear. */
type NameOf = (kind: string, id: string) => string;

/**
 * Shows a sandbox with names such as `msg2` instead of ids: each event of its log, and its
 * transactions and postings.
 */
export function digestOf(sandbox: TestSandbox) {
  const { store } = sandbox.engine;
  const names = new Map<string, string>();
  const counts: Record<string, number> = {};
  const nameOf: NameOf = (kind, id) => {
    const known = names.get(id);
    if (known) return known;
    counts[kind] = (counts[kind] ?? 0) + 1;
    const name = `${kind}${counts[kind]}`;
    names.set(id, name);
    return name;
  };
  const log = sandbox.events().map(({ name, body }) => {
    return `${name} ${DIGESTS[name]?.(body, nameOf)}`;
  });
  const transactions = store.latest("transactions").toReversed();
  const postings = store.latest("bank-transactions").toReversed();
  const state = [
    ...transactions.map(({ id, body, internal }) => {
      const isBankOnly = internal.authorized === null;
      const sum = internal.netted ? "netted" : `bank-only ${body.transactionSettledAmount}`;
      return isBankOnly ? `${nameOf("tx", id)} ${sum}` : transaction(body, nameOf);
    }),
    ...postings.map(({ id, internal: { matchId, deleted, standaloneId } }) => {
      const match = matchId === null ? undefined : store.find("transaction-matches", matchId);
      const fate = deleted ? "deleted" : standaloneId ? "bank-only" : "pending";
      const name = nameOf("post", id);
      return match ? `${name} = ${nameOf("leg", match.internal.legId)}` : `${name} ${fate}`;
    }),
  ];
  return { log, state: state.join("; ") };
}

// biome-ignore lint/suspicious/noExplicitAny: each row knows its body
const DIGESTS: Record<string, (body: any, nameOf: NameOf) => string> = {
  "transactionmessage.created": message,
  "transaction.created": (body: Transaction, nameOf) => {
    const card = body.cardId === null ? "no card" : nameOf("card", body.cardId);
    return `${transaction(body, nameOf)} of ${card}`;
  },
  "transaction.updated": transaction,
  "transaction.match.created": (body: EventPayloads["transaction.match.created"], nameOf) => {
    const { matchId, matches, cardTransaction, confidence } = body;
    const posting = nameOf("post", matches[0]?.id ?? "");
    const leg = `${nameOf("leg", cardTransaction.id)} of ${cardTransaction.amount}`;
    return `${nameOf("match", matchId)} ${posting} = ${leg} ${confidence}`;
  },
  "transaction.match.deleted": (body: EventPayloads["transaction.match.deleted"], nameOf) => {
    const { matchId, bankTransactionId, cardTransactionId, reason, metadata } = body;
    const ids = `${nameOf("post", bankTransactionId)} = ${nameOf("leg", cardTransactionId)}`;
    const about = nameOf("post", metadata.resourceId ?? "");
    return `${nameOf("match", matchId)} ${ids} ${reason} about ${about}`;
  },
  "banktransaction.created": (body: EventPayloads["banktransaction.created"], nameOf) => {
    const { id, amount, description, pending } = body;
    return `${nameOf("post", id)} ${amount} ${description}${pending ? " pending" : ""}`;
  },
  "banktransaction.deleted": (body: EventPayloads["banktransaction.deleted"], nameOf) => {
    const { id, reason, metadata } = body;
    return `${nameOf("post", id)} ${reason} about ${nameOf("post", metadata.resourceId ?? "")}`;
  },
  "enrichment.merchant.created": (body: EventPayloads["enrichment.merchant.created"], nameOf) => {
    const { merchant, _links } = body;
    return `${merchant.name} of ${nameOf("msg", _links.message.href.split("/").at(-1) ?? "")}`;
  },
  "cardsubscription.created": subscription,
  "cardsubscription.updated": subscription,
  "networkbulkfeed.statechanged": (body: EventPayloads["networkbulkfeed.statechanged"], nameOf) => {
    const { id, oldState, newState, expectedCardCount, errorReason } = body;
    const count = expectedCardCount === undefined ? "" : ` expects ${expectedCardCount}`;
    const states = `${oldState} -> ${newState}`;
    return `${nameOf("feed", id)} ${states}${count}${errorReason ? `: ${errorReason}` : ""}`;
  },
  "banklink.completed": ({ bankAccounts }: EventPayloads["banklink.completed"], nameOf) => {
    const shown = bankAccounts.map(({ id, name, mask, type, cardIds, cards }) => {
      const listed = cardIds.map((cardId) => nameOf("card", cardId)).join(" ");
      const minted = cards?.map((card) => {
        return ` mints ${nameOf("sub", card.subscriptionId)} ${card.last4digits} ${card.network}`;
      });
      return `${nameOf("acct", id)} ${name} ${mask} ${type} [${listed}]${minted ?? ""}`;
    });
    return shown.join("\n");
  },
  "bankaccount.state_changed": (body: EventPayloads["bankaccount.state_changed"], nameOf) => {
    const { bankAccountId, state, previousState, reason, expiresAt } = body;
    const why = `${reason ? ` ${reason}` : ""}${expiresAt ? ` at ${expiresAt}` : ""}`;
    return `${nameOf("acct", bankAccountId)} ${previousState} -> ${state}${why}`;
  },
};

function message(body: EventPayloads["transactionmessage.created"], nameOf: NameOf): string {
  const { id, messageType, network, transactionAmount, approvalCode, traceId, bankData } = body;
  const code = approvalCode ? ` ${nameOf("code", approvalCode)}` : "";
  const trace = traceId ? ` ${nameOf("trace", traceId)}` : "";
  const reference = body.transactionReference ?? "";
  const refers = reference.startsWith("bank_") ? "bank_" : nameOf("ref", reference);
  const posting = bankData ? ` from ${nameOf("post", bankData.bankTransactionId)}` : "";
  const name = nameOf("msg", id);
  return `${name} ${messageType} ${transactionAmount} ${network}${code}${trace} ${refers}${posting}`;
}

/** Status, sums, and the messages that settle it or are superseded. */
function transaction(body: Transaction, nameOf: NameOf): string {
  const { id, status, network, _embedded, supersededMessageIds } = body;
  const money = (settled: number, held: number) => `${settled}${held ? ` held ${held}` : ""}`;
  const spent = money(body.transactionSettledAmount, body.transactionHoldAmount);
  const billed = money(body.cardholderBillingSettledAmount, body.cardholderBillingHoldAmount);
  const isForeign = body.transactionCurrency !== body.cardholderBillingCurrency;
  const sums = isForeign
    ? `${spent} ${body.transactionCurrency} = ${billed} ${body.cardholderBillingCurrency}`
    : spent;
  const messages = (_embedded?.messages ?? []).filter((one) => one.messageType === "FINL_ADVC");
  const named = messages.map(({ id: messageId, bankData }) => {
    const name = nameOf("msg", messageId);
    return {
      shown: bankData ? nameOf("post", bankData.bankTransactionId) : name,
      isSuperseded: supersededMessageIds.includes(messageId),
    };
  });
  const listOf = (word: string, isWanted: boolean) => {
    const list = named.filter(({ isSuperseded }) => isSuperseded === isWanted);
    return list.length > 0 ? ` ${word} ${list.map(({ shown }) => shown).join(" ")}` : "";
  };
  return [
    `${nameOf("tx", id)} ${status} ${sums}`,
    network === "OPEN_BANKING" ? " bank-only" : "",
    listOf("by", false),
    listOf("over", true),
    _embedded ? "" : " without messages",
  ].join("");
}

function subscription(body: Subscription, nameOf: NameOf): string {
  const { id, cardId, state, enrollmentType, bankAccountId, networkBulkFeedId } = body;
  return [
    `${nameOf("sub", id)} ${nameOf("card", cardId)} ${enrollmentType} ${state}`,
    bankAccountId ? ` on ${nameOf("acct", bankAccountId)}` : "",
    networkBulkFeedId ? ` by ${nameOf("feed", networkBulkFeedId)}` : "",
    body.customerReferenceId ? ` as ${body.customerReferenceId}` : "",
  ].join("");
}
