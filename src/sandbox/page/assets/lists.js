import { get, send } from "./api.js";
import { delivery, endpoint } from "./deliveries.js";
import { el, find, List } from "./dom.js";
import { bankAccount, bankLink, bankTransaction, feed, subscription } from "./enrollment.js";
import { badge } from "./format.js";
import { run } from "./outcome.js";
import { match, transaction } from "./transactions.js";

/** @typedef {import("../../control/control.ts").Endpoint} Endpoint */
/** @typedef {import("../../control/control.ts").Delivery} Delivery */
/** @typedef {import("./deliveries.js").Addressed} Addressed */

/** Number of items shown at first and added by each “Show more”. */
const STEP = 10;

/** @type {Record<string, (shown: any) => HTMLElement>} */
const KINDS = {
  transactions: transaction,
  "transaction-matches": match,
  "card-subscriptions": subscription,
  "network-bulk-feeds": feed,
  "bank-links": bankLink,
  "bank-accounts": bankAccount,
  "bank-transactions": bankTransaction,
};

/** A list of the latest items with a “Show more” button. */
class Latest {
  #limit = STEP;
  #load;
  #list;
  #more;

  /**
   * @param {string} kind
   * @param {(limit: number) => Promise<readonly {id: string}[]>} load
   * @param {(item: any) => HTMLElement} build
   */
  constructor(kind, load, build) {
    const parent = find(`[data-kind="${kind}"]`);
    this.#load = load;
    /** @type {List<{id: string}>} */
    this.#list = new List(parent, ({ id }) => id, build);
    const click = () => {
      this.#limit += STEP;
      run("Show more", async () => `showing ${await this.refresh()}`);
    };
    const name = `Show more ${kind.replaceAll("-", " ")}`;
    this.#more = el("button", { type: "button", class: "more", hidden: true, click }, name);
    parent.after(this.#more);
  }

  /** Loads and shows the items, and their count. */
  async refresh() {
    const items = await this.#load(this.#limit);
    this.#list.show(items);
    this.#more.hidden = items.length < this.#limit;
    return items.length;
  }
}

/**
 * Creates the page's lists and returns a function that refreshes them.
 *
 * @param {(accountId: string) => string | undefined} nameOfOther returns an account's name, except
 * for the first account, which is the verbs' default
 * @returns {() => Promise<void>}
 */
export function makeLists(nameOfOther) {
  const resources = Object.entries(KINDS).map(([kind, build]) => {
    const load = (/** @type {number} */ limit) => get(`resources/${kind}?limit=${limit}`);
    return new Latest(kind, load, (shown) => {
      const node = build(shown);
      const other = nameOfOther(shown.accountId);
      if (other) node.firstElementChild?.append(badge(other));
      return node;
    });
  });
  /** @type {List<Endpoint>} */
  const endpoints = new List(
    find("#endpoint-list"),
    ({ id }) => id,
    (one) => endpoint(one, remove),
  );
  const deliveries = new Latest("deliveries", addressed, (one) => delivery(one, replay));
  find("#replay-all").addEventListener("click", () => replay(undefined));
  return async () => {
    await Promise.all([
      ...resources.map((list) => list.refresh()),
      deliveries.refresh(),
      get("endpoints").then((all) => endpoints.show(all)),
    ]);
  };
}

/** @param {number} limit @returns {Promise<Addressed[]>} */
async function addressed(limit) {
  const query = get(`deliveries?limit=${limit}`);
  /** @type {[Delivery[], Endpoint[]]} */
  const [deliveries, endpoints] = await Promise.all([query, get("endpoints")]);
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]));
  return deliveries.map((one) => {
    return { ...one, url: urls.get(one.endpointId) ?? "an endpoint that was removed" };
  });
}

/** @param {string | undefined} id */
function replay(id) {
  run("Replay", async () => {
    const path = id === undefined ? "deliveries/replay" : `deliveries/${id}/replay`;
    const { replayed } = await send("POST", path);
    return `${replayed} ${replayed === 1 ? "delivery is" : "deliveries are"} under way`;
  });
}

/** @param {string} id */
function remove(id) {
  run("Remove", async () => {
    await send("DELETE", `endpoints/${id}`);
    return "the endpoint is removed";
  });
}
