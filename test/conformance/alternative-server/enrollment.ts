import { randomUUID } from "node:crypto";
import type { Driver } from "../../../conformance/driver.ts";
import { DEFAULT_NETWORKS } from "../../../src/contract/networks.ts";
import * as bodies from "./bodies.ts";

/** Choices that the interface leaves open to the service. */
export interface Choices {
  /** Whether ids are in upper case. */
  readonly upperCase?: boolean;
  /** The currency of cardholders. Default: EUR, that of transactions. */
  readonly billing?: "EUR" | "USD";
  /** Whether a verb that can change nothing is refused, rather than accepted without effect. */
  readonly refusesRepeats?: boolean;
  /** How many cards an accepted feed creates. Default: the expected number. */
  readonly cardsOfFeed?: number;
  /** Whether the completion of a link creates no cards. */
  readonly mintsNoCards?: boolean;
  /** Whether the end of a consent is known. */
  readonly knowsExpiry?: boolean;
  /** Whether late card data is matched only after hours. */
  readonly matchesLate?: boolean;
  /** The confidence of a match of other amounts. Default: they do not match. */
  readonly unequal?: "MEDIUM" | "LOW";
  /** Whether the debit of a part is a movement of its own until the network clears the part. */
  readonly waitsForLegs?: boolean;
  /** Whether a purchase stays PENDING until all of it has cleared. */
  readonly pendingParts?: boolean;
  /** Whether a debit after the network's clearing adds no message. */
  readonly hidesDuplicates?: boolean;
  /** Whether the message of a netted bank-only transaction is superseded (reading 9). */
  readonly supersedesNetted?: boolean;
  /** Whether the hold amounts outlast the settlement. */
  readonly keepsHold?: boolean;
  /** Whether a retracted match brings a purchase back to PENDING. */
  readonly reopens?: boolean;
  /** Whether a forced re-match finds nothing again. */
  readonly rematchesNothing?: boolean;
  /** Whether the driver posts booked debits only. */
  readonly ignoresWishes?: boolean;
  /** Whether a credit is a bank-only movement, with a transaction. */
  readonly creditsAreMovements?: boolean;
}

/** What happens in the service: it turns a driver's verbs into events. */
export interface Happens {
  /** Sends an event; `resourceId` is its metadata. */
  readonly emit: (name: string, body: object, resourceId?: string) => void;
  /** A resource that no event has shown yet can be fetched. */
  readonly show: (kind: "bank-links" | "network-bulk-feeds", id: string) => void;
  readonly now: () => number;
}

const POLLING_MS = 20_000;
const { a: NETWORK_A, b: NETWORK_B, c: NETWORK_C } = DEFAULT_NETWORKS;

interface BankLink {
  readonly id: string;
  readonly accounts: Parameters<NonNullable<Driver["startLink"]>>[0]["accounts"];
  pollAt?: number;
  isComplete: boolean;
}

/** A posting that is matched with a purchase later. */
interface Waiting {
  readonly purchase: bodies.Purchase;
  readonly posting: bodies.Posting;
  readonly confidence: bodies.Match["confidence"];
  /** When; undefined: once the network has cleared its part. */
  readonly atMs?: number;
}

/** The state, as plain data, so that a snapshot is a copy. */
const nothing = () => ({
  count: 0,
  subscriptions: [] as bodies.Subscription[],
  feeds: [] as bodies.Feed[],
  links: [] as BankLink[],
  accounts: [] as bodies.Account[],
  postings: [] as bodies.Posting[],
  purchases: [] as bodies.Purchase[],
  matches: [] as bodies.Match[],
  /** Postings that have found no purchase yet. */
  waiting: [] as Waiting[],
});

/**
 * Cards, bulk feeds and bank links, by the interface's state tables. It shares no code with the
 * sandbox, and polls when it is asked.
 */
export class Enrollment {
  protected readonly owner: bodies.Owner;
  protected readonly choices: Choices;
  protected readonly happens: Happens;
  state = nothing();

  constructor(
    owner: Pick<bodies.Owner, "accountId" | "subaccountId">,
    choices: Choices,
    happens: Happens,
  ) {
    const { billing = "EUR", keepsHold = false } = choices;
    this.owner = { ...owner, billing, keepsHold };
    this.choices = choices;
    this.happens = happens;
  }

