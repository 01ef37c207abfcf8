import { FORM_STYLE } from "./form-style.js";

/** @typedef {{number: string, network: string, outcome: string}} TestCard */

/** @type {Record<string, string>} */
const OUTCOMES = {
  approve: "Approved",
  "sca-pass": "Approved after a challenge",
  "sca-fail": "Fails its challenge",
  decline: "Declined",
};

/** The enrollment form: a dialog over the page, isolated from the page's styles. */
export class Form {
  #host = document.createElement("div");
  #dialog = document.createElement("dialog");
  #content = document.createElement("div");
  #status = document.createElement("p");
  #cancel = button("Cancel", () => this.#dialog.close());
  #isOver = false;

  /** @param {string} companyName */
  constructor(companyName) {
    const root = this.#host.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(FORM_STYLE);
    root.adoptedStyleSheets = [style];
    const title = element("h2", `Enroll a card with ${companyName}`);
    title.id = "title";
    const note = element("p", "This is a sandbox: no real card is needed.");
    note.className = "note";
    this.#status.setAttribute("role", "status");
    this.#dialog.setAttribute("aria-labelledby", title.id);
    this.#dialog.append(title, note, this.#status, this.#content);
    root.append(this.#dialog);
  }

  /** @param {() => void} onCancel called when the cardholder closes the form by button or Escape */
  open(onCancel) {
    document.body.append(this.#host);
    this.#dialog.addEventListener("close", () => this.close(onCancel));
    this.#dialog.showModal();
    this.#wait("Connecting");
  }

  /**
   * Closes the form permanently. Only the first call runs its callback.
   *
   * @param {() => void} callback
   */
  close(callback) {
    if (this.#isOver) return;
    this.#isOver = true;
    // Close before removing the element: a removed dialog can't restore the focus.
    this.#dialog.close();
    this.#host.remove();
    callback();
  }

  /**
   * Asks the cardholder to choose a card.
   *
   * @param {readonly TestCard[]} cards
   * @returns {Promise<string>} the card's number
   */
  chooseCard(cards) {
    const fieldset = document.createElement("fieldset");
    fieldset.append(element("legend", "Test card"), ...cards.map(choice));
    return this.#submit("Enroll", fieldset, "Enrolling").then((form) => {
      return String(new FormData(form).get("card"));
    });
  }

  /** Asks the cardholder to confirm, like a bank's challenge. */
  async challenge() {
    const text = element("p", "Your bank asks you to confirm your identity.");
    await this.#submit("Confirm", text, "Confirming");
  }

  /**
   * Shows a form and resolves to it on submit.
   *
   * @param {string} action
   * @param {HTMLElement} content
   * @param {string} meanwhile
   * @returns {Promise<HTMLFormElement>}
   */
  #submit(action, content, meanwhile) {
    this.#status.textContent = "";
    const form = document.createElement("form");
    const submit = element("button", action);
    submit.className = "primary";
    const actions = document.createElement("div");
    actions.append(submit, this.#cancel);
    form.append(content, actions);
    this.#content.replaceChildren(form);
    (form.querySelector("input") ?? submit).focus();
    return new Promise((resolve) => {
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        resolve(form);
        this.#wait(meanwhile);
      });
    });
  }

  /** @param {string} what */
  #wait(what) {
    this.#content.replaceChildren(this.#cancel);
    this.#status.textContent = `${what} …`;
    this.#cancel.focus();
  }
}

/** @param {TestCard} card @param {number} index */
function choice({ number, network, outcome }, index) {
  const input = document.createElement("input");
  Object.assign(input, { type: "radio", name: "card", value: number, checked: index === 0 });
  const digits = element("span", number.replace(/(\d{4})(?=\d)/g, "$1 "));
  const label = document.createElement("label");
  const title = element("strong", OUTCOMES[outcome] ?? outcome);
  label.append(input, title, digits, element("span", network));
  return label;
}

/** @param {string} text @param {() => void} click */
function button(text, click) {
  const made = element("button", text);
  made.type = "button";
  made.addEventListener("click", click);
  return made;
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} text
 * @returns {HTMLElementTagNameMap[Name]}
 */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
