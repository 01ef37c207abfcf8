import type { components } from "../../generated/types.ts";
import { cardOfAccount, cardOfFeed, type Name, namesIn, type Step, type StepOf } from "./step.ts";

type EnrollmentType = components["schemas"]["CardSubscription"]["enrollmentType"];

export interface CardState {
  readonly enrollmentType: EnrollmentType;
  readonly state: "reqSCA" | "active" | "deactivated";
  /** The linked bank account, if any. */
  readonly account?: Name;
  /** Whether it was a bank-feed card first. */
  readonly wasUpgraded?: true;
}

export interface FeedState {
  readonly state: "submitted" | "active" | "failed";
  readonly expectedCardCount?: number;
}

export interface LinkState {
  readonly accounts: StepOf<"startLink">["accounts"];
  readonly isComplete: boolean;
}

export interface AccountState {
  readonly state: "active" | "auth_required" | "disconnected";
  /** Its linked cards, in the order of linking. */
  readonly cards: readonly Name[];
}

export interface PurchaseState {
  readonly card: Name;
  readonly amount: number;
  readonly merchant: string;
  readonly status: "PENDING" | "SETTLED";
  /** Its debits at the bank. */
  readonly postings: readonly Name[];
  readonly posted: number;
  readonly cleared: number;
  /**
   * Whether the interface leaves its further settlement open: it was posted or cleared in parts, or
   * a match of it was retracted.
   */
  readonly isOpen: boolean;
  /** Whether the driver chose its amount. */
  readonly isAmountOpen?: true;
}

export interface PostingState {
  readonly account: Name;
  readonly amount: number;
  readonly merchant: string;
  /** The purchase that it is a debit of. */
  readonly purchase?: Name;
  /** Whether it began as a bank-only movement. */
  readonly isBankOnly: boolean;
  /** The model's day on which the bank made it. */
  readonly day: number;
  /** The verb that removed it. */
  readonly removedBy?: "removeAtProvider" | "retireDuplicate";
}

/** The state of a script's resources, by name, as the interface's state tables determine it. */
export interface Model {
  readonly cards: Record<Name, CardState>;
  readonly feeds: Record<Name, FeedState>;
  readonly links: Record<Name, LinkState>;
  readonly accounts: Record<Name, AccountState>;
  readonly purchases: Record<Name, PurchaseState>;
  readonly postings: Record<Name, PostingState>;
  /** Counts how often the clock went on by days. */
  readonly day: number;
}

export function emptyModel(): Model {
  return { cards: {}, feeds: {}, links: {}, accounts: {}, purchases: {}, postings: {}, day: 0 };
}

/** The state that each verb leads to. */
export const CONNECTION_OF = {
  expireConsent: "auth_required",
  disconnect: "disconnected",
  recover: "active",
} as const;

/** A step that moves money or matches it. */
export type MoneyStep = StepOf<
  | "authorize"
  | "clear"
  | "postAtBank"
  | "tellLate"
  | "removeAtProvider"
  | "retireDuplicate"
  | "rematch"
>;

/** The resources that a step is about: those that it names, and those that belong to them. */
export function concernedBy({ cards, purchases, postings }: Model, step: Step): Name[] {
  const { uses, gives } = namesIn(step);
  const all = new Set<Name>([...uses, ...gives]);
  for (const name of [...all]) {
    const related = [
      cards[name]?.account,
      purchases[name]?.card,
      ...(purchases[name]?.postings ?? []),
      postings[name]?.account,
      postings[name]?.purchase,
    ];
    for (const one of related) if (one !== undefined) all.add(one);
  }
  return [...all];
}

/** Amounts in cents, so that sums are exact. */
export function cents(amount: number): number {
  return Math.round(amount * 100);
}

/** The state after a step that applies. */
export function applied(model: Model, step: Step): Model {
  switch (step.verb) {
    case "enroll":
      return withCard(model, step.as, { enrollmentType: "cardholder-single", state: "reqSCA" });
    case "clearSca":
      return changeCard(model, step.card, { state: "active" });
    case "deactivate":
      return changeCard(model, step.card, { state: "deactivated" });
    case "upgrade":
      return changeCard(model, step.card, {
        ...{ state: "reqSCA", enrollmentType: "cardholder-single", wasUpgraded: true },
      });
    case "linkCard":
      return linked(model, step.card, step.account);
    case "submitFeed": {
      const { expectedCardCount: count } = step;
      const feed: FeedState = {
        state: "submitted",
        ...(count !== undefined && { expectedCardCount: count }),
      };
      return { ...model, feeds: { ...model.feeds, [step.as]: feed } };
    }
    case "acceptFeed": {
      const card: CardState = { enrollmentType: "network-bulk", state: "active" };
      return withCard(changeFeed(model, step.feed, "active"), cardOfFeed(step.feed), card);
    }
    case "rejectFeed":
      return changeFeed(model, step.feed, "failed");
    case "startLink": {
      const link: LinkState = { accounts: step.accounts, isComplete: false };
      return { ...model, links: { ...model.links, [step.as]: link } };
    }
    case "completeLink":
      return completed(model, step.link);
    case "expireConsent":
    case "disconnect":
    case "recover": {
      const account = model.accounts[step.account] as AccountState;
      const after = { ...account, state: CONNECTION_OF[step.verb] };
      return { ...model, accounts: { ...model.accounts, [step.account]: after } };
    }
    case "advance":
      return step.seconds < DAY_S ? model : aged(model);
    default:
      return moneyApplied(model, step);
  }
}

