import { el } from "./dom.js";
import { badge, id, meta, moment } from "./format.js";

/** @typedef {import("../../control/control.ts").Delivery} Delivery */
/** @typedef {import("../../control/control.ts").Endpoint} Endpoint */
/** @typedef {import("../../control/control.ts").Attempt} Attempt */

/** @typedef {Delivery & {readonly url: string}} Addressed a delivery with its endpoint's URL */

/**
 * @param {Addressed} delivery
 * @param {(id: string) => void} replay
 * @returns {HTMLElement}
 */
export function delivery({ id: deliveryId, event, state, url, dueAt, attempts }, replay) {
  const name = `${event.name}, event ${event.seq}`;
  const button = {
    type: "button",
    "aria-label": `Replay ${name}`,
    click: () => replay(deliveryId),
  };
  return el(
    "li",
    {},
    el(
      "p",
      { class: "line" },
      el("strong", {}, event.name),
      badge(state),
      el("button", button, "Replay"),
    ),
    meta(`event ${event.seq}`, url, id(deliveryId)),
    attempts.length > 0 &&
      el("ol", { class: "attempts", "aria-label": "Attempts" }, attempts.map(attempt)),
    dueAt !== null && meta("next attempt", moment(dueAt)),
  );
}

/** @param {Attempt} attempt */
function attempt({ at, status, error, durationMs }) {
  const outcome = status === null ? (error ?? "no response") : `status ${status}`;
  const why = status !== null && error !== null ? `: ${error}` : "";
  return el("li", {}, moment(at), ` ${outcome}${why}, ${Math.round(durationMs)} ms`);
}

/**
 * @param {Endpoint} endpoint
 * @param {(id: string) => void} remove
 * @returns {HTMLElement}
 */
export function endpoint({ id: endpointId, url, events, secret, accountId }, remove) {
  const button = { type: "button", "aria-label": `Remove ${url}`, click: () => remove(endpointId) };
  return el(
    "li",
    {},
    el("p", { class: "line" }, el("strong", {}, url), el("button", button, "Remove")),
    meta(events === null ? "all events" : events.join(", ")),
    accountId !== null && meta("account", id(accountId)),
    meta("secret", id(secret)),
  );
}
