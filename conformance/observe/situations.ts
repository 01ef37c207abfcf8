import type { Situation } from "../../generated/requirements.ts";
import type { Networks } from "../../src/contract/networks.ts";
import { memberOf, valueAt } from "../../src/contract/pointer.ts";
import { AUTHORIZATION, OPEN_BANKING, SETTLEMENT } from "../../src/contract/rules/vocabulary.ts";
import { type Delivery, type Exchange, isDelivery } from "../wire/exchange.ts";
import { isBankOnly, listAt, projectedMessages, supersededIn } from "./feed.ts";
import { ITEM_KEYS } from "./operations.ts";

/** The situations that a resource itself shows, such as its network and enrollment type. */
export function situationsOf(body: unknown, networks: Networks): Situation[] {
  const network = memberOf(body, "network");
  const isSettlement = memberOf(body, "messageType") === SETTLEMENT;
  const bankData = memberOf(body, "bankData") ?? null;
  const shown: readonly (readonly [boolean, Situation])[] = [
    [network === networks.a, "network-a"],
    [network === networks.b, "network-b"],
    [network === networks.c, "network-c"],
    [network === OPEN_BANKING, "bank-only"],
    [network === OPEN_BANKING && memberOf(body, "cardId") === null, "cardless"],
    [network === OPEN_BANKING && typeof memberOf(body, "cardId") === "string", "linked-card"],
    [memberOf(body, "messageType") === AUTHORIZATION, "authorization"],
    [isSettlement && bankData === null && network !== OPEN_BANKING, "clearing"],
    [isSettlement && bankData !== null && network !== OPEN_BANKING, "posted"],
    [memberOf(body, "enrollmentType") === "cardholder-single", "cardholder-single"],
    [memberOf(body, "enrollmentType") === "network-bulk", "network-bulk"],
    [memberOf(body, "enrollmentType") === "bank-feed", "bank-feed"],
    [memberOf(body, "transactionType") === "credit", "credit-posting"],
    [memberOf(body, "pending") === true, "pending-posting"],
    [memberOf(body, "confidence") === "HIGH", "confidence-high"],
    [memberOf(body, "confidence") === "MEDIUM", "confidence-medium"],
    [memberOf(body, "confidence") === "LOW", "confidence-low"],
    [supersededIn(body).length > 0, "superseded-one"],
    [supersededIn(body).length > 1, "superseded-two"],
    [(projectedMessages(body) ?? []).length > 0, "projected"],
    ...settledBy(body),
  ];
  return shown.flatMap(([isShown, situation]) => (isShown ? [situation] : []));
}

const ORDINALS: readonly Situation[] = ["first", "second", "third"];

/** The situation of the occurrence at an index; empty after the third. */
export function ordinalAt(index: number): Situation[] {
  return ORDINALS.slice(index, index + 1);
}

/** How the messages of a purchase have settled it, and whether its currency has no minor unit. */
function settledBy(transaction: unknown): (readonly [boolean, Situation])[] {
  if (isBankOnly(transaction)) return [];
  const messages = projectedMessages(transaction) ?? [];
  const settling = messages.filter((one) => memberOf(one, "messageType") === SETTLEMENT);
  const ofBank = settling.filter((one) => (memberOf(one, "bankData") ?? null) !== null);
  const currency = memberOf(transaction, "transactionCurrency");
  return [
    [ofBank.length > 0, "posted"],
    [settling.length > ofBank.length, "first-clearing"],
    [settling.length > ofBank.length + 1, "second-clearing"],
    [
      currency !== memberOf(transaction, "cardholderBillingCurrency") && hasNoMinorUnit(currency),
      "foreign-currency",
    ],
  ];
}

function hasNoMinorUnit(currency: unknown): boolean {
  if (typeof currency !== "string" || !/^[A-Z]{3}$/.test(currency)) return false;
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return format.resolvedOptions().maximumFractionDigits === 0;
}

/**
 * The situations that a response or a delivery shows, including those of a list's items.
 *
 * @param others Deliveries of the run: a retraction does not say how its bank transaction ended.
 */
export function situationsIn(
  message: Exchange | Delivery,
  networks: Networks,
  others: readonly (Exchange | Delivery)[] = [],
): Situation[] {
  if (isDelivery(message)) {
    const { name, json } = message;
    const ended = name === "transaction.match.deleted" ? deletionOf(json, others) : undefined;
    const reason = REASONS[`${memberOf(ended ?? json, "reason")}`] ?? [];
    const state = STATES[`${name} ${memberOf(json, "newState") ?? memberOf(json, "state")}`] ?? [];
    const accounts = name === "banklink.completed" ? listAt(json, "bankAccounts") : [];
    const kinds = accounts.map(kindOf);
    return ["delivered", ...reason, ...state, ...kinds, ...situationsOf(json, networks)];
  }
  const body = message.response?.json;
  const lists = Object.values(ITEM_KEYS).map((key) => valueAt(body, ["_embedded", key]));
  const items = lists.find(Array.isArray);
  if (!items) return ["alone", ...situationsOf(body, networks)];
  return ["listed", ...items.flatMap((item) => situationsOf(item, networks))];
}

/** The deletion of the bank transaction whose end a retraction announces. */
function deletionOf(retraction: unknown, others: readonly (Exchange | Delivery)[]): unknown {
  if (memberOf(retraction, "reason") !== "bank_transaction_retired") return undefined;
  const id = memberOf(retraction, "bankTransactionId");
  return others
    .filter((one) => isDelivery(one))
    .find(({ name, json }) => name === "banktransaction.deleted" && memberOf(json, "id") === id)
    ?.json;
}

function kindOf(account: unknown): Situation {
  return memberOf(account, "type") === "credit" ? "credit" : "depository";
}

/** What an event's reason shows. */
const REASONS: Readonly<Record<string, readonly Situation[]>> = {
  provider_removed: ["removed"],
  duplicate_retired: ["retired"],
  rematch_superseded: ["rematched"],
};

/** What the state in an event shows. */
const STATES: Readonly<Record<string, readonly Situation[]>> = {
  "networkbulkfeed.statechanged active": ["accepted"],
  "networkbulkfeed.statechanged failed": ["rejected"],
  "bankaccount.state_changed auth_required": ["expired"],
  "bankaccount.state_changed disconnected": ["disconnected"],
  "bankaccount.state_changed active": ["recovered"],
};
