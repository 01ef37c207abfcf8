import { type ComponentChildren, render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { TestCard } from "../routes.ts";
import { FORM_STYLE } from "./form-style.ts";

const OUTCOMES: Readonly<Record<TestCard["outcome"], string>> = {
  approve: "Approved",
  "sca-pass": "Approved after a challenge",
  "sca-fail": "Fails its challenge",
  decline: "Declined",
};

/** What the form asks, or says while the cardholder waits. */
interface Step {
  readonly status?: string;
  readonly content?: ComponentChildren;
  /** The text of the button. */
  readonly action?: string;
  readonly submit?: (form: HTMLFormElement) => void;
}

/** The enrollment form: a dialog over the page, isolated from the page's styles. */
export class Form {
  #companyName: string;
  #host = document.createElement("div");
  #root = this.#host.attachShadow({ mode: "open" });
  #onCancel: () => void = () => undefined;
  #isOver = false;

  constructor(companyName: string) {
    this.#companyName = companyName;
    const style = new CSSStyleSheet();
    style.replaceSync(FORM_STYLE);
    this.#root.adoptedStyleSheets = [style];
  }

  /** @param onCancel called when the cardholder closes the form by button or Escape */
  open(onCancel: () => void): void {
    this.#onCancel = onCancel;
    document.body.append(this.#host);
    this.#show({ status: "Connecting …" });
  }

  /** Closes the form permanently. Only the first call runs its callback. */
  close(callback: () => void): void {
    if (this.#isOver) return;
    this.#isOver = true;
    // Close before removing the element: a removed dialog can't restore the focus.
    this.#root.querySelector("dialog")?.close();
    this.#host.remove();
    callback();
  }

  /** Asks the cardholder to choose a card. Resolves with its number. */
  async chooseCard(cards: readonly TestCard[]): Promise<string> {
    const content = (
      <fieldset>
        <legend>Test card</legend>
        {cards.map(({ number, network, outcome }, at) => (
          <label key={number}>
            <input type="radio" name="card" value={number} defaultChecked={at === 0} />
            <strong>{OUTCOMES[outcome]}</strong>
            <span>{number.replace(/(\d{4})(?=\d)/g, "$1 ")}</span>
            <span>{network}</span>
          </label>
        ))}
      </fieldset>
    );
    const form = await this.#ask("Enroll", content, "Enrolling …");
    return String(form.get("card"));
  }

  /** Asks the cardholder to confirm, like a bank's challenge. */
  async challenge(): Promise<void> {
    const content = <p>Your bank asks you to confirm your identity.</p>;
    await this.#ask("Confirm", content, "Confirming …");
  }

  /** Resolves with the form when it is submitted, and shows a status meanwhile. */
  #ask(action: string, content: ComponentChildren, status: string): Promise<FormData> {
    return new Promise((resolve) => {
      const submit = (form: HTMLFormElement) => {
        resolve(new FormData(form));
        this.#show({ status });
      };
      this.#show({ content, action, submit });
    });
  }

  #show(step: Step): void {
    const cancel = () => this.close(this.#onCancel);
    render(<Dialog companyName={this.#companyName} step={step} cancel={cancel} />, this.#root);
  }
}

function Dialog(props: { companyName: string; step: Step; cancel: () => void }) {
  const { status, content, action, submit } = props.step;
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  useLayoutEffect(
    () => form.current?.querySelector<HTMLElement>("input, button")?.focus(),
    [props.step],
  );
  return (
    <dialog ref={dialog} aria-labelledby="title" onClose={props.cancel}>
      <h2 id="title">Enroll a card with {props.companyName}</h2>
      <p class="note">This is a sandbox: no real card is needed.</p>
      <p role="status">{status}</p>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          submit?.(event.currentTarget);
        }}
      >
        {content}
        {action && (
          <button type="submit" class="primary">
            {action}
          </button>
        )}
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </form>
    </dialog>
  );
}
