import { Refused } from "./api.js";
import { el, find } from "./dom.js";

const OUTCOMES = { done: "", refused: " was refused", failed: " was not done" };

/**
 * Runs an action and shows its outcome in the page's live region.
 *
 * @param {string} what
 * @param {() => Promise<Node | string>} work
 */
export async function run(what, work) {
  try {
    showOutcome("done", what, await work());
  } catch (error) {
    showOutcome(
      error instanceof Refused ? "refused" : "failed",
      what,
      error instanceof Error ? error.message : String(error),
    );
  }
}

/**
 * @param {"done" | "refused" | "failed"} kind
 * @param {string} what
 * @param {Node | string} outcome
 */
function showOutcome(kind, what, outcome) {
  const text = typeof outcome === "string" ? el("p", {}, outcome) : outcome;
  const head = el("p", {}, el("strong", {}, what), OUTCOMES[kind]);
  const close = el("button", { type: "button", click: hide }, "Dismiss");
  const place = find("#outcome");
  place.replaceChildren(el("div", { class: "result", "data-kind": kind }, head, text));
  find(".outcome").classList.add("shown");
  find(".outcome").querySelector("button")?.remove();
  find(".outcome").append(close);
}

function hide() {
  find("#outcome").replaceChildren();
  find(".outcome").classList.remove("shown");
  find(".outcome").querySelector("button")?.remove();
}
