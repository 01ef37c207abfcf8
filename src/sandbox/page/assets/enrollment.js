import { el } from "./dom.js";
import { badge, id, meta, money } from "./format.js";

/** @typedef {import("../../store/resources.ts").ResourceKinds} Kinds */
/**
 * @template {keyof Kinds} Kind
 * @typedef {import("./transactions.js").Shown<Kind>} Shown
 */

/** @param {Shown<"card-subscriptions">} shown @returns {HTMLElement} */
export function subscription({ body }) {
  return el(
    "li",
    {},
    el("p", { class: "line" }, el("strong", {}, body.enrollmentType), badge(body.state)),
    meta("subscription", id(body.id)),
    meta("card", id(body.cardId)),
    body.bankAccountId ? meta("bank account", id(body.bankAccountId)) : null,
    body.networkBulkFeedId ? meta("feed", id(body.networkBulkFeedId)) : null,
  );
}

/** @param {Shown<"network-bulk-feeds">} shown @returns {HTMLElement} */
export function feed({ id: feedId, hidden }) {
  const { network, networkReference, expectedCardCount: count, state } = hidden;
  return el(
    "li",
    {},
    el("p", { class: "line" }, el("strong", {}, networkReference), badge(state)),
    meta(network, count !== null && `${count} cards expected`, id(feedId)),
  );
}

/** @param {Shown<"bank-links">} shown @returns {HTMLElement} */
export function bankLink({ id: linkId, hidden: { provider, state, accounts } }) {
  const names = accounts.map(({ name, mask }) => `${name} ${mask}`).join(", ");
  const page = el("a", { href: `link/${linkId}`, target: "_blank" }, "Open the hosted page");
  return el(
    "li",
    {},
    el("p", { class: "line" }, el("strong", {}, provider), badge(state)),
    meta(names, id(linkId)),
    state === "started" && el("p", {}, page),
  );
}

/** @param {Shown<"bank-accounts">} shown @returns {HTMLElement} */
export function bankAccount({ id: accountId, hidden }) {
  const { name, mask, type, currency, provider, state, cardIds, unsynced } = hidden;
  return el(
    "li",
    {},
    el("p", { class: "line" }, el("strong", {}, `${name} ${mask}`), badge(state)),
    meta(type, currency, provider, id(accountId)),
    cardIds.map((cardId) => meta("card", id(cardId))),
    unsynced.length > 0 && meta(`${unsynced.length} posted and not synced`),
  );
}

/** @param {Shown<"bank-transactions">} shown @returns {HTMLElement} */
export function bankTransaction({ body, hidden: { posting, matchId, standaloneId, deleted } }) {
  const title = posting.merchantName ?? posting.description;
  return el(
    "li",
    {},
    el(
      "p",
      { class: "line" },
      el(deleted ? "del" : "strong", {}, title),
      posting.pending && badge("pending"),
      deleted && badge("deleted"),
      !deleted && matchId && badge("matched"),
      !deleted && !matchId && standaloneId && badge("standalone"),
    ),
    meta(
      posting.transactionType,
      body.amount !== undefined && money(body.amount, posting.currency),
      posting.day,
      id(body.id),
    ),
  );
}
