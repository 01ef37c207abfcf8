import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { idOf } from "../../../src/contract/rules/link.ts";
import type { Feed } from "../feed.ts";
import { isNamed, messageIdsOf, postingIdsOf, type TypedDelivery } from "./typed-delivery.ts";

/**
 * Finds the subaccount of resources that do not name it. Bank transactions and matches are fetched
 * by subaccount, but their events omit it. Related resources name it.
 */
export class Subaccounts {
  readonly #of = new Map<string, string>();
  readonly #only: string | undefined;

  constructor(typed: readonly TypedDelivery[], feed: Feed) {
    const listed = feed.of("GET /subaccounts").flatMap(({ exchange }) => {
      const items = valueAt(exchange.response?.json, ["_embedded", "subaccounts"]);
      return Array.isArray(items) ? items.map((item) => memberOf(item, "id")) : [];
    });
    const [only] = listed;
    this.#only = listed.length === 1 && typeof only === "string" ? only : undefined;
    for (const { exchange } of feed.of("GET /transactions")) {
      const items = valueAt(exchange.response?.json, ["_embedded", "transactions"]);
      for (const item of Array.isArray(items) ? items : []) this.#noteListed(item);
    }
    for (const one of typed) this.#note(one);
  }

  /** The subaccount of the first id that is known. */
  of(...ids: readonly (string | null | undefined)[]): string | undefined {
    for (const id of ids) {
      const known = id ? this.#of.get(id) : undefined;
      if (known !== undefined) return known;
    }
    return this.#only;
  }

  #note(one: TypedDelivery): void {
    if (isNamed(one, "transaction.created", "transaction.updated")) {
      const { id, cardId, subaccountId } = one.body;
      this.#add(subaccountId, [id, cardId, ...messageIdsOf(one.body), ...postingIdsOf(one)]);
    } else if (isNamed(one, "transactionmessage.created")) {
      const { id, cardId, subaccountId } = one.body;
      this.#add(subaccountId, [id, cardId, ...postingIdsOf(one)]);
    } else if (isNamed(one, "cardsubscription.created", "cardsubscription.updated")) {
      this.#add(one.body.subaccountId, [one.body.cardId]);
    }
  }

  #noteListed(item: unknown): void {
    const subaccountId = memberOf(item, "subaccountId");
    if (typeof subaccountId !== "string") return;
    const links = valueAt(item, ["_links", "messages"]);
    const hrefs = Array.isArray(links) ? links.map((link) => memberOf(link, "href")) : [];
    const messages = hrefs.flatMap((href) => (typeof href === "string" ? [idOf(href)] : []));
    this.#add(subaccountId, [memberOf(item, "id"), memberOf(item, "cardId"), ...messages]);
  }

  #add(subaccountId: string, ids: readonly unknown[]): void {
    for (const id of ids) if (typeof id === "string") this.#of.set(id, subaccountId);
  }
}
