import { get } from "./api.js";
import { shortId } from "./format.js";

/** @typedef {import("../../control/control.ts").SandboxStatus} SandboxStatus */
/** @typedef {import("../../control/control.ts").ShownResource} Resource */
/** @typedef {import("../../control/control.ts").VerbDescription} Verb */
/** @typedef {import("../contract.ts").PageContract} PageContract */

/** The most resources of a kind that name others. */
const MAX_NAMED = 200;

/** The kinds whose resources name others. */
const NAMING = ["cards", "card-subscriptions", "bank-accounts", "subaccounts"];

/** What the whole page knows of the sandbox. */
export const world = {
  /** @type {SandboxStatus | undefined} */
  status: undefined,
  /** @type {readonly Verb[]} */
  verbs: [],
  /** @type {PageContract} */
  contract: /** @type {any} */ ({ events: {}, diagrams: {}, listed: [], faults: {} }),
  /** @type {Map<string, any>} cards, subscriptions, bank accounts and subaccounts, by id */
  byId: new Map(),
};

/** Reads what stays the same while the sandbox runs. */
export async function loadContract() {
  [world.verbs, world.contract] = await Promise.all([get("verbs"), get("contract.json")]);
}

/** Reads the status and the resources that name others. */
export async function refreshWorld() {
  /** @type {[SandboxStatus, ...Resource[][]]} */
  const [status, ...named] = /** @type {any} */ (
    await Promise.all([
      get("status"),
      ...NAMING.map((kind) => get(`resources/${kind}?limit=${MAX_NAMED}`)),
    ])
  );
  world.status = status;
  world.byId = new Map(named.flat().map((one) => [one.id, one]));
  return status;
}

/**
 * The last digits of a card, or a short id.
 *
 * @param {string | null | undefined} cardId
 */
export function cardName(cardId) {
  if (!cardId) return undefined;
  const last4 = world.byId.get(cardId)?.hidden.last4;
  return last4 ? `card\u00a0••${last4}` : `card\u00a0${shortId(cardId)}`;
}

/**
 * The name of a bank account, or a short id.
 *
 * @param {string | null | undefined} accountId
 */
export function bankAccountName(accountId) {
  if (!accountId) return undefined;
  const account = world.byId.get(accountId)?.hidden;
  return account ? `${account.name}\u00a0••${account.mask}` : `bank account ${shortId(accountId)}`;
}

/**
 * The name of an account that is not the first one, which is the default of the verbs.
 *
 * @param {string} accountId
 */
export function otherAccount(accountId) {
  const place = accounts().findIndex((account) => account.accountId === accountId);
  return place > 0 ? `account ${place + 1}` : undefined;
}

export function accounts() {
  return world.status?.accounts ?? [];
}