  // --- cards

  enroll({ network = NETWORK_A }: { network?: string } = {}) {
    const { id, cardId, last4 } = this.#subscribe("cardholder-single", network);
    return { subscriptionId: id, cardId, last4 };
  }

  clearSca({ subscriptionId }: { subscriptionId: string }) {
    const one = found(this.state.subscriptions, subscriptionId);
    if (!this.isChange(one.state === "reqSCA")) return;
    this.#change(one, { state: "active" });
  }

  deactivate({ subscriptionId }: { subscriptionId: string }) {
    const one = found(this.state.subscriptions, subscriptionId);
    if (!this.isChange(one.state === "active")) return;
    this.#change(one, { state: "deactivated" });
  }

  upgrade({ subscriptionId }: { subscriptionId: string }) {
    const one = found(this.state.subscriptions, subscriptionId);
    refuseUnless(one.state === "active" && one.type === "bank-feed", "it can't be upgraded");
    this.#change(one, { state: "reqSCA", type: "cardholder-single" });
  }

  linkCard({ cardId, bankAccountId }: { cardId: string; bankAccountId: string }) {
    const one = this.subscriptionOf(cardId);
    found(this.state.accounts, bankAccountId);
    if (!this.isChange(one.bankAccountId !== bankAccountId)) return;
    this.#change(one, { bankAccountId, linkedNr: this.next() });
  }

