import { get, send } from "./api.js";
import { el } from "./dom.js";
import { badge, moment } from "./format.js";
import { run } from "./outcome.js";
import { accounts, world } from "./world.js";

/** @typedef {import("../../control/control.ts").LoggedEvent} LoggedEvent */
/** @typedef {import("../../control/control.ts").Delivery} Delivery */
/** @typedef {import("../../control/control.ts").Attempt} Attempt */
/** @typedef {import("../../control/control.ts").Endpoint} Endpoint */

/**
 * The content of an open event: its requirements, its payload, how to fetch the resource again, and
 * its deliveries.
 *
 * @param {LoggedEvent} event
 */
export function eventDetail(event) {
  const { requirements = [] } = world.contract.events[event.name] ?? {};
  const deliveries = el("div", { class: "deliveries" });
  const payload = { class: "payload", tabindex: 0, role: "region", "aria-label": "Payload" };
  const ids = requirements.map((id) => el("li", {}, el("code", {}, id)));
  const node = el(
    "div",
    { class: "detail" },
    el("h3", {}, "Requirements"),
    el("ul", { class: "requirements", "aria-label": "Requirements" }, ids),
    el("h3", {}, "Payload"),
    el("pre", payload, JSON.stringify(event.body, null, 2)),
    el("h3", {}, "Fetch the resource again"),
    curl(event),
    el("h3", {}, "Deliveries"),
    deliveries,
  );
  let version = "";
  const update = async () => {
    const [found, endpoints] = await Promise.all([
      get(`deliveries?seq=${event.seq}`),
      get("endpoints"),
    ]);
    const now = JSON.stringify([found, endpoints]);
    if (now === version) return;
    version = now;
    const buttons = () => [...deliveries.querySelectorAll("button")];
    const focused = buttons().indexOf(/** @type {any} */ (document.activeElement));
    deliveries.replaceChildren(deliveryList(event, found, endpoints));
    buttons()[focused]?.focus();
  };
  const refresh = () => void update().catch(() => undefined);
  refresh();
  return { node, update: refresh };
}

/**
 * @param {LoggedEvent} event
 * @param {Delivery[]} deliveries
 * @param {Endpoint[]} endpoints
 */
function deliveryList({ name }, deliveries, endpoints) {
  if (deliveries.length === 0) {
    const text = "None. Add an endpoint under Controls; it receives later events.";
    return el("p", { class: "empty" }, text);
  }
  const items = deliveries.map(({ id, state, endpointId, attempts, dueAt }) => {
    const url = endpoints.find((one) => one.id === endpointId)?.url;
    const replay = {
      type: "button",
      "aria-label": `Replay ${name}`,
      click: () =>
        run("Replay", async () => {
          await send("POST", `deliveries/${id}/replay`);
          return "The delivery is sent again.";
        }),
    };
    return el(
      "li",
      {},
      el(
        "p",
        { class: "line" },
        el("span", { class: "url" }, url ?? "a removed endpoint"),
        badge(state),
      ),
      attempts.length > 0 && el("ol", { "aria-label": "Attempts" }, attempts.map(attempt)),
      dueAt !== null && el("p", { class: "meta" }, "Next attempt: ", moment(dueAt)),
      el("button", replay, "Replay"),
    );
  });
  return el("ul", { "aria-label": "Deliveries" }, items);
}

/** @param {Attempt} attempt */
function attempt({ at, status, error, durationMs }) {
  const outcome = status === null ? (error ?? "no response") : `status ${status}`;
  const why = status !== null && error !== null ? `: ${error}` : "";
  return el("li", {}, moment(at), ` ${outcome}${why}, ${Math.round(durationMs)} ms`);
}

/**
 * A command that fetches the event's resource, with a button that copies it.
 *
 * @param {LoggedEvent} event
 */
function curl(event) {
  const region = { class: "curl", tabindex: 0, role: "region", "aria-label": "curl" };
  const line = el("pre", region, "Loading");
  const copied = el("span", { role: "status" });
  const copy = async () => {
    copied.textContent = (await copyText(line)) ? "Copied." : "Press Ctrl+C to copy.";
  };
  const button = el("button", { type: "button", click: copy }, "Copy");
  pathOf(event).then(
    (path) => {
      line.textContent = commandFor(path, event.accountId);
    },
    (error) => {
      line.textContent = error.message;
    },
  );
  return el("div", {}, line, el("p", { class: "copy" }, button, copied));
}

/** The path of the event's resource. @param {LoggedEvent} event @returns {Promise<string>} */
async function pathOf({ name, body: unknown }) {
  const body = /** @type {any} */ (unknown);
  const { kind } = world.contract.events[name];
  if (kind === null) return body._links.message.href;
  if (world.contract.listed.includes(kind)) return `/${kind}`;
  if (body._links?.self) return body._links.self.href;
  const id = body.matchId ?? body.bankAccountId;
  const resource = await get(`resources/${kind}/${name.startsWith("bankt") ? body.id : id}`);
  return resource.body._links.self.href;
}

/** @param {string} path @param {string} accountId */
function commandFor(path, accountId) {
  const account = accounts().find((one) => one.accountId === accountId);
  const { origin } = location;
  const token = [
    "curl -s -d grant_type=client_credentials",
    `-d client_id=${account?.clientId} -d client_secret=${account?.clientSecret}`,
    `${origin}/auth/realms/${accountId}/protocol/openid-connect/token`,
    `| sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/'`,
  ].join(" ");
  return `curl -s -H "Authorization: Bearer $(${token})" ${origin}${path}`;
}

/**
 * Copies the text of an element, or selects it if the browser does not allow it.
 *
 * @param {HTMLElement} element
 */
async function copyText(element) {
  getSelection()?.selectAllChildren(element);
  try {
    await navigator.clipboard.writeText(element.textContent ?? "");
    return true;
  } catch {
    return false;
  }
}
