import type { components } from "../../../generated/types.ts";
import { idOf, leadsTo } from "./link.ts";
import type { FindingCollector, Rules } from "./rule.ts";
import { amountsDiffer, billedBy, differsByRounding, isPlain, rounded, settledBy } from "./sum.ts";
import { OPEN_BANKING } from "./vocabulary.ts";

type Transaction = components["schemas"]["Transaction"];
type Message = components["schemas"]["ProjectedTransactionMessage"];
type Link = components["schemas"]["Link"];

/** Longer lists are searched with a set, so that the time stays linear. */
const SHORT = 16;

/** The rules of a transaction, in an event or a response. */
export const transactionRules: Rules<Transaction> = {
  "TXN-02.card-id": ({ cardId, network }, collector) => {
    if (network === OPEN_BANKING) return false;
    if (cardId === null)
      collector.violation("/cardId", `a card's id on network ${network}`, cardId);
    return true;
  },

  "TXN-03.present": ({ cardId, _links: { card } }, collector) => {
    if (cardId === null) return false;
    if (!card) collector.violation("/_links/card", `a link to card ${cardId}`, card);
    return true;
  },

  "TXN-03.omitted": ({ cardId, _links: { card } }, collector) => {
    if (cardId !== null) return false;
    if (card) collector.violation("/_links/card", "nothing, because cardId is null", card);
    return true;
  },

  "TXN-06.unique": ({ supersededMessageIds: ids }, collector) => {
    if (ids.length < 2) return ids.length > 0;
    const seen = new Set<string>();
    ids.forEach((id, index) => {
      if (seen.has(id)) collector.violation(`/supersededMessageIds/${index}`, "each id once", id);
      seen.add(id);
    });
    return true;
  },

  "TXN-06.subset": ({ supersededMessageIds: ids, _links: { messages }, _embedded }, collector) => {
    if (ids.length === 0) return false;
    // TXN-07 checks that links and projection agree, and the projection is faster to search.
    const projected = _embedded?.messages;
    const isPaired = ids.length === 1 && projected?.length === messages.length;
    if (isPaired && projected.some(({ id }) => id === ids[0])) return true;
    const linked = new Set(messages.map(({ href }) => idOf(href)));
    ids.forEach((id, index) => {
      if (linked.has(id)) return;
      const path = `/supersededMessageIds/${index}`;
      collector.violation(path, "the id of a message in _links.messages", id);
    });
    return true;
  },

  "TXN-07.links-all": ({ _links: { messages: links }, _embedded }, collector) => {
    const projected = _embedded?.messages;
    collector.linksMatchProjection = linksMatch(links, projected);
    if (collector.linksMatchProjection) return true;
    const linked = new Set(links.map(({ href }) => idOf(href)));
    if (linked.size < links.length) {
      collector.violation("/_links/messages", "one link for each message", links);
    }
    for (const { id } of projected ?? []) {
      if (linked.has(id)) continue;
      linked.add(id);
      collector.violation("/_links/messages", `a link to message ${id}`, links);
    }
    return true;
  },

  "TXN-07.projects-same": ({ _links: { messages: links }, _embedded }, collector) => {
    const projected = _embedded?.messages;
    if (!projected || collector.linksMatchProjection) return projected !== undefined;
    const ids = new Set(projected.map(({ id }) => id));
    if (ids.size < projected.length) {
      collector.violation("/_embedded/messages", "each message once", projected);
    }
    for (const id of new Set(links.map(({ href }) => idOf(href)))) {
      if (!ids.has(id))
        collector.violation("/_embedded/messages", `message ${id}, which is linked`, projected);
    }
    return true;
  },

  "TXN-08.marked": (transaction, collector) =>
    transaction.supersededMessageIds.length > 0 && checkMarks(transaction, true, collector),
  "TXN-08.unmarked": (transaction, collector) => checkMarks(transaction, false, collector),

  // TXN-09 applies only if the sum is plain. Only settlements count: an authorization
  // is held, not settled.
  "TXN-09.sums": (transaction, collector) =>
    transaction.supersededMessageIds.length === 0 && checkSettled(transaction, collector),
  "TXN-09.excludes-superseded": (transaction, collector) =>
    transaction.supersededMessageIds.length > 0 && checkSettled(transaction, collector),

  "TXN-09.billing": (transaction, collector) => {
    const messages = summedMessages(transaction);
    if (!messages) return false;
    const { transactionCurrency, cardholderBillingCurrency, cardholderBillingSettledAmount } =
      transaction;
    const billed = billedBy(messages, cardholderBillingCurrency);
    if (!amountsDiffer(billed, cardholderBillingSettledAmount)) return true;
    const parts = messages.map((message) => message.cardholderBillingAmount);
    const isConverted = transactionCurrency !== cardholderBillingCurrency;
    if (isConverted && differsByRounding(cardholderBillingSettledAmount, billed, parts))
      return true;
    const expected = `${rounded(billed, parts)}, without superseded messages`;
    collector.violation(
      "/cardholderBillingSettledAmount",
      expected,
      cardholderBillingSettledAmount,
    );
    return true;
  },

  "TXN-16.network": ({ network, _embedded }, collector) => {
    const messages = _embedded?.messages;
    if (!messages || messages.length === 0) return false;
    if (network !== OPEN_BANKING) {
      if (!messages.every(hasBankOnlyMarks)) return false;
      const expected = `${OPEN_BANKING}, because its messages are bank-only`;
      collector.violation("/network", expected, network);
      return true;
    }
    if (messages.every(isOfCard)) {
      collector.violation("/network", "the network of its messages", network);
      return true;
    }
    messages.forEach((message, index) => {
      if (message.network === OPEN_BANKING) return;
      collector.violation(`/_embedded/messages/${index}/network`, OPEN_BANKING, message.network);
    });
    return true;
  },

  "TXN-16.no-approval-code": (transaction, collector) =>
    checkBankOnly(transaction, "approvalCode", collector),
  "TXN-16.reference": (transaction, collector) =>
    checkBankOnly(transaction, "transactionReference", collector),
  "TXN-16.bank-data": (transaction, collector) => checkBankOnly(transaction, "bankData", collector),
};

