import { send } from "./api.js";
import { el } from "./dom.js";
import { fieldsFor } from "./fields.js";

/** @typedef {import("../../control/control.ts").Outcome} Outcome */

/**
 * @typedef {object} Verb
 * @property {string} name
 * @property {string} summary
 * @property {import("./fields.js").Schema} params
 */

/**
 * A verb's button and the form for its parameters.
 *
 * @param {Verb} verb
 * @param {(what: string, work: () => Promise<Node | string>) => void} run
 */
export function verbItem({ name, summary, params }, run) {
  const { nodes, read } = fieldsFor(params);
  /** @param {Event} event */
  const submit = (event) => {
    event.preventDefault();
    run(name, async () => renderResult(await send("POST", `verbs/${name}`, read() ?? {})));
  };
  const fields = el("details", {}, el("summary", {}, `Fields of ${name}`), nodes);
  const form = el(
    "form",
    { class: "verb", novalidate: true, submit },
    el("button", { "aria-describedby": `about-${name}` }, name),
    el("span", { class: "about", id: `about-${name}` }, summary),
    nodes.length > 0 && fields,
  );
  return el("li", {}, form);
}

/** @param {Outcome} outcome */
function renderResult({ result, events }) {
  const facts = Object.entries(result).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : String(value);
    return el("div", {}, el("dt", {}, name), el("dd", {}, el("code", {}, text || "none")));
  });
  const names = events.map((event) => event.name).join(", ");
  const sent = el("div", {}, el("dt", {}, "events"), el("dd", {}, names || "none"));
  return el("dl", { class: "facts" }, facts, sent);
}
