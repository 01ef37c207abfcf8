import { el } from "./dom.js";
import { world } from "./world.js";

/**
 * The state diagram of a kind of resource, with the current state marked; null without states.
 *
 * @param {string} kind
 */
export function diagramOf(kind) {
  const source = world.contract.diagrams[kind];
  if (source === undefined) return null;
  const parsed = new DOMParser().parseFromString(source, "image/svg+xml").documentElement;
  const svg = document.importNode(parsed, true);
  const title = svg.querySelector("title");
  const about = title?.textContent ?? "";
  const caption = el("figcaption", {});
  /** @param {string} state */
  const mark = (state) => {
    for (const node of svg.querySelectorAll(".state")) {
      node.classList.toggle("current", node.getAttribute("data-state") === state);
    }
    if (title) title.textContent = `${about}. The current state is ${state}.`;
    caption.replaceChildren("Current state: ", el("strong", {}, state));
  };
  const figure = el("figure", { class: "diagram" }, caption);
  figure.prepend(svg);
  return { node: figure, mark };
}