/** TXN-08: checks the messages that are listed as superseded, or all others. */
function checkMarks(
  { supersededMessageIds, _embedded }: Transaction,
  wanted: boolean,
  collector: FindingCollector,
): boolean {
  const messages = _embedded?.messages;
  if (!messages) return false;
  const ids = supersededMessageIds.length > SHORT ? new Set(supersededMessageIds) : undefined;
  let isDecided = false;
  for (let index = 0; index < messages.length; index += 1) {
    const { id, superseded } = messages[index] as Message;
    const isListed = ids ? ids.has(id) : contains(supersededMessageIds, id);
    if (isListed !== wanted) continue;
    isDecided = true;
    if (superseded === wanted) continue;
    const why = `supersededMessageIds ${wanted ? "lists" : "does not list"} ${id}`;
    const path = `/_embedded/messages/${index}/superseded`;
    collector.violation(path, `${wanted}, because ${why}`, superseded);
  }
  return isDecided;
}

/** The messages of a transaction whose settled amounts must be their sum. */
function summedMessages(transaction: Transaction): readonly Message[] | undefined {
  const messages = transaction._embedded?.messages;
  if (!messages || !isPlain(transaction, messages) || isNetted(transaction)) return undefined;
  return messages;
}

function checkSettled(transaction: Transaction, collector: FindingCollector): boolean {
  const messages = summedMessages(transaction);
  if (!messages) return false;
  const { transactionCurrency, transactionSettledAmount } = transaction;
  const settled = settledBy(messages, transactionCurrency);
  if (amountsDiffer(settled, transactionSettledAmount)) {
    const parts = messages.map((message) => message.transactionAmount);
    const expected = `${rounded(settled, parts)}, without superseded messages`;
    collector.violation("/transactionSettledAmount", expected, transactionSettledAmount);
  }
  return true;
}

/** The fields of a bank-only message: what each has to be, and whether it is. */
const BANK_ONLY = {
  approvalCode: {
    expected: "null or nothing on a bank-only message",
    is: ({ approvalCode }: Message) => typeof approvalCode !== "string",
  },
  transactionReference: {
    expected: "a reference that starts with bank_",
    is: ({ transactionReference }: Message) => transactionReference.startsWith("bank_"),
  },
  bankData: {
    expected: "the bank posting of a bank-only message",
    is: ({ bankData }: Message) => bankData !== null,
  },
} as const;

/** TXN-16: checks a field of each message of a bank-only transaction, unless all are a card's. */
function checkBankOnly(
  { network, _embedded }: Transaction,
  name: keyof typeof BANK_ONLY,
  collector: FindingCollector,
): boolean {
  const messages = _embedded?.messages;
  if (network !== OPEN_BANKING || !messages || messages.every(isOfCard)) return false;
  const { expected, is } = BANK_ONLY[name];
  messages.forEach((message, index) => {
    if (is(message)) return;
    collector.violation(`/_embedded/messages/${index}/${name}`, expected, message[name]);
  });
  return true;
}

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
