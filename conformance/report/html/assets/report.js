const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const own = target.matches("details") ? target : target.querySelector(":scope > details");
  if (own) own.open = true;
  for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) {
    one.open = true;
  }
  target.scrollIntoView();
};
addEventListener("hashchange", open);
open();

const status = document.getElementById("status");

const search = document.getElementById("search");
const rows = Array.from(document.querySelectorAll(".requirement"), (row) => ({
  row,
  own: row.querySelector(":scope > summary").textContent.toLowerCase(),
  claims: Array.from(row.querySelectorAll(".claims > li"), (claim) => ({
    claim,
    text: claim.textContent.toLowerCase(),
  })),
}));
const find = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (text) => words.length > 0 && words.every((word) => text.includes(word));
  document.body.classList.toggle("searching", words.length > 0);
  let found = 0;
  for (const { row, own, claims } of rows) {
    let isFound = matches(own);
    for (const { claim, text } of claims) {
      const isHere = matches(text);
      claim.classList.toggle("found", isHere);
      if (isHere && !isFound) row.open = true;
      isFound ||= isHere;
    }
    row.classList.toggle("found", isFound);
    if (isFound) found += 1;
  }
  status.textContent =
    words.length > 0 ? `${found} requirement${found === 1 ? "" : "s"} found` : "";
};
search.parentElement.hidden = false;
search.addEventListener("input", find);
