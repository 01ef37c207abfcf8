import { send } from "./api.js";
import { fieldsOf, find } from "./dom.js";
import { moment } from "./format.js";
import { run } from "./outcome.js";

/** @typedef {import("../../control/control.ts").ClockReading} ClockReading */

/** Shows the sandbox's clock and its controls. */
export class Clock {
  /** @type {ClockReading | undefined} */
  #reading;
  #readAt = 0;

  start() {
    setInterval(() => this.#draw(), 1000);
    for (const button of document.querySelectorAll("[data-advance]")) {
      const by = button.getAttribute("data-advance") ?? "";
      button.addEventListener("click", () => this.#advance(by));
    }
    const advance = /** @type {HTMLFormElement} */ (find("#advance"));
    advance.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#advance(fieldsOf(advance)["by"] ?? "");
    });
    const mode = /** @type {HTMLFormElement} */ (find("#clock-mode"));
    mode.addEventListener("submit", (event) => {
      event.preventDefault();
      run("Clock", async () => {
        this.show(await send("PUT", "clock", fieldsOf(mode)));
        return `the clock is ${this.#reading?.mode}`;
      });
    });
  }

  /** @param {ClockReading} reading */
  show(reading) {
    // Update the field only if the mode changed: the user may be selecting another.
    if (reading.mode !== this.#reading?.mode) {
      const select = /** @type {HTMLSelectElement} */ (find("#mode-select"));
      select.value = reading.mode;
    }
    this.#reading = reading;
    this.#readAt = performance.now();
    const { nextDue } = reading;
    const due = nextDue === null ? ["Nothing is due."] : ["Next due: ", moment(nextDue), " UTC"];
    find("#next-due").replaceChildren(...due);
    this.#draw();
  }

  /** @param {string} by */
  #advance(by) {
    run("Advance", async () => {
      this.show(await send("POST", "clock/advance", { by }));
      return `the clock advanced by ${by}`;
    });
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
