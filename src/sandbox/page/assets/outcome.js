import { Refused, send } from "./api.js";
import { el, find } from "./dom.js";

/** @typedef {import("../../control/control.ts").Outcome} Outcome */
/** @typedef {import("./api.js").Remedy} Remedy */

const ENDINGS = { done: "", refused: " was refused", failed: " was not done" };

/** @type {(events: Outcome["events"]) => void} */
let onEvents = () => undefined;

/**
 * Sets what happens when the user wants to see the events of an outcome.
 *
 * @param {typeof onEvents} listener
 */
export function onShowEvents(listener) {
  onEvents = listener;
}

/**
 * Runs a command and shows its outcome in the page's live region.
 *
 * @param {string} what
 * @param {() => Promise<Node | string>} work
 * @returns {Promise<boolean>} whether it was done
 */
export async function run(what, work) {
  try {
    show("done", what, await work());
    return true;
  } catch (error) {
    const kind = error instanceof Refused ? "refused" : "failed";
    const text = error instanceof Error ? error.message : String(error);
    const remedy = error instanceof Refused ? error.remedy : undefined;
    show(kind, what, el("p", {}, text), remedy && remedyButton(remedy));
    return false;
  }
}

/**
 * Runs a verb and shows the events that it sent.
 *
 * @param {string} verb
 * @param {object} params
 */
export function runVerb(verb, params) {
  return run(verb, async () => {
    /** @type {Outcome} */
    const { events } = await send("POST", `verbs/${verb}`, params);
    if (events.length === 0) return "It sent no events.";
    const names = [...new Set(events.map(({ name }) => name))].join(", ");
    const button = { type: "button", click: () => onEvents(events) };
    const sent = events.length === 1 ? "It sent 1 event" : `It sent ${events.length} events`;
    const text = el("p", {}, sent, el("span", { class: "names" }, `: ${names}`), ".");
    return el("div", { class: "sent" }, text, el("button", button, "Show"));
  });
}

/**
 * A button that runs the verb that a refusal recommends.
 *
 * @param {Remedy} remedy
 */
export function remedyButton({ verb, params }) {
  const click = () => runVerb(verb, params);
  return el("button", { type: "button", class: "remedy", click }, `Run ${verb}`);
}

/**
 * @param {keyof typeof ENDINGS} kind
 * @param {string} what
 * @param {Node | string} outcome
 * @param {Node} [extra]
 */
function show(kind, what, outcome, extra) {
  const text = typeof outcome === "string" ? el("p", {}, outcome) : outcome;
  const head = el("p", {}, el("strong", {}, what), ENDINGS[kind]);
  find("#outcome").replaceChildren(el("div", { "data-kind": kind }, head, text, extra));
  find("#dismiss").hidden = false;
}

find("#dismiss").addEventListener("click", () => {
  find("#outcome").replaceChildren();
  find("#dismiss").hidden = true;
});
