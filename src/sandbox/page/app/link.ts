import { control, failureOf } from "./api.ts";

const actions = document.querySelector<HTMLElement>("[data-bank-link]");
const main = document.querySelector("main");
const outcome = document.querySelector("[role=status]");

function show(text: string): void {
  if (outcome) outcome.textContent = text;
}

/** Shows the outcome in place of the buttons. */
function end(text: string): void {
  show(text);
  actions?.remove();
  // The focused button was removed.
  main?.focus();
}

async function connect(by: string): Promise<void> {
  try {
    await control.trigger("link-complete", { bankLinkId: actions?.dataset["bankLink"], by });
    end(by === "polling" ? "Connected. No notification was sent." : "Your accounts are connected.");
  } catch (error) {
    show(failureOf(error).text);
  }
}

for (const button of document.querySelectorAll<HTMLElement>("[data-by]")) {
  button.addEventListener("click", () => connect(button.dataset["by"] ?? ""));
}
document.querySelector("[data-cancel]")?.addEventListener("click", () => {
  end("You have cancelled. Nothing is shared.");
});
