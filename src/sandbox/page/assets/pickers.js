import { get, send } from "./api.js";
import { labelOf } from "./kinds.js";
import { accounts, world } from "./world.js";

/** @typedef {import("./world.js").Resource} Resource */
/** @typedef {import("./fields.js").Choice} Choice */

/** The kind of resource whose id a parameter takes. */
export const KIND_OF_ID = /** @type {Record<string, string>} */ ({
  subaccountId: "subaccounts",
  cardId: "cards",
  subscriptionId: "card-subscriptions",
  feedId: "network-bulk-feeds",
  bankLinkId: "bank-links",
  bankAccountId: "bank-accounts",
  bankTransactionId: "bank-transactions",
  transactionId: "transactions",
  messageId: "transaction-messages",
});

/** The most resources that a picker tries. */
const MAX_TRIED = 50;

/**
 * Returns the choices of a verb's parameter: the resources with which the verb is possible.
 *
 * @param {string} verb
 * @param {Record<string, unknown>} params the parameters that are given already
 * @returns {import("./fields.js").Picker}
 */
export function pickerOf(verb, params) {
  return (name) => {
    if (name === "accountId") return Promise.resolve(accountChoices());
    if (name === "network") return Promise.resolve(networkChoices());
    const kind = KIND_OF_ID[name];
    return kind === undefined ? undefined : applicable(kind, name, verb, params);
  };
}

/** @returns {Choice[]} */
export function accountChoices() {
  return accounts().map(({ accountId }, at) => ({ value: accountId, label: `account ${at + 1}` }));
}

/** @returns {Choice[]} */
function networkChoices() {
  return Object.values(world.status?.networks ?? {}).map((code) => ({ value: code, label: code }));
}

/**
 * @param {string} kind
 * @param {string} name
 * @param {string} verb
 * @param {Record<string, unknown>} params
 * @returns {Promise<Choice[]>}
 */
async function applicable(kind, name, verb, params) {
  /** @type {Resource[]} */
  const found = await get(`resources/${kind}?limit=${MAX_TRIED}`);
  const calls = found.map(({ id }) => ({ verb, params: { ...params, [name]: id } }));
  const runs = await send("POST", "dry-runs", { calls });
  return found
    .filter((_, at) => runs[at].refusal === null)
    .map((resource) => ({ value: resource.id, label: labelOf(resource) }));
}
