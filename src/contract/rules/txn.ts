import type { components } from "../../../generated/types.ts";
import { idOf, leadsTo } from "./link.ts";
import type { Rules } from "./rule.ts";
import { amountsDiffer, differsByRounding, isPlain, rounded, settledBy } from "./sum.ts";
import { OPEN_BANKING } from "./vocabulary.ts";

type Transaction = components["schemas"]["Transaction"];
type Message = components["schemas"]["ProjectedTransactionMessage"];
type Link = components["schemas"]["Link"];

/** Longer lists are searched with a set, so that the time stays linear. */
const SHORT = 16;

/** The rules of a transaction, in an event or a response. */
export const transactionRules: Rules<Transaction> = {
  "TXN-02": ({ cardId, network }, collector) => {
    if (cardId !== null || network === OPEN_BANKING) return;
    collector.violation("/cardId", `a card's id on network ${network}`, cardId);
  },

  "TXN-03": ({ cardId, _links: { card } }, collector) => {
    if ((cardId === null) === (card === undefined)) return;
    if (cardId === null)
      collector.violation("/_links/card", "nothing, because cardId is null", card);
    else collector.violation("/_links/card", `a link to card ${cardId}`, card);
  },

  "TXN-06": ({ supersededMessageIds: ids, _links: { messages }, _embedded }, collector) => {
    if (ids.length === 0) return;
    // TXN-07 checks that links and projection agree, and the projection is faster to search.
    const projected = _embedded?.messages;
    const isPaired = ids.length === 1 && projected?.length === messages.length;
    if (isPaired && projected.some(({ id }) => id === ids[0])) return;
    const linked = new Set(messages.map(({ href }) => idOf(href)));
    const seen = new Set<string>();
    ids.forEach((id, index) => {
      const path = `/supersededMessageIds/${index}`;
      if (!linked.has(id)) collector.violation(path, "the id of a message in _links.messages", id);
      if (seen.has(id)) collector.violation(path, "each id once", id);
      seen.add(id);
    });
  },

  "TXN-07": ({ _links: { messages: links }, _embedded }, collector) => {
    const projected = _embedded?.messages;
    collector.linksMatchProjection = linksMatch(links, projected);
    if (collector.linksMatchProjection) return;
    const linked = new Set(links.map(({ href }) => idOf(href)));
    if (linked.size < links.length) {
      collector.violation("/_links/messages", "one link for each message", links);
    }
    if (!projected) return;
    const ids = new Set(projected.map(({ id }) => id));
    if (ids.size < projected.length) {
      collector.violation("/_embedded/messages", "each message once", projected);
    }
    for (const id of linked) {
      if (!ids.has(id))
        collector.violation("/_embedded/messages", `message ${id}, which is linked`, projected);
    }
    for (const id of ids) {
      if (!linked.has(id))
        collector.violation("/_links/messages", `a link to message ${id}`, links);
    }
  },

  "TXN-08": ({ supersededMessageIds, _embedded }, collector) => {
    const messages = _embedded?.messages;
    if (!messages) return;
    const ids = supersededMessageIds.length > SHORT ? new Set(supersededMessageIds) : undefined;
    for (let index = 0; index < messages.length; index += 1) {
      const { id, superseded } = messages[index] as Message;
      const isListed = ids ? ids.has(id) : contains(supersededMessageIds, id);
      if (isListed === superseded) continue;
      const why = `supersededMessageIds ${isListed ? "lists" : "does not list"} ${id}`;
      const path = `/_embedded/messages/${index}/superseded`;
      collector.violation(path, `${isListed}, because ${why}`, superseded);
    }
  },

  // TXN-09 applies only if the sum is plain. Only settlements count: an authorization
  // is held, not settled.
  "TXN-09": (transaction, collector) => {
    const messages = transaction._embedded?.messages;
    if (!messages || !isPlain(transaction, messages) || isNetted(transaction)) return;
    const { settled, billed } = settledBy(messages, transaction);
    const { transactionSettledAmount, cardholderBillingSettledAmount } = transaction;
    type Name = "transactionAmount" | "cardholderBillingAmount";
    const amountsOf = (name: Name) => messages.map((message) => message[name]);
    const without = (sum: number, name: Name) =>
      `${rounded(sum, amountsOf(name))}, without superseded messages`;
    if (amountsDiffer(settled, transactionSettledAmount)) {
      const expected = without(settled, "transactionAmount");
      collector.violation("/transactionSettledAmount", expected, transactionSettledAmount);
    }
    if (amountsDiffer(billed, cardholderBillingSettledAmount)) {
      const isConverted = transaction.transactionCurrency !== transaction.cardholderBillingCurrency;
      const parts = amountsOf("cardholderBillingAmount");
      if (isConverted && differsByRounding(cardholderBillingSettledAmount, billed, parts)) return;
      const expected = without(billed, "cardholderBillingAmount");
      collector.violation(
        "/cardholderBillingSettledAmount",
        expected,
        cardholderBillingSettledAmount,
      );
    }
  },

  "TXN-16": (transaction, collector) => {
    const messages = transaction._embedded?.messages;
    if (!messages) return;
    const isBankOnly = transaction.network === OPEN_BANKING;
    if (!isBankOnly) {
      if (messages.length === 0 || !messages.every(hasBankOnlyMarks)) return;
      const expected = `${OPEN_BANKING}, because its messages are bank-only`;
      collector.violation("/network", expected, transaction.network);
      return;
    }
    if (messages.length > 0 && messages.every(isOfCard)) {
      collector.violation("/network", "the network of its messages", transaction.network);
      return;
    }
    messages.forEach((message, index) => {
      const at = `/_embedded/messages/${index}`;
      const { network, approvalCode, transactionReference, bankData } = message;
      if (network !== OPEN_BANKING) collector.violation(`${at}/network`, OPEN_BANKING, network);
      if (typeof approvalCode === "string") {
        collector.violation(
          `${at}/approvalCode`,
          "null or nothing on a bank-only message",
          approvalCode,
        );
      }
      if (!transactionReference.startsWith("bank_")) {
        const expected = "a reference that starts with bank_";
        collector.violation(`${at}/transactionReference`, expected, transactionReference);
      }
      if (bankData === null) {
        collector.violation(`${at}/bankData`, "the bank posting of a bank-only message", bankData);
      }
    });
  },
};

