import { money } from "./format.js";
import { bankAccountName, cardName } from "./world.js";

/** @typedef {import("../../control/control.ts").LoggedEvent} LoggedEvent */

/**
 * @typedef {object} About what an event is about
 * @property {string} [what] the transaction's descriptor, or the name of another resource
 * @property {string | undefined} [card] or a bank account
 * @property {string} [amount]
 */

/** The names of transactions and bank transactions, by id, from the events that have them. */
export class EventNames {
  /** @type {Map<string, string>} */
  #names = new Map();

  /** @param {LoggedEvent} event */
  learn({ name, body }) {
    const { id, descriptor, description, merchantName } = /** @type {any} */ (body);
    if (name === "transaction.created" || name === "transaction.updated") {
      this.#names.set(id, descriptor);
    }
    if (name === "banktransaction.created") this.#names.set(id, merchantName ?? description);
  }

  clear() {
    this.#names.clear();
  }

  /** @param {LoggedEvent} event @returns {About} */
  about({ name, resource, body: unknown }) {
    const body = /** @type {any} */ (unknown);
    switch (name) {
      case "transactionmessage.created":
        return {
          what: this.#names.get(resource) ?? body.messageType,
          card: cardName(body.cardId),
          amount: money(body.transactionAmount, body.transactionCurrency),
        };
      case "transaction.created":
      case "transaction.updated":
        return {
          what: body.descriptor || "no descriptor",
          card: cardName(body.cardId),
          amount: money(
            body.transactionSettledAmount || body.transactionHoldAmount,
            body.transactionCurrency,
          ),
        };
      case "cardsubscription.created":
      case "cardsubscription.updated":
        return { what: `${body.enrollmentType}, ${body.state}`, card: cardName(body.cardId) };
      case "networkbulkfeed.statechanged":
        return { what: `${body.networkReference}, ${body.oldState} to ${body.newState}` };
      case "banklink.completed": {
        const names = body.bankAccounts.map(
          (/** @type {any} */ one) => `${one.name} ••${one.mask}`,
        );
        return { what: names.join(", ") };
      }
      case "bankaccount.state_changed": {
        const account = bankAccountName(body.bankAccountId);
        return { what: `${account}, ${body.previousState} to ${body.state}` };
      }
      case "banktransaction.created":
        return {
          what: body.merchantName ?? body.description,
          card: bankAccountName(body.bankAccountId),
          amount: money(body.amount, body.currency),
        };
      case "banktransaction.deleted":
        return { what: `${this.#names.get(body.id) ?? "bank transaction"}, ${body.reason}` };
      case "transaction.match.created": {
        const { descriptor, cardId, amount, currency } = body.cardTransaction;
        return {
          what: `${descriptor}, ${body.confidence}`,
          card: cardName(cardId),
          amount: money(amount, currency),
        };
      }
      case "transaction.match.deleted":
        return { what: `${this.#names.get(resource) ?? "match"}, ${body.reason}` };
      case "enrichment.merchant.created":
        return { what: body.merchant.name };
      default:
        return {};
    }
  }
}
