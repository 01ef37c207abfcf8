import { el } from "./dom.js";

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();

/**
 * Formats an amount with its currency's number of decimal places.
 *
 * @param {number} amount
 * @param {string} currency
 */
export function money(amount, currency) {
  let format = formats.get(currency);
  if (!format) {
    const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat("en", {
      style: "currency",
      currency,
    }).resolvedOptions();
    format = new Intl.NumberFormat("en", {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(currency, format);
  }
  return `${format.format(amount)} ${currency}`;
}

/**
 * Formats a timestamp for display, to the second.
 *
 * @param {string} timestamp
 */
export function moment(timestamp) {
  const text = timestamp.slice(0, 19).replace("T", " ");
  return el("time", { datetime: timestamp, title: timestamp }, text);
}

/**
 * An id that is selected as a whole for copying.
 *
 * @param {string} text
 */
export function id(text) {
  return el("code", { class: "id", title: text }, text);
}

/**
 * The start of an id, if there is no better name.
 *
 * @param {string} text
 */
export function shortId(text) {
  return text.slice(0, 8);
}

/**
 * A state's name, coloured by its meaning.
 *
 * @param {string} state
 */
export function badge(state) {
  return el("span", { class: "badge", "data-tone": TONES[state] ?? "plain" }, state);
}

/** @type {Record<string, string>} */
const TONES = {
  PENDING: "waiting",
  SETTLED: "good",
  HIGH: "good",
  MEDIUM: "waiting",
  active: "good",
  completed: "good",
  delivered: "good",
  reqSCA: "waiting",
  submitted: "waiting",
  started: "waiting",
  finished: "waiting",
  waiting: "waiting",
  auth_required: "waiting",
  failed: "bad",
  disconnected: "bad",
  deactivated: "bad",
  deleted: "bad",
  dropped: "bad",
  declined: "bad",
};

/**
 * Details on one line, separated by dots.
 *
 * @param {...(Node | string | null | undefined | false)} facts
 */
export function meta(...facts) {
  const there = facts.filter((fact) => fact);
  const parts = there.flatMap((fact, index) => (index === 0 ? [fact] : [" · ", fact]));
  return el("span", { class: "meta" }, parts);
}

/**
 * A list of terms and their values. Null leaves a term out.
 *
 * @param {Record<string, Node | string | null | undefined>} terms
 */
export function facts(terms) {
  const there = Object.entries(terms).filter(([, value]) => value !== null && value !== undefined);
  const rows = there.map(([term, value]) => {
    return el("div", {}, el("dt", {}, term), el("dd", {}, /** @type {Node} */ (value)));
  });
  return el("dl", { class: "facts" }, rows);
}