/** Whether links and projection have the same messages in the same order, without duplicates. */
function linksMatch(links: readonly Link[], projected: readonly Message[] | undefined): boolean {
  const { length } = links;
  if (length > SHORT) return false;
  if (projected === undefined) return length < 2;
  if (projected.length !== length) return false;
  for (let index = 0; index < length; index += 1) {
    const { id } = projected[index] as Message;
    if (!leadsTo(links[index] as Link, id)) return false;
    for (let before = 0; before < index; before += 1) {
      if ((projected[before] as Message).id === id) return false;
    }
  }
  return true;
}

/** TXN-14: a bank-only transaction is revised to 0 when its movement is matched, and stays at 0. */
function isNetted(transaction: Transaction): boolean {
  const { network, transactionSettledAmount, cardholderBillingSettledAmount } = transaction;
  const isZero = transactionSettledAmount === 0 && cardholderBillingSettledAmount === 0;
  return network === OPEN_BANKING && isZero;
}

/** The same as `includes`, which V8 does not inline. */
function contains(ids: readonly string[], id: string): boolean {
  for (let index = 0; index < ids.length; index += 1) if (ids[index] === id) return true;
  return false;
}

/** Whether a message is not bank-only. It may still have a bank posting (TXN-12). */
function isOfCard({ network, transactionReference }: Message): boolean {
  return network !== OPEN_BANKING && !transactionReference.startsWith("bank_");
}

function hasBankOnlyMarks({ approvalCode, transactionReference, bankData }: Message): boolean {
  const hasCode = typeof approvalCode === "string";
  return bankData !== null && !hasCode && transactionReference.startsWith("bank_");
}