const DAY_S = 86_400;

/** Matchers compare dates: what is matched after days is open. */
function aged(model: Model): Model {
  const purchases = Object.entries(model.purchases).map(([name, purchase]) => {
    return [name, { ...purchase, isOpen: true }] as const;
  });
  return { ...model, purchases: Object.fromEntries(purchases), day: model.day + 1 };
}

function moneyApplied(model: Model, step: MoneyStep): Model {
  switch (step.verb) {
    case "authorize":
      return withPurchase(model, step.as, newPurchase(step));
    case "clear": {
      const { amount, cleared } = model.purchases[step.purchase] as PurchaseState;
      const by = step.amount ?? amount - cleared;
      const isPart = cents(by) !== cents(amount);
      const settled = isPart ? { isOpen: true } : { status: "SETTLED" as const };
      return changePurchase(model, step.purchase, { cleared: cleared + by, ...settled });
    }
    case "postAtBank": {
      const { account, amount, merchant, purchase } = step;
      const own = { account, amount, merchant, isBankOnly: purchase === undefined, day: model.day };
      const posting: PostingState = { ...own, ...(purchase !== undefined && { purchase }) };
      const after = { ...model, postings: { ...model.postings, [step.as]: posting } };
      if (purchase === undefined) return after;
      const { posted, postings, amount: whole } = model.purchases[purchase] as PurchaseState;
      const settled =
        cents(amount) === cents(whole) ? { status: "SETTLED" as const } : { isOpen: true };
      const change = { posted: posted + amount, postings: [...postings, step.as], ...settled };
      return changePurchase(after, purchase, change);
    }
    case "tellLate": {
      const posting = { ...(model.postings[step.posting] as PostingState), purchase: step.as };
      const after = { ...model, postings: { ...model.postings, [step.posting]: posting } };
      const { amount } = posting;
      const own = { ...newPurchase(step), postings: [step.posting], posted: amount };
      const chosen = step.confidence === undefined ? {} : { isAmountOpen: true as const };
      return withPurchase(after, step.as, { ...own, ...chosen, status: "SETTLED", isOpen: true });
    }
    case "removeAtProvider":
    case "retireDuplicate": {
      const posting = model.postings[step.posting] as PostingState;
      const gone: PostingState = { ...posting, removedBy: step.verb };
      const after = { ...model, postings: { ...model.postings, [step.posting]: gone } };
      if (posting.purchase === undefined) return after;
      return changePurchase(after, posting.purchase, { isOpen: true });
    }
    case "rematch":
      return changePurchase(model, step.purchase, { isOpen: true });
  }
}

function newPurchase({ card, amount, merchant }: StepOf<"authorize" | "tellLate">): PurchaseState {
  const nothing = { postings: [], posted: 0, cleared: 0, isOpen: false };
  return { card, amount, merchant, status: "PENDING", ...nothing };
}

function withCard(model: Model, name: Name, card: CardState): Model {
  return { ...model, cards: { ...model.cards, [name]: card } };
}

function changeCard(model: Model, name: Name, change: Partial<CardState>): Model {
  return withCard(model, name, { ...(model.cards[name] as CardState), ...change });
}

function changeFeed(model: Model, name: Name, state: FeedState["state"]): Model {
  const feed = { ...(model.feeds[name] as FeedState), state };
  return { ...model, feeds: { ...model.feeds, [name]: feed } };
}

function withPurchase(model: Model, name: Name, purchase: PurchaseState): Model {
  return { ...model, purchases: { ...model.purchases, [name]: purchase } };
}

function changePurchase(model: Model, name: Name, change: Partial<PurchaseState>): Model {
  return withPurchase(model, name, { ...(model.purchases[name] as PurchaseState), ...change });
}

function linked(model: Model, card: Name, account: Name): Model {
  const after = changeCard(model, card, { account });
  const before = after.accounts[account] as AccountState;
  const cards = [...before.cards, card];
  return { ...after, accounts: { ...after.accounts, [account]: { ...before, cards } } };
}

/** A completed link has active accounts, linked cards and new bank-feed cards. */
function completed(model: Model, name: Name): Model {
  const link = model.links[name] as LinkState;
  let after: Model = {
    ...model,
    links: { ...model.links, [name]: { ...link, isComplete: true } },
  };
  for (const { as, type, card } of link.accounts) {
    after = { ...after, accounts: { ...after.accounts, [as]: { state: "active", cards: [] } } };
    if (card !== undefined) after = linked(after, card, as);
    else if (type === "credit") {
      const minted = cardOfAccount(as);
      after = withCard(after, minted, { enrollmentType: "bank-feed", state: "active" });
      after = linked(after, minted, as);
    }
  }
  return after;
}
