import { send } from "./api.js";
import { find } from "./dom.js";

const actions = /** @type {HTMLElement | null} */ (document.querySelector("[data-bank-link]"));

/** @param {string} text @param {boolean} isOver */
function showOutcome(text, isOver) {
  find(".outcome").textContent = text;
  if (!isOver) return;
  actions?.remove();
  // The focused button was removed.
  find("main").focus();
}

/** @param {string} by */
async function connect(by) {
  const bankLinkId = actions?.dataset["bankLink"];
  try {
    await send("POST", "verbs/link-complete", { bankLinkId, by });
    const text =
      by === "polling" ? "Connected. No notification was sent." : "Your accounts are connected.";
    showOutcome(text, true);
  } catch (error) {
    showOutcome(error instanceof Error ? error.message : String(error), false);
  }
}

for (const button of document.querySelectorAll("[data-by]")) {
  const by = button.getAttribute("data-by") ?? "";
  button.addEventListener("click", () => connect(by));
}
document.querySelector("[data-cancel]")?.addEventListener("click", () => {
  showOutcome("You have cancelled. Nothing is shared.", true);
});
