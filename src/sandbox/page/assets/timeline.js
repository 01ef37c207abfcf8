import { get } from "./api.js";
import { el, find } from "./dom.js";
import { eventDetail } from "./event-detail.js";
import { EventNames } from "./event-names.js";
import { meta, moment } from "./format.js";
import { Rows } from "./rows.js";
import { otherAccount, world } from "./world.js";

/** @typedef {import("../../control/control.ts").LoggedEvent} LoggedEvent */

/** Maximum number of events on the page. */
const KEPT_EVENTS = 200;

/** The panel of the events, the latest first. */
export class Timeline {
  /** @type {LoggedEvent[]} oldest first */
  #events = [];
  #names = new EventNames();
  #isDrawing = false;
  /** @type {Set<number>} the events of the last action */
  #fresh = new Set();
  /** @type {{id: string, name: string} | undefined} the only resource to show */
  #resource;
  /** @type {Rows<LoggedEvent>} */
  #rows;
  #filter = /** @type {HTMLSelectElement} */ (find("#event-filter"));

  constructor() {
    this.#rows = new Rows(find("#event-list"), {
      keyOf: ({ seq }) => String(seq),
      head: (event) => this.#head(event),
      versionOf: (event) => [this.#about(event), this.#fresh.has(event.seq)],
      open: eventDetail,
    });
    this.#filter.addEventListener("change", () => {
      if (this.#filter.value !== "resource") this.#resource = undefined;
      this.draw();
    });
  }

  /** Fills the filter with the kinds of resources that have events. */
  showFilter() {
    const kinds = new Set(Object.values(world.contract.events).map(({ kind }) => kind ?? ""));
    const options = [...kinds].map((kind) => {
      const words = kind.replaceAll("-", " ") || "enrichment";
      return el(
        "option",
        { value: `kind:${kind}` },
        words.charAt(0).toUpperCase() + words.slice(1),
      );
    });
    this.#filter.replaceChildren(el("option", { value: "" }, "All resources"), ...options);
  }

  /** The position of the latest event. */
  get last() {
    return this.#events.at(-1)?.seq ?? 0;
  }

  /** Shows only the events about a resource. @param {{id: string}} resource @param {string} name */
  showOnly({ id }, name) {
    this.#resource = { id, name };
    this.#filter.querySelector("[value=resource]")?.remove();
    this.#filter.append(el("option", { value: "resource" }, `Only ${name}`));
    this.#filter.value = "resource";
    this.draw();
  }

  /** Marks the events of the last action. @param {readonly LoggedEvent[]} events */
  async highlight(events) {
    this.#fresh = new Set(events.map(({ seq }) => seq));
    // The stream may not have brought them yet, nor earlier events, which must come first.
    await this.catchUp().catch(() => undefined);
    this.draw();
  }

  /** Opens the row of an event. @param {LoggedEvent} event */
  open({ seq }) {
    if (this.#rows.open(String(seq))) return;
    this.#filter.value = "";
    this.draw();
    this.#rows.open(String(seq));
  }

  clear() {
    this.#events = [];
    this.#fresh.clear();
    this.#names.clear();
    this.draw();
  }

  /** @param {readonly LoggedEvent[]} events oldest first; events already shown are skipped */
  add(events) {
    const fresh = events.filter(({ seq }) => seq > this.last);
    for (const event of fresh) this.#names.learn(event);
    this.#events = [...this.#events, ...fresh].slice(-KEPT_EVENTS);
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.draw();
    });
  }

  /** Loads the latest events that are not shown yet. */
  async catchUp() {
    const { counts } = await get("status");
    const after = Math.max(this.last, counts.events - KEPT_EVENTS);
    this.add(await get(`events?after=${after}&limit=${KEPT_EVENTS}`));
  }

  draw() {
    const shown = this.#events.filter((event) => this.#isShown(event)).reverse();
    this.#rows.show(shown);
    find("#no-events").hidden = shown.length > 0;
    find("#no-events").textContent =
      this.#events.length === 0
        ? "Events appear here. Run the first step of a story, or any action."
        : "No event among the latest 200 is about this. Choose all resources above.";
  }

  /** @param {LoggedEvent} event */
  #isShown({ name, resource, body }) {
    const { value } = this.#filter;
    if (value === "") return true;
    if (value === "resource") {
      const { id = "" } = this.#resource ?? {};
      return resource === id || JSON.stringify(body).includes(id);
    }
    return `kind:${world.contract.events[name]?.kind ?? ""}` === value;
  }

  /** @param {LoggedEvent} event */
  #about(event) {
    return { ...this.#names.about(event), account: otherAccount(event.accountId) };
  }

  /** @param {LoggedEvent} event */
  #head(event) {
    const { what, card, amount, account } = this.#about(event);
    const fresh = el("span", { class: "fresh" }, "new");
    return [
      el(
        "span",
        { class: "line" },
        el("strong", { class: "name" }, event.name),
        this.#fresh.has(event.seq) && fresh,
        amount !== undefined && el("span", { class: "amount" }, amount),
      ),
      meta(moment(event.at), what, card, account),
    ];
  }
}
