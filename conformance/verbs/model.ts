import type { components } from "../../generated/types.ts";
import { type Name, namesIn, type Step, type StepOf } from "./step.ts";

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
  /** What completed it; undefined if it is not complete. */
  readonly completedBy?: StepOf<"completeLink">["by"];
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

/** The kinds of resources. */
type Kind = Exclude<keyof Model, "day">;

/** Adds a resource to the model, or replaces it. */
export function withOne<K extends Kind>(
  model: Model,
  kind: K,
  name: Name,
  one: Model[K][Name],
): Model {
  return { ...model, [kind]: { ...model[kind], [name]: one } };
}

/** Changes some properties of a resource. */
export function changeOne<K extends Kind>(
  model: Model,
  kind: K,
  name: Name,
  change: Partial<Model[K][Name]>,
): Model {
  return withOne(model, kind, name, { ...(model[kind][name] as Model[K][Name]), ...change });
}

/** Links a card to an account, as its youngest. */
export function withLinkedCard(model: Model, card: Name, account: Name): Model {
  const cards = [...(model.accounts[account]?.cards ?? []), card];
  return changeOne(changeOne(model, "cards", card, { account }), "accounts", account, { cards });
}

/** Whether the network can authorize purchases of a card. */
export function isUsable(card: CardState | undefined): card is CardState {
  return card?.state === "active" && card.enrollmentType !== "bank-feed";
}
