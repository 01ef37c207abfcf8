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
 * Formats a timestamp for display.
 *
 * @param {string} timestamp
 */
export function moment(timestamp) {
  const text = timestamp.replace("T", " ").replace(/(\.000)?Z$/, "");
  return el("time", { datetime: timestamp }, text);
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
  LOW: "plain",
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
  return el("p", { class: "meta" }, parts);
}
