import { el, find } from "./dom.js";
import { id, meta, moment } from "./format.js";

/** @typedef {import("../../control/control.ts").LoggedEvent} LoggedEvent */

/** Maximum number of events on the page. */
export const KEPT_EVENTS = 200;

/** The event log, latest first. */
export class EventLog {
  #list = find("#event-log");
  /** @type {LoggedEvent[]} */
  #waiting = [];
  #last = 0;

  /** The position of the latest event shown. */
  get last() {
    return this.#last;
  }

  /** Clears the list for a different log. */
  clear() {
    this.#list.replaceChildren();
    this.#waiting = [];
    this.#last = 0;
  }

  /** @param {readonly LoggedEvent[]} events oldest first; events already shown are skipped */
  add(events) {
    const fresh = events.filter(({ seq }) => seq > this.#last);
    if (fresh.length === 0) return;
    this.#last = fresh.at(-1)?.seq ?? this.#last;
    if (this.#waiting.length === 0) requestAnimationFrame(() => this.#draw());
    this.#waiting = [...this.#waiting, ...fresh].slice(-KEPT_EVENTS);
  }

  /** Updates the page at most once per frame. */
  #draw() {
    this.#list.prepend(...this.#waiting.map(entry).reverse());
    this.#waiting = [];
    for (const old of [...this.#list.children].slice(KEPT_EVENTS)) old.remove();
  }
}

/** @param {LoggedEvent} event */
function entry({ seq, at, name, resource, body }) {
  const details = el("details", {}, el("summary", {}, el("strong", {}, name), meta(moment(at))));
  const open = () => {
    details.append(meta("of", id(resource)), el("pre", { tabindex: 0 }, pretty(body)));
  };
  details.addEventListener("toggle", open, { once: true });
  return el("li", { value: seq }, details);
}

/** @param {unknown} body */
function pretty(body) {
  return JSON.stringify(body, null, 2);
}
