import { Actions, callsFor } from "./actions.js";
import { get } from "./api.js";
import { diagramOf } from "./diagram.js";
import { el, find } from "./dom.js";
import { headOf, KINDS } from "./kinds.js";
import { Rows } from "./rows.js";
import { world } from "./world.js";

/** @typedef {import("./world.js").Resource} Resource */
/** @typedef {import("./kinds.js").ResourceKind} ResourceKind */

/** The number of resources shown at first, and added by “Show more”. */
const STEP = 20;

/** The panel of the resources: a tab for each kind, and the latest ones of the chosen kind. */
export class Resources {
  #tabs = KINDS.map((kind) => new Tab(kind, () => this.#choose(kind)));
  #chosen = /** @type {Tab} */ (this.#tabs[0]);
  #showEvents;

  /** @param {(resource: Resource, name: string) => void} showEvents */
  constructor(showEvents) {
    this.#showEvents = showEvents;
    find("#kinds").append(...this.#tabs.map(({ button }) => button));
    for (const tab of this.#tabs) tab.showEvents = this.#showEvents;
    this.#choose(this.#chosen.kind);
  }

  /** @param {ResourceKind} kind */
  #choose(kind) {
    for (const tab of this.#tabs) {
      tab.button.setAttribute("aria-pressed", String(tab.kind === kind));
      if (tab.kind === kind) this.#chosen = tab;
    }
    find("#resource-list").replaceChildren(...this.#chosen.nodes);
    find("#creators").replaceChildren(this.#chosen.creators.node);
    this.refresh().catch(() => undefined);
  }

  /** Loads the resources of the chosen kind. */
  async refresh() {
    for (const tab of this.#tabs) tab.showCount();
    await this.#chosen.refresh();
  }
}

class Tab {
  kind;
  button;
  nodes;
  creators;
  /** @type {(resource: Resource, name: string) => void} */
  showEvents = () => undefined;
  #count = el("span", { class: "count" });
  #rows;
  #limit = STEP;
  #more;
  #empty;

  /** @param {ResourceKind} kind @param {() => void} choose */
  constructor(kind, choose) {
    this.kind = kind;
    this.button = el("button", { type: "button", click: choose }, kind.title, " ", this.#count);
    const list = el("ul", { class: "rows", "aria-label": kind.title });
    this.#rows = new Rows(list, {
      keyOf: (/** @type {Resource} */ { id }) => id,
      head: (shown) => headOf(kind, shown),
      // A card's head shows its subscription.
      versionOf: (shown) => [shown, headOf(kind, shown).map(({ textContent }) => textContent)],
      open: (shown) => detailOf(kind, shown, (one) => this.showEvents(one, kind.name(one))),
    });
    const click = () => {
      this.#limit += STEP;
      this.refresh().catch(() => undefined);
    };
    this.#more = el("button", { type: "button", class: "more", hidden: true, click }, "Show more");
    this.#empty = el("p", { class: "empty", hidden: true }, kind.empty);
    this.nodes = [list, this.#more, this.#empty];
    const verbs = world.verbs.filter(({ name }) => kind.creators.includes(name));
    const calls = verbs.map((verb) => ({ verb, params: {} }));
    this.creators = new Actions(calls, `Actions on ${kind.title.toLowerCase()}`);
  }

  showCount() {
    const counts = /** @type {Record<string, number>} */ (world.status?.counts ?? {});
    this.#count.textContent = (counts[this.kind.kind] ?? 0).toLocaleString("en");
  }

  async refresh() {
    /** @type {Resource[]} */
    const all = await get(`resources/${this.kind.kind}?limit=${this.#limit}`);
    this.#rows.show(all);
    this.#more.hidden = all.length < this.#limit;
    this.#empty.hidden = all.length > 0;
    await this.creators.refresh();
  }
}

/**
 * The content of an open row: facts, actions, and the state diagram.
 *
 * @param {ResourceKind} kind
 * @param {Resource} shown
 * @param {(shown: Resource) => void} showEvents
 */
function detailOf(kind, shown, showEvents) {
  let item = shown;
  const body = el("div", { class: "facts-of" });
  const name = kind.name(shown);
  const actions = new Actions(callsFor(kind.params(shown), shown.accountId), `Actions on ${name}`);
  const diagram = diagramOf(kind.diagram);
  const events = { type: "button", class: "quiet", click: () => showEvents(item) };
  const node = el(
    "div",
    { class: "detail" },
    body,
    actions.node,
    el("button", events, "Show its events"),
    diagram?.node,
  );
  let version = "";
  /** @param {Resource} next */
  const update = (next) => {
    item = next;
    actions.refresh().catch(() => undefined);
    const now = JSON.stringify([next, kind.stateOf(next)]);
    if (now === version) return;
    version = now;
    body.replaceChildren(...kind.body(next));
    diagram?.mark(kind.stateOf(next));
  };
  update(shown);
  return { node, update };
}
