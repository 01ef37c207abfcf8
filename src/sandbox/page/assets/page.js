import { Clock, Controls } from "./controls.js";
import { find } from "./dom.js";
import { coalesced, listen } from "./live.js";
import { onShowEvents } from "./outcome.js";
import { Resources } from "./resources.js";
import { StoryPanel } from "./story.js";
import { Timeline } from "./timeline.js";
import { loadContract, refreshWorld } from "./world.js";

/** @typedef {import("../../control/control.ts").LoggedEvent} LoggedEvent */

/** Minimum interval between refreshes, in milliseconds. */
const REFRESH_APART_MS = 250;

const clock = new Clock();
const timeline = new Timeline();
const controls = new Controls(() => {
  story.restart();
  reload().catch(() => undefined);
});
const story = new StoryPanel({
  onEvents: (events) => timeline.highlight(events),
  onOpen: openEvent,
});
/** @type {Resources | undefined} */
let resources;

/** @param {string} panel */
function showPanel(panel) {
  document.body.dataset["panel"] = panel;
  for (const button of document.querySelectorAll("[data-opens]")) {
    const isOpen = button.getAttribute("data-opens") === panel;
    button.setAttribute("aria-pressed", String(isOpen));
  }
}

/** @param {LoggedEvent} event */
function openEvent(event) {
  if (isNarrow()) showPanel("timeline");
  timeline.open(event);
}

function isNarrow() {
  return matchMedia("(max-width: 64rem)").matches;
}

for (const button of document.querySelectorAll("[data-opens]")) {
  const panel = button.getAttribute("data-opens") ?? "";
  button.addEventListener("click", () => showPanel(panel));
}

onShowEvents(async (events) => {
  await timeline.highlight(events);
  if (events[0]) openEvent(events[0]);
});

const refresh = coalesced(REFRESH_APART_MS, async () => {
  try {
    const { last } = timeline;
    const { clock: reading, counts } = await refreshWorld();
    clock.show(reading);
    // A shorter log belongs to another world.
    if (counts.events < last) await reload();
    await Promise.all([resources?.refresh(), controls.refresh()]);
    timeline.draw();
  } catch {
    // The sandbox is unreachable. The stream reports it and refreshes after reconnecting.
  }
});

function reload() {
  timeline.clear();
  return timeline.catchUp();
}

/** @param {string} text @param {boolean} isLive */
function connection(text, isLive) {
  const place = find("#connection");
  if (place.textContent !== text) place.textContent = text;
  place.dataset["live"] = String(isLive);
}

/** Builds what depends on the verbs and the contract. */
async function prepare() {
  await Promise.all([loadContract(), refreshWorld()]);
  timeline.showFilter();
  controls.showFaults();
  resources = new Resources((resource, name) => {
    timeline.showOnly(resource, name);
    if (isNarrow()) showPanel("timeline");
  });
}

async function start() {
  try {
    if (!resources) await prepare();
    connection("Live", true);
    refresh();
    await timeline.catchUp();
  } catch {
    // The stream reports a lost connection and tries again.
  }
}

listen({
  onOpen: start,
  onEvent: (event) => {
    // A gap: the log was replaced, or the stream skipped events.
    if (event.seq > timeline.last + 1) reload().catch(() => undefined);
    else timeline.add([event]);
    refresh();
  },
  onChange: refresh,
  onLost: () => connection("Not connected; trying again", false),
});
