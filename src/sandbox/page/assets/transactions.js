import { el } from "./dom.js";
import { badge, id, money } from "./format.js";

/** @typedef {import("../../../../generated/types.ts").components["schemas"]} Schemas */
/** @typedef {import("../../../../generated/events.ts").EventPayloads} Events */

/**
 * The messages of a transaction.
 *
 * @param {Schemas["Transaction"]} transaction
 */
export function messages({ _embedded, _links, supersededMessageIds }) {
  const list = el("ul", { class: "messages", "aria-label": "Messages" });
  if (_embedded?.messages) list.append(..._embedded.messages.map(message));
  else {
    // TXN-10: without a projection only message ids and superseded ids are available.
    for (const { href } of _links.messages) {
      const messageId = href.slice(href.lastIndexOf("/") + 1);
      list.append(messageLine([id(messageId)], supersededMessageIds.includes(messageId)));
    }
  }
  return list;
}

/** @param {Schemas["ProjectedTransactionMessage"]} message */
function message({ messageType, result, bankData, superseded, ...rest }) {
  const parts = [
    el("span", {}, messageType),
    el("span", {}, bankData ? bankData.provider : rest.network),
    el("span", {}, result),
    el("span", { class: "amount" }, money(rest.transactionAmount, rest.transactionCurrency)),
  ];
  return messageLine(parts, superseded);
}

/** @param {Node[]} parts @param {boolean} isSuperseded */
function messageLine(parts, isSuperseded) {
  if (!isSuperseded) return el("li", {}, el("span", { class: "parts" }, parts));
  return el("li", {}, el("del", { class: "parts" }, parts), badge("superseded"));
}

/**
 * The reasons of a match.
 *
 * @param {Events["transaction.match.created"]["reasons"]} all
 */
export function reasons(all) {
  const lines = all.map((reason) =>
    el(
      "li",
      {},
      el("span", {}, reason.type),
      el("span", { class: "amount" }, String(reason.score)),
      el("span", {}, reason.message),
    ),
  );
  return el("ul", { class: "reasons", "aria-label": "Reasons" }, lines);
}
