import { send } from "./api.js";
import { el } from "./dom.js";
import { fieldsFor } from "./fields.js";
import { remedyButton, runVerb } from "./outcome.js";
import { pickerOf } from "./pickers.js";
import { world } from "./world.js";

/** @typedef {import("../../control/control.ts").DryRun} DryRun */
/** @typedef {import("./world.js").Verb} Verb */

/** @typedef {{verb: Verb, params: Record<string, string>}} Call a verb and the given parameters */

let count = 0;

/**
 * The verbs that take one of these ids, with those that each takes.
 *
 * @param {Record<string, string>} ids
 * @param {string} accountId
 * @returns {Call[]}
 */
export function callsFor(ids, accountId) {
  return world.verbs.flatMap((verb) => {
    const taken = Object.entries(ids).filter(([name]) => name in propertiesOf(verb));
    return taken.length === 0
      ? []
      : [{ verb, params: { accountId, ...Object.fromEntries(taken) } }];
  });
}

/** @param {Verb} verb @returns {Record<string, import("./fields.js").Schema>} */
function propertiesOf({ params }) {
  return /** @type {any} */ (params)["properties"] ?? {};
}

/** The buttons of verbs. A verb that the sandbox would refuse is disabled, with the reason. */
export class Actions {
  node;
  #actions;

  /** @param {readonly Call[]} calls @param {string} label */
  constructor(calls, label) {
    this.#actions = calls.map((call) => new Action(call));
    const items = this.#actions.map(({ node }) => node);
    this.node = el("ul", { class: "actions", "aria-label": label }, items);
  }

  /** Asks the sandbox which verbs are possible. */
  async refresh() {
    const calls = this.#actions.map(({ call }) => ({ verb: call.verb.name, params: call.params }));
    if (calls.length === 0) return;
    /** @type {DryRun[]} */
    const runs = await send("POST", "dry-runs", { calls });
    for (const [at, action] of this.#actions.entries()) {
      action.update(runs[at] ?? { refusal: null, remedy: null });
    }
  }
}

class Action {
  node;
  call;
  #button;
  #about;
  #more;
  #remedy = el("span", {});
  /** @type {HTMLFormElement | undefined} */
  #form;
  #rest;
  /** @type {string[]} */
  #others = [];

  /** @param {Call} call */
  constructor(call) {
    this.call = call;
    const { verb, params } = call;
    const schema = /** @type {import("./fields.js").Schema} */ (verb.params);
    const others = Object.entries(propertiesOf(verb)).filter(([name]) => !(name in params));
    this.#rest = { ...schema, properties: Object.fromEntries(others) };
    count += 1;
    const id = `action-${count}`;
    // The values of an open form count, whichever button runs the verb.
    const run = () => {
      if (this.#form) this.#form.requestSubmit();
      else if (this.#needsForm) this.#toggle();
      else runVerb(verb.name, params);
    };
    const button = { type: "button", class: "verb", "aria-describedby": id, click: run };
    this.#button = el("button", button, verb.name);
    this.#about = el("p", { class: "about", id }, sentence(verb.summary));
    const options = {
      type: "button",
      class: "options",
      "aria-label": `Options of ${verb.name}`,
      "aria-expanded": "false",
      click: () => this.#toggle(),
    };
    this.#more = el("button", options, "Options");
    this.#more.hidden = others.length === 0;
    this.#others = others.map(([name]) => name);
    this.node = el("li", {}, this.#button, this.#about, this.#remedy, this.#more);
  }

  /** @param {DryRun} run */
  update({ refusal, remedy }) {
    const isRefused = refusal !== null && !this.#needsForm;
    this.#button.disabled = isRefused;
    // Another account may have a resource that the verb applies to.
    const canHelp = this.#others.includes("accountId") || !isRefused;
    this.#more.hidden = this.#others.length === 0 || !canHelp;
    const text = isRefused ? nameless(refusal, this.call.params) : this.call.verb.summary;
    this.#about.textContent = sentence(text);
    this.#about.classList.toggle("refusal", isRefused);
    this.#remedy.replaceChildren(...(isRefused && remedy ? [remedyButton(remedy)] : []));
  }

  get #needsForm() {
    return (this.#rest.required ?? []).length > 0;
  }

  #toggle() {
    if (this.#form) this.#form.remove();
    this.#form = this.#form ? undefined : this.#buildForm();
    this.#more.setAttribute("aria-expanded", String(this.#form !== undefined));
    if (!this.#form) return;
    this.node.append(this.#form);
    /** @type {HTMLElement | null} */ (this.#form.querySelector("select, input"))?.focus();
  }

  #buildForm() {
    const { verb, params } = this.call;
    const { nodes, read } = fieldsFor(this.#rest, pickerOf(verb.name, params));
    /** @param {Event} event */
    const submit = async (event) => {
      event.preventDefault();
      if (!(await runVerb(verb.name, { ...params, ...read() }))) return;
      if (this.#form) this.#toggle();
      this.#more.focus();
    };
    const label = `Parameters of ${verb.name}`;
    const button = el("button", { class: "primary" }, `Run ${verb.name}`);
    const form = { class: "form", "aria-label": label, novalidate: true, submit };
    return el("form", form, nodes, button);
  }
}

/**
 * Replaces "card subscription 02e0…" by "this card subscription": the row shows which.
 *
 * @param {string} text
 * @param {Record<string, string>} params
 */
function nameless(text, params) {
  const ids = Object.values(params);
  const words = text.split(" ");
  for (let at = words.length - 1; at > 0; at -= 1) {
    const id = ids.find((one) => words[at]?.startsWith(one));
    if (id === undefined) continue;
    words[at - 1] += words[at]?.slice(id.length) ?? "";
    words.splice(at, 1);
    let kind = at - 1;
    while (KIND_STARTS.has(words[kind - 1] ?? "")) kind -= 1;
    words.splice(kind, 0, "this");
  }
  return words.join(" ");
}

/** The first words of kinds such as "card subscription" and "network bulk feed". */
const KIND_STARTS = new Set(["bank", "card", "network", "bulk"]);

/** @param {string} text a text that starts in lower case and has no full stop */
function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