  #subscribe(
    type: bodies.Subscription["type"],
    network: string,
    more: { feedId?: string; bankAccountId?: string; last4?: string } = {},
  ): bodies.Subscription {
    const { feedId = null, last4 = `${1_000 + this.next()}`.slice(-4), ...linked } = more;
    const one: bodies.Subscription = {
      ...{ id: this.id(), cardId: this.id(), network, last4, type, feedId, ...linked },
      state: type === "cardholder-single" ? "reqSCA" : "active",
      ...{ linkedNr: this.next(), createdAt: this.time(), updatedAt: this.time() },
    };
    this.state.subscriptions.push(one);
    this.happens.emit("cardsubscription.created", bodies.subscriptionBody(one, this.owner));
    return one;
  }

  #change(one: bodies.Subscription, change: Partial<bodies.Subscription>) {
    Object.assign(one, change, { updatedAt: this.time() });
    this.happens.emit("cardsubscription.updated", bodies.subscriptionBody(one, this.owner));
  }

  protected subscriptionOf(cardId: string): bodies.Subscription {
    return needed(this.state.subscriptions.find((one) => one.cardId === cardId));
  }

  // --- bulk feeds

  submitFeed({ expectedCardCount }: { expectedCardCount?: number }) {
    const createdAt = this.time();
    const own = { id: this.id(), reference: `feed ${this.next()}`, createdAt };
    this.state.feeds.push({ ...own, expectedCardCount, state: "submitted" });
    this.happens.show("network-bulk-feeds", own.id);
    return { feedId: own.id };
  }

  acceptFeed({ feedId }: { feedId: string }) {
    const feed = this.#decide(feedId, "active");
    if (!feed) return { subscriptionIds: [] };
    const length = this.choices.cardsOfFeed ?? feed.expectedCardCount ?? 1;
    const cards = Array.from({ length }, () =>
      this.#subscribe("network-bulk", NETWORK_B, { feedId }),
    );
    return { subscriptionIds: cards.map(({ id }) => id) };
  }

  rejectFeed({ feedId }: { feedId: string }) {
    this.#decide(feedId, "failed");
  }

  #decide(feedId: string, state: "active" | "failed"): bodies.Feed | undefined {
    const feed = found(this.state.feeds, feedId);
    if (!this.isChange(feed.state === "submitted")) return undefined;
    feed.state = state;
    const body = bodies.feedBody(feed, NETWORK_B, this.time(), this.owner);
    this.happens.emit("networkbulkfeed.statechanged", body);
    return feed;
  }

  // --- bank links and accounts

  startLink({ accounts }: Pick<BankLink, "accounts">) {
    const link: BankLink = { id: this.id(), accounts, isComplete: false };
    this.state.links.push(link);
    this.happens.show("bank-links", link.id);
    return { bankLinkId: link.id };
  }

  completeLink({ bankLinkId, by }: { bankLinkId: string; by: string }) {
    const link = found(this.state.links, bankLinkId);
    const now = this.happens.now();
    if (by === "polling" && !link.isComplete) {
      link.pollAt ??= now + POLLING_MS;
      const retryAfterSeconds = Math.ceil((link.pollAt - now) / 1_000);
      if (retryAfterSeconds > 0) return { bankAccountIds: [], retryAfterSeconds };
    }
    this.complete(bankLinkId);
    const own = this.state.accounts.filter(({ linkId }) => linkId === bankLinkId);
    return { bankAccountIds: own.map(({ id }) => id) };
  }

  /** Completes a link, unless it is complete. */
  complete(bankLinkId: string) {
    const link = found(this.state.links, bankLinkId);
    if (link.isComplete) return;
    link.isComplete = true;
    const bankAccounts = link.accounts.map((shown) => this.#connect(bankLinkId, shown));
    this.happens.emit("banklink.completed", { bankLinkId, bankAccounts });
  }

  #connect(linkId: string, { type, last4, network = NETWORK_C }: BankLink["accounts"][number]) {
    const id = this.id();
    const mask = last4 ?? `${5_000 + this.next()}`.slice(-4);
    const name = `Konto ${mask}`;
    const own = { id, linkId, name, mask, type: type === "credit" ? "credit" : "giro" };
    this.state.accounts.push({ ...own, state: "active" });
    const enrolled = this.state.subscriptions.filter((one) => one.last4 === last4);
    for (const one of enrolled) {
      if (!one.bankAccountId) this.#change(one, { bankAccountId: id, linkedNr: this.next() });
    }
    const account = { id, name, mask, type: own.type };
    if (type !== "credit" || enrolled.length > 0 || this.choices.mintsNoCards) {
      return { ...account, cardIds: enrolled.map(({ cardId }) => cardId) };
    }
    const minted = this.#subscribe("bank-feed", network, { bankAccountId: id, last4: mask });
    const card = {
      ...{ id: minted.cardId, subscriptionId: minted.id, last4digits: mask },
      ...{ network: network.toLowerCase(), enrollmentType: "bank-feed" },
    };
    return { ...account, cardIds: [minted.cardId], cards: [card] };
  }

  expireConsent({ bankAccountId }: { bankAccountId: string }) {
    const account = found(this.state.accounts, bankAccountId);
    if (!this.isChange(account.state === "active")) return;
    const at = this.happens.now() + 86_400_000;
    const expiresAt = this.choices.knowsExpiry ? new Date(at).toISOString() : null;
    this.#move(account, "auth_required", { reason: "consent_expiring", expiresAt });
  }

  disconnect({ bankAccountId }: { bankAccountId: string }) {
    this.#move(found(this.state.accounts, bankAccountId), "disconnected");
  }

  recover({ bankAccountId }: { bankAccountId: string }) {
    this.#move(found(this.state.accounts, bankAccountId), "active");
  }

  #move(account: bodies.Account, state: bodies.Account["state"], why: object = {}) {
    const { id: bankAccountId, state: previousState } = account;
    if (!this.isChange(state !== previousState)) return;
    account.state = state;
    const body = { bankAccountId, state, previousState, reason: null, expiresAt: null, ...why };
    this.happens.emit("bankaccount.state_changed", body);
  }

  /** Whether a verb changes something. If not, the service may refuse the verb. */
  protected isChange(is: boolean): boolean {
    refuseUnless(is || !this.choices.refusesRepeats, "it changes nothing");
    return is;
  }

  protected id(): string {
    const id = randomUUID();
    return this.choices.upperCase ? id.toUpperCase() : id;
  }

  protected time(): string {
    return new Date(this.happens.now()).toISOString();
  }

  protected next(): number {
    this.state.count += 1;
    return this.state.count;
  }
}

export function found<T extends { readonly id: string }>(all: readonly T[], id: string): T {
  return needed(all.find((one) => one.id === id));
}

export function needed<T>(one: T | undefined): T {
  if (one === undefined) throw new Error("the id is not known");
  return one;
}

export function refuseUnless(isAllowed: boolean, why: string) {
  if (!isAllowed) throw new Error(why);
}
