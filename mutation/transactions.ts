import type { Json } from "./rewrite.ts";

/** The settlement messages of a transaction. */
export const finals = (body: Json): Json[] =>
  (body._embedded?.messages ?? []).filter((one: Json) => one.messageType === "FINL_ADVC");

export const isBankOnly = (body: Json): boolean => body.network === "OPEN_BANKING";

/** Sets the settled amounts to the sums of some messages. */
export function settle(body: Json, messages: readonly Json[]): void {
  if (!body._embedded) return;
  const sum = (name: string) =>
    Number(messages.reduce((total, one) => total + one[name], 0).toFixed(4));
  body.transactionSettledAmount = sum("transactionAmount");
  body.cardholderBillingSettledAmount = sum("cardholderBillingAmount");
}
