import { get, send } from "./api.js";
import { el, fieldsOf, find } from "./dom.js";
import { fieldsFor } from "./fields.js";
import { facts, id, meta, moment } from "./format.js";
import { run } from "./outcome.js";
import { accountChoices } from "./pickers.js";
import { world } from "./world.js";

/** @typedef {import("../../control/control.ts").Endpoint} Endpoint */

/**
 * @param {string} selector
 * @param {string} what
 * @param {(fields: Record<string, string>, form: HTMLFormElement) => Promise<string>} work
 */
function onSubmit(selector, what, work) {
  const form = /** @type {HTMLFormElement} */ (find(selector));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(what, () => work(fieldsOf(form), form));
  });
}

/** The panel of the endpoints, faults, snapshots, the reset and the accounts. */
export class Controls {
  #faults = fieldsFor({}, () => undefined);
  #shown = "";

  /** @param {() => void} onReplaced is called when the whole state was replaced */
  constructor(onReplaced) {
    onSubmit("#add-endpoint", "Add the endpoint", async ({ url = "", events }, form) => {
      const names = events?.split(",").map((name) => name.trim());
      await send("POST", "endpoints", { url, events: names });
      form.reset();
      return `${url} receives the events from now on.`;
    });
    find("#replay-all").addEventListener("click", () => {
      run("Replay all", async () => {
        const { replayed } = await send("POST", "deliveries/replay");
        return replayed === 1
          ? "1 delivery is sent again."
          : `${replayed} deliveries are sent again.`;
      });
    });
    onSubmit("#faults-form", "Set the faults", async () => {
      const { api, deliveries, listLagMs } = await send("PUT", "faults", this.#faults.read() ?? {});
      const faults = api.length + deliveries.length;
      const set = faults === 1 ? "1 fault is set" : `${faults} faults are set`;
      return `${set}, and lists are delayed by ${listLagMs} ms.`;
    });
    find("#clear-faults").addEventListener("click", () => {
      run("Clear the faults", async () => {
        this.#faults.write(await send("PUT", "faults"));
        return "No faults are set.";
      });
    });
    onSubmit("#take-snapshot", "Save the snapshot", async ({ name = "" }, form) => {
      if (name === "") throw new Error("give the snapshot a name");
      await send("PUT", `snapshots/${encodeURIComponent(name)}`);
      form.reset();
      await this.#showSnapshots(onReplaced);
      return `The state is saved as ${name}.`;
    });
    onSubmit("#reset", "Reset", async ({ world: data, seed }) => {
      await send("POST", "reset", {
        world: data,
        seed: seed === undefined ? undefined : Number(seed),
      });
      onReplaced();
      return `The sandbox has the initial data "${data}".`;
    });
    find("#faults").addEventListener("toggle", () => this.#loadFaults());
    find("#snapshots").addEventListener("toggle", () => this.#showSnapshots(onReplaced));
  }

  /** Builds the form of the faults. */
  showFaults() {
    this.#faults = fieldsFor(/** @type {any} */ (world.contract.faults), () => undefined);
    find("#fault-fields").replaceChildren(...this.#faults.nodes);
  }

  async #loadFaults() {
    const faults = await get("faults").catch(() => ({}));
    this.#faults.write(faults);
  }

  /** @param {() => void} onReplaced */
  async #showSnapshots(onReplaced) {
    /** @type {string[]} */
    const names = await get("snapshots").catch(() => []);
    const items = names.map((name) => {
      const click = () =>
        run("Restore", async () => {
          await send("POST", `snapshots/${encodeURIComponent(name)}/restore`);
          onReplaced();
          return `The state of ${name} is restored.`;
        });
      const button = { type: "button", "aria-label": `Restore ${name}`, click };
      return el("li", { class: "line" }, el("code", {}, name), el("button", button, "Restore"));
    });
    find("#snapshot-list").replaceChildren(...items);
  }

  /** Loads the endpoints, and shows them and the accounts. */
  async refresh() {
    /** @type {Endpoint[]} */
    const endpoints = await get("endpoints");
    const shown = JSON.stringify([endpoints, accountChoices()]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    find("#endpoint-list").replaceChildren(...endpoints.map(endpointItem));
    const items = (world.status?.accounts ?? []).map((account, at) => {
      const values = Object.entries(account).map(([name, value]) => [name, id(value)]);
      const title = `Account ${at + 1}`;
      return el("div", {}, el("h3", {}, title), facts(Object.fromEntries(values)));
    });
    find("#accounts").replaceChildren(...items);
  }
}

/** @param {Endpoint} endpoint */
function endpointItem({ id: endpointId, url, events, secret, accountId }) {
  const click = () =>
    run("Remove", async () => {
      await send("DELETE", `endpoints/${endpointId}`);
      return "The endpoint is removed.";
    });
  const button = { type: "button", "aria-label": `Remove ${url}`, click };
  const account = accountChoices().find(({ value }) => value === accountId)?.label;
  return el(
    "li",
    {},
    el("p", { class: "line" }, el("span", { class: "url" }, url), el("button", button, "Remove")),
    meta(events === null ? "all events" : events.join(", "), account),
    facts({ secret: id(secret) }),
  );
}

/** Shows the sandbox's clock and its controls. */
export class Clock {
  /** @type {import("../../control/control.ts").ClockReading | undefined} */
  #reading;
  #readAt = 0;

  constructor() {
    setInterval(() => this.#draw(), 1000);
    for (const button of document.querySelectorAll("[data-advance]")) {
      const by = button.getAttribute("data-advance") ?? "";
      button.addEventListener("click", () => this.#advance(by));
    }
    onSubmit("#advance", "Advance", ({ by = "" }) => this.#advanceBy(by));
    onSubmit("#clock-mode", "Set the mode", async ({ mode }) => {
      this.show(await send("PUT", "clock", { mode }));
      return `The clock is ${mode}.`;
    });
  }

  /** @param {import("../../control/control.ts").ClockReading} reading */
  show(reading) {
    // Update the field only if the mode changed: the user may be selecting another.
    if (reading.mode !== this.#reading?.mode) {
      /** @type {HTMLSelectElement} */ (find("#mode-select")).value = reading.mode;
    }
    this.#reading = reading;
    this.#readAt = performance.now();
    const { nextDue } = reading;
    const due = nextDue === null ? ["Nothing is due"] : ["Next due ", moment(nextDue)];
    find("#next-due").replaceChildren(...due);
    this.#draw();
  }

  /** @param {string} by */
  #advance(by) {
    run("Advance", () => this.#advanceBy(by));
  }

  /** @param {string} by */
  async #advanceBy(by) {
    this.show(await send("POST", "clock/advance", { by }));
    return `The clock advanced by ${by}.`;
  }

  #draw() {
    if (!this.#reading) return;
    const { mode, now } = this.#reading;
    const passedMs = mode === "real" ? performance.now() - this.#readAt : 0;
    const time = new Date(Date.parse(now) + passedMs).toISOString();
    const place = find("#now");
    place.setAttribute("datetime", time);
    place.textContent = `${time.slice(0, 19).replace("T", " ")} UTC`;
    find("#mode").textContent = mode;
  }
}
