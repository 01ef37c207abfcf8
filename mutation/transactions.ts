import { event } from "./events.ts";
import { type Json, resource, responses, type When } from "./rewrite.ts";

// What bugs of transactions look at and change.

export const MESSAGE = "transactionmessage.created" as const;
export const CREATED = "transaction.created" as const;
export const UPDATED = "transaction.updated" as const;
export const transaction = resource("transactions");
export const message = resource("transaction-messages", "projection");
export const shown = responses("transactions");
export const created = event(CREATED);
export const updated = event(UPDATED);
export const announcement = event(CREATED, UPDATED);

/** The messages of a transaction, if it shows them. */
export const messagesOf = (body: Json): Json[] => body._embedded?.messages ?? [];

/** Its settlement messages, and those of the network. */
export const finals = (body: Json) =>
  messagesOf(body).filter((one) => one.messageType === "FINL_ADVC");
export const clearings = (body: Json) => finals(body).filter((one) => !one.bankData);

export const isBankOnly = (body: Json): boolean => body.network === "OPEN_BANKING";
export const isOfBank = (body: Json) => Boolean(body.bankData) && !isBankOnly(body);
export const isCardless: When = (body) => isBankOnly(body) && !body.cardId;
/** Whether its movement was matched. */
export const isNetted = (body: Json) => isBankOnly(body) && body.transactionSettledAmount === 0;
export const hasSuperseded: When = (body) => body.supersededMessageIds.length > 0;
export const hasNoneSuperseded: When = (body) => body.supersededMessageIds.length === 0;
export const isLastOfBank = (body: Json) => {
  const last = messagesOf(body).at(-1);
  return last !== undefined && isOfBank(last);
};

/** Sets the settled amounts to the sums of some messages. Default: of those that count. */
export function settle(body: Json, messages = finals(body).filter((one) => !one.superseded)): void {
  if (!body._embedded) return;
  const sum = (name: string) =>
    Number(messages.reduce((total, one) => total + one[name], 0).toFixed(4));
  body.transactionSettledAmount = sum("transactionAmount");
  body.cardholderBillingSettledAmount = sum("cardholderBillingAmount");
}

export function settleAll(body: Json): void {
  settle(body, finals(body));
}

/** Sets which messages are superseded. */
export function supersede(body: Json, ids: readonly string[] = []): void {
  body.supersededMessageIds = ids;
  for (const one of messagesOf(body)) one.superseded = ids.includes(one.id);
}

/** Lets a superseded message count again. */
export function restore(body: Json, kept: Json): void {
  supersede(
    body,
    body.supersededMessageIds.filter((id: string) => id !== kept.id),
  );
  settle(body);
}

/** The bank's message, if one clearing superseded it and nothing else settles the purchase. */
export function clearedPostingIn(body: Json): Json | undefined {
  const [bank, other] = finals(body).filter((one) => one.superseded && isOfBank(one));
  const isOnly = !other && clearings(body).length === 1 && finals(body).length === 2;
  return isOnly ? bank : undefined;
}

/** Changes the card of a transaction when it is created. */
export function setCard(body: Json, cardId: string | null): true {
  body.cardId = cardId;
  if (cardId === null) delete body._links.card;
  else body._links.card = { href: `/cards/${cardId}` };
  return true;
}
