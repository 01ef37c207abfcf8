import { el } from "./dom.js";
import { badge, id, meta, moment, money } from "./format.js";

/** @typedef {import("../../../../generated/types.ts").components["schemas"]} Schemas */
/** @typedef {import("../../../../generated/events.ts").EventPayloads} Events */
/** @typedef {Omit<Events["transaction.match.created"], "matchId">} MatchEvent */
/** @typedef {import("../../store/resources.ts").ResourceKinds} Kinds */

/**
 * @template {keyof Kinds} Kind
 * @typedef {object} Shown a resource as returned by the control API
 * @property {string} id
 * @property {string} accountId
 * @property {boolean} listed
 * @property {Kinds[Kind]["body"]} body
 * @property {Kinds[Kind]["internal"]} hidden
 */

/** @param {Shown<"transactions">} shown @returns {HTMLElement} */
export function transaction({ body, hidden }) {
  return el(
    "li",
    {},
    el(
      "p",
      { class: "line" },
      el("strong", {}, body.descriptor || "no descriptor"),
      badge(body.status),
      hidden.declined && badge("declined"),
      hidden.netted && badge("netted"),
    ),
    el(
      "dl",
      { class: "sums" },
      sum("Hold", body.transactionHoldAmount, body.cardholderBillingHoldAmount, body),
      sum("Settled", body.transactionSettledAmount, body.cardholderBillingSettledAmount, body),
    ),
    meta(body.network, moment(body.createdAt), id(body.id)),
    messages(body),
  );
}

/**
 * @param {string} name
 * @param {number} amount
 * @param {number} billed
 * @param {Schemas["Transaction"]} transaction
 */
function sum(name, amount, billed, { transactionCurrency, cardholderBillingCurrency }) {
  const isForeign = transactionCurrency !== cardholderBillingCurrency;
  const billing = isForeign && ` (${money(billed, cardholderBillingCurrency)})`;
  const value = el("dd", {}, money(amount, transactionCurrency), billing);
  return el("div", {}, el("dt", {}, name), value);
}

/** @param {Schemas["Transaction"]} transaction */
function messages({ _embedded, _links, supersededMessageIds }) {
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
function message({ id: messageId, messageType, result, bankData, superseded, ...rest }) {
  const parts = [
    el("span", {}, messageType),
    el("span", {}, bankData ? bankData.provider : rest.network),
    el("span", {}, result),
    el("span", { class: "amount" }, money(rest.transactionAmount, rest.transactionCurrency)),
    id(messageId),
  ];
  return messageLine(parts, superseded);
}

/** @param {Node[]} parts @param {boolean} isSuperseded */
function messageLine(parts, isSuperseded) {
  if (!isSuperseded) return el("li", {}, el("span", { class: "parts" }, parts));
  const gone = el("del", { class: "parts" }, parts);
  return el("li", { class: "superseded" }, gone, el("span", { class: "badge" }, "superseded"));
}

/** @param {Shown<"transaction-matches">} shown @returns {HTMLElement} */
export function match({ body, hidden }) {
  // The interface does not specify the REST fields; the sandbox serves those of the event.
  const { cardTransaction: card, matches, reasons, score } = /** @type {MatchEvent} */ (body);
  const bank = matches.map((movement) =>
    meta(
      el("strong", {}, movement.description),
      money(movement.amount, movement.currency),
      movement.date,
      movement.bankAccountName,
    ),
  );
  return el(
    "li",
    {},
    el(
      "p",
      { class: "line" },
      el("strong", {}, card.descriptor),
      badge(hidden.confidence),
      el("span", {}, `score ${score}`),
    ),
    meta("card", money(card.amount, card.currency), card.date, id(card.id)),
    bank,
    reasons.length > 0 &&
      el(
        "ul",
        { class: "reasons", "aria-label": "Reasons" },
        reasons.map((reason) =>
          el(
            "li",
            {},
            el("span", {}, reason.type),
            el("span", { class: "amount" }, String(reason.score)),
            el("span", {}, reason.message),
          ),
        ),
      ),
    meta(id(body.id)),
  );
}
