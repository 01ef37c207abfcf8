import { get, Refused, send } from "./api.js";
import { el, find } from "./dom.js";
import { remedyButton } from "./outcome.js";
import { STORIES } from "./stories.js";

/** @typedef {import("../../control/control.ts").LoggedEvent} LoggedEvent */
/** @typedef {import("./stories.js").Reference} Reference */
/** @typedef {import("./stories.js").Call} Call */

/**
 * @typedef {object} Listener
 * @property {(events: LoggedEvent[]) => void} onEvents the events that a step sent
 * @property {(event: LoggedEvent) => void} onOpen the user wants to see an event
 */

/** The panel that plays a story, one step at a time. */
export class StoryPanel {
  #listener;
  #select = /** @type {HTMLSelectElement} */ (find("#story-select"));
  #button = /** @type {HTMLButtonElement} */ (find("#story-next"));
  #again = /** @type {HTMLButtonElement} */ (find("#story-again"));
  /** @type {LoggedEvent[][]} the events of each step that is done */
  #done = [];
  /** @type {Map<string, {result: Record<string, unknown>, events: LoggedEvent[]}>} */
  #outcomes = new Map();
  /** @type {Error | undefined} */
  #error;
  /** The calls of the current step that are done, and their events. */
  #calls = 0;
  /** @type {LoggedEvent[]} */
  #events = [];
  /** Counts restarts: a step that ends after one belongs to the past. */
  #round = 0;

  /** @param {Listener} listener */
  constructor(listener) {
    this.#listener = listener;
    const options = STORIES.map(({ title }, at) => el("option", { value: at }, title));
    this.#select.replaceChildren(...options);
    this.#select.addEventListener("change", () => this.restart());
    this.#button.addEventListener("click", () => this.#next());
    this.#again.addEventListener("click", () => {
      this.restart();
      this.#button.focus();
    });
    this.restart();
  }

  /** Starts the chosen story again. */
  restart() {
    this.#round += 1;
    this.#done = [];
    this.#outcomes.clear();
    this.#startStep();
    this.#button.removeAttribute("aria-disabled");
    this.#draw();
    find("#story-status").textContent = "";
  }

  #startStep() {
    this.#calls = 0;
    this.#events = [];
    this.#error = undefined;
  }

  get #story() {
    return /** @type {import("./stories.js").Story} */ (STORIES[Number(this.#select.value)]);
  }

  async #next() {
    if (this.#button.getAttribute("aria-disabled") === "true") return;
    const step = this.#story.steps[this.#done.length];
    if (!step) {
      this.#select.value = String((Number(this.#select.value) + 1) % STORIES.length);
      this.restart();
      return;
    }
    this.#button.setAttribute("aria-disabled", "true");
    const round = this.#round;
    try {
      // A step that was refused in the middle continues there.
      for (const call of step.calls.slice(this.#calls)) {
        const sent = await this.#run(call, round);
        if (round !== this.#round) return;
        this.#calls += 1;
        this.#events.push(...sent);
      }
      const events = this.#events;
      this.#startStep();
      this.#done.push(events);
      this.#listener.onEvents(events);
      const sent = events.length === 1 ? "1 event" : `${events.length} events`;
      const { steps } = this.#story;
      find("#story-status").textContent =
        `Step ${this.#done.length} of ${steps.length} is done. It sent ${sent}.`;
    } catch (error) {
      if (round !== this.#round) return;
      this.#error = /** @type {Error} */ (error);
    }
    this.#button.removeAttribute("aria-disabled");
    this.#draw();
  }

  /** @param {Call} call @param {number} round @returns {Promise<LoggedEvent[]>} */
  async #run({ as, verb, params = {}, advance }, round) {
    if (advance !== undefined) {
      const { counts } = await get("status");
      await send("POST", "clock/advance", { by: advance });
      return get(`events?after=${counts.events}`);
    }
    const given = Object.entries(params).map(([name, value]) => [name, this.#resolve(value)]);
    const outcome = await send("POST", `verbs/${verb}`, Object.fromEntries(given));
    if (as !== undefined && round === this.#round) this.#outcomes.set(as, outcome);
    return outcome.events;
  }

  /** The value of a reference. @param {unknown} value */
  #resolve(value) {
    const { of, field, event } = /** @type {Partial<Reference>} */ (Object(value));
    if (of === undefined || field === undefined) return value;
    const { result = {}, events = [] } = this.#outcomes.get(of) ?? {};
    const body = events.find(({ name }) => name === event)?.body;
    const found = event === undefined ? result[field] : Object(body)[field];
    return Array.isArray(found) ? found[0] : found;
  }

  #draw() {
    const { about, steps } = this.#story;
    find("#story-about").textContent = about;
    const at = this.#done.length;
    const items = steps.map(({ sentence }, index) => {
      const current = index === at ? "step" : null;
      const state = index < at ? "done" : index === at ? "current" : "later";
      const events = this.#done[index];
      return el(
        "li",
        { "aria-current": current, "data-state": state },
        el("p", {}, state === "done" && el("span", { class: "tick" }, "Done. "), sentence),
        events && this.#eventList(events, index === at - 1),
        index === at && this.#error && this.#problem(this.#error),
      );
    });
    find("#steps").replaceChildren(...items);
    find("#steps [aria-current], #steps > :last-child").scrollIntoView({ block: "nearest" });
    this.#button.textContent = steps[at]?.button ?? "Next story";
    this.#again.hidden = at === 0;
  }

  /** @param {LoggedEvent[]} events @param {boolean} isLatest */
  #eventList(events, isLatest) {
    if (events.length === 0) return el("p", { class: "meta" }, "It sent no events.");
    // Earlier steps are short, so that the whole story fits on a screen.
    const shown = isLatest ? events : events.slice(0, 1);
    const items = shown.map((event) => {
      const click = () => this.#listener.onOpen(event);
      const label = isLatest || events.length === 1 ? event.name : `${events.length} events`;
      return el("li", {}, el("button", { type: "button", class: "chip", click }, label));
    });
    return el("ul", { class: "chips", "aria-label": "Events of this step" }, items);
  }

  /** @param {Error} error */
  #problem(error) {
    const remedy = error instanceof Refused ? error.remedy : undefined;
    return el(
      "div",
      { class: "refusal", role: "alert" },
      `${error.message}.`,
      remedy && remedyButton(remedy),
    );
  }
}
