import { get, send } from "./api.js";
import { Clock } from "./clock.js";
import { el, fieldsOf, find, List } from "./dom.js";
import { EventLog, KEPT_EVENTS } from "./event-log.js";
import { id } from "./format.js";
import { makeLists } from "./lists.js";
import { coalesced, listen } from "./live.js";
import { run } from "./outcome.js";
import { verbItem } from "./verbs.js";

/** @typedef {import("../../control/control.ts").SandboxStatus} SandboxStatus */

/** Minimum interval between refreshes, in milliseconds. */
const REFRESH_APART_MS = 250;

const clock = new Clock();
const log = new EventLog();
/** @type {string[]} */
let accountIds = [];
const refreshLists = makeLists((accountId) => {
  const place = accountIds.indexOf(accountId);
  return place > 0 ? `account ${place + 1}` : undefined;
});

/** @typedef {SandboxStatus["accounts"][number]} Account */
/** @type {List<Account>} */
const accountList = new List(find("#accounts"), ({ accountId }) => accountId, account);

const refresh = coalesced(REFRESH_APART_MS, async () => {
  try {
    const { last } = log;
    /** @type {SandboxStatus} */
    const status = await get("status");
    showStatus(status);
    // A shorter log belongs to another world.
    if ((status.counts.events ?? 0) < last) await reload();
    await refreshLists();
  } catch {
    // The sandbox is unreachable. The stream reports it and refreshes after reconnecting.
  }
});

/** @param {SandboxStatus} status */
function showStatus({ accounts, counts, clock: reading }) {
  clock.show(reading);
  accountIds = accounts.map(({ accountId }) => accountId);
  const { transactions = 0, events = 0, deliveries = 0 } = counts;
  const numbers = [transactions, events, deliveries].map((number) => number.toLocaleString("en"));
  find("#counts").textContent =
    `${numbers[0]} transactions, ${numbers[1]} events, ${numbers[2]} deliveries`;
  accountList.show(accounts);
}

/** @param {Account} credentials */
function account(credentials) {
  const facts = Object.entries(credentials).map(([name, value]) => {
    return el("div", {}, el("dt", {}, name), el("dd", {}, id(value)));
  });
  const title = `Account ${accountIds.indexOf(credentials.accountId) + 1}`;
  return el("section", { "aria-label": title }, el("h3", {}, title), el("dl", {}, facts));
}

/** Shows the latest events of the log that are not shown yet. */
async function catchUp() {
  const { counts } = await get("status");
  const after = Math.max(log.last, (counts.events ?? 0) - KEPT_EVENTS);
  log.add(await get(`events?after=${after}&limit=${KEPT_EVENTS}`));
}

function reload() {
  log.clear();
  return catchUp();
}

/** @param {string} text @param {boolean} isLive */
function connection(text, isLive) {
  const place = find("#connection");
  if (place.textContent !== text) place.textContent = text;
  place.dataset["live"] = String(isLive);
}

/**
 * @param {string} selector
 * @param {string} what
 * @param {(fields: Record<string, string>) => Promise<string>} work
 */
function onSubmit(selector, what, work) {
  const form = /** @type {HTMLFormElement} */ (find(selector));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run(what, () => work(fieldsOf(form)));
  });
}

onSubmit("#add-endpoint", "Add", async ({ url = "", events }) => {
  const names = events?.split(",").map((name) => name.trim());
  await send("POST", "endpoints", { url, events: names });
  return `${url} receives events from now on`;
});

onSubmit("#reset", "Reset", async ({ world, seed }) => {
  await send("POST", "reset", { world, seed: seed === undefined ? undefined : Number(seed) });
  await reload();
  return `the sandbox is reset to the initial data "${world}"`;
});

async function showVerbs() {
  const verbs = await get("verbs");
  find("#verbs").replaceChildren(
    ...verbs.map((/** @type {import("./verbs.js").Verb} */ verb) => verbItem(verb, run)),
  );
}

if (matchMedia("(max-width: 50rem)").matches) find(".fold").removeAttribute("open");
clock.start();
listen({
  onOpen: () => {
    connection("Live", true);
    refresh();
    catchUp().catch(() => undefined);
    if (find("#verbs").childElementCount === 0) showVerbs().catch(() => undefined);
  },
  onEvent: (event) => {
    // A gap: the log was replaced, or the stream skipped events.
    if (event.seq > log.last + 1) reload().catch(() => undefined);
    else log.add([event]);
    refresh();
  },
  onChange: refresh,
  onLost: () => connection("Not connected; trying again", false),
});
