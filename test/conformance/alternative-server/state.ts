import type { Delivery } from "../../../src/fixtures/index.ts";

type Body = Record<string, unknown> & { id: string };

/** The resource kinds. */
export type Kind = Exclude<keyof State, "take" | "find" | "show" | "copy">;

/** Keeps only the fields of a message that the interface requires. */
export function abridged(message: object): Body {
  const names = [
    ...["id", "_links", "messageType", "network", "result", "accountId", "subaccountId"],
    ...["transactionAmount", "transactionCurrency", "traceId", "metadata"],
  ];
  const fields = Object.entries(message).filter(([name]) => names.includes(name));
  return Object.fromEntries(fields) as Body;
}

/** The state after some events, with only the fields that the interface requires. */
export class State {
  readonly subaccounts = new Map<string, Body>();
  readonly cards = new Map<string, Body>();
  readonly transactions = new Map<string, Body>();
  readonly messages = new Map<string, Body>();
  readonly bankLinks = new Map<string, Body>();
  readonly bankAccounts = new Map<string, Body>();
  readonly bankTransactions = new Map<string, Body>();
  readonly matches = new Map<string, Body>();
  readonly subscriptions = new Map<string, Body>();
  readonly feeds = new Map<string, Body>();

  readonly #removed = new Map<string, Body>();
  readonly #manners: { readonly abridged?: boolean; readonly remembers?: boolean };

  constructor(manners: { readonly abridged?: boolean; readonly remembers?: boolean }) {
    this.#manners = manners;
  }

  /** Finds a resource by id, whether listed or removed. */
  find(kind: Kind, id: string): object | undefined {
    return this[kind].get(id) ?? this.#removed.get(`${kind} ${id}`);
  }

  /** Adds a resource that no event has shown yet. */
  show(kind: "bankLinks" | "feeds", id: string): void {
    this.#bare(this[kind], kind === "feeds" ? "network-bulk-feeds" : "bank-links", id);
  }

  copy(): State {
    const copy = new State(this.#manners);
    const maps = [...(Object.entries(this) as [Kind, Map<string, Body>][])];
    for (const [kind, own] of maps) for (const [id, body] of own) copy[kind].set(id, body);
    for (const [id, body] of this.#removed) copy.#removed.set(id, body);
    return copy;
  }

  take({ headers, body }: Delivery): void {
    const name = headers["webhook-event-type"];
    const { metadata, ...fields } = body as unknown as Record<string, never> & Body;
    const text = (member: string) => String((fields as Record<string, unknown>)[member]);
    if ("subaccountId" in fields) this.#bare(this.subaccounts, "subaccounts", text("subaccountId"));
    if (typeof fields.cardId === "string") this.#bare(this.cards, "cards", fields.cardId);
    if ("bankAccountId" in fields)
      this.#bare(this.bankAccounts, "bank-accounts", text("bankAccountId"));
    if (name === "transactionmessage.created") {
      this.messages.set(fields.id, this.#manners.abridged ? abridged(fields) : fields);
    }
    if (name === "transaction.created" || name === "transaction.updated") {
      this.transactions.set(fields.id, fields);
    }
    if (name.startsWith("cardsubscription.")) this.subscriptions.set(fields.id, fields);
    if (name === "networkbulkfeed.statechanged")
      this.#bare(this.feeds, "network-bulk-feeds", fields.id);
    if (name === "banktransaction.created") {
      // Only these members are certain. Links are not specified.
      const { id, amount, category } = fields as Body;
      this.bankTransactions.set(id, { id, amount, category: category === null ? [] : [category] });
    }
    if (name === "banktransaction.deleted") this.#remove("bankTransactions", fields.id);
    if (name === "transaction.match.created") {
      this.matches.set(text("matchId"), { id: text("matchId") });
      const { cardTransaction } = fields as unknown as { cardTransaction: { cardId: string } };
      if (cardTransaction.cardId) this.#bare(this.cards, "cards", cardTransaction.cardId);
    }
    if (name === "transaction.match.deleted") this.#remove("matches", text("matchId"));
    if (name === "banklink.completed") {
      this.#bare(this.bankLinks, "bank-links", text("bankLinkId"));
      const { bankAccounts } = fields as unknown as {
        bankAccounts: { id: string; cardIds: string[] }[];
      };
      for (const { id, cardIds } of bankAccounts) {
        this.#bare(this.bankAccounts, "bank-accounts", id);
        for (const cardId of cardIds) this.#bare(this.cards, "cards", cardId);
      }
    }
  }

  #remove(kind: "bankTransactions" | "matches", id: string): void {
    const body = this[kind].get(id);
    if (body && this.#manners.remembers) this.#removed.set(`${kind} ${id}`, body);
    this[kind].delete(id);
  }

  /** Adds a resource with only an id and a self link: the interface specifies nothing else. */
  #bare(kind: Map<string, Body>, path: string, id: string): void {
    kind.set(id, { _links: { self: { href: `/${path}/${id}` } }, id });
  }
}
