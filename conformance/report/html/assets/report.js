const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const details = target.matches("details") ? target : target.querySelector(":scope > details");
  if (details) details.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", open);
open();

const status = document.getElementById("status");
const showStatus = (button, text) => {
  button.textContent = text;
  status.textContent = text;
  setTimeout(() => {
    button.textContent = "Copy";
  }, 2000);
};
for (const line of document.querySelectorAll(".curl")) {
  const code = line.querySelector("code");
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy the curl line");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      showStatus(button, "Copied");
    } catch {
      getSelection().selectAllChildren(code);
      showStatus(button, "Selected");
    }
  });
  line.append(button);
}
