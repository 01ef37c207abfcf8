import type { Verb } from "../driver.ts";
import { meaningOf } from "./meaning.ts";
import type { Model } from "./model.ts";
import type { Name, ScriptAccount, Step } from "./step.ts";

/** How many resources of each kind a script may have. */
export interface Limits {
  readonly cards: number;
  readonly feeds: number;
  readonly links: number;
  readonly purchases: number;
  readonly postings: number;
  /** Whether to vary what the tables do not distinguish, such as amounts and durations. */
  readonly varied: boolean;
}

/** For random scripts. */
export const RANDOM_LIMITS: Limits = {
  ...{ cards: 3, feeds: 2, links: 3, purchases: 4, postings: 5, varied: true },
};

/** For every script of a depth. One resource of a kind shows what another would. */
export const EXHAUSTIVE_LIMITS: Limits = {
  ...{ cards: 2, feeds: 1, links: 2, purchases: 2, postings: 2, varied: false },
};

/** Prices that differ enough for no matcher to confuse two of them. */
const PRICES = [
  { amount: 31.2, merchant: "KIOSK MORGENROT" },
  { amount: 812.46, merchant: "HOTEL VESTERBRO" },
  { amount: 97.08, merchant: "FARMACIA DEL SOL" },
  { amount: 2640.5, merchant: "GARAGE TERVUREN" },
] as const;

/** Prices of movements that are debits of no purchase. */
const MOVEMENTS = [
  { amount: 47.84, merchant: "LATERNA BOOKS" },
  { amount: 1290.12, merchant: "FERRY SKAGERRAK" },
  { amount: 163.66, merchant: "SAUNA KAJAANI" },
  { amount: 5208.3, merchant: "NOTARIA SALVADOR" },
  { amount: 418.92, merchant: "OPTIK LINDQVIST" },
] as const;

/** Every step that means something in a state, in a fixed order. */
export function stepsIn(model: Model, verbs: readonly Verb[], limits: Limits): Step[] {
  const known = new Set<Verb>(verbs);
  const all = [...cardSteps(model, limits), ...linkSteps(model, limits)];
  // Without `advance`, it is open when polling completes a link.
  const isLate = (step: Step) => "by" in step && step.by === "polling" && !known.has("advance");
  return [...all, ...moneySteps(model, limits)].filter(
    (step) => known.has(step.verb) && !isLate(step) && meaningOf(model, step) !== undefined,
  );
}

function* cardSteps(model: Model, limits: Limits): Generator<Step> {
  const { cards, feeds, accounts } = model;
  const enrolled = own(cards, "card");
  if (enrolled.length < limits.cards) yield { verb: "enroll", as: next(enrolled, "card") };
  for (const card of Object.keys(cards)) {
    for (const verb of ["clearSca", "deactivate", "upgrade"] as const) yield { verb, card };
    for (const account of Object.keys(accounts)) yield { verb: "linkCard", card, account };
  }
  const submitted = Object.keys(feeds);
  if (submitted.length < limits.feeds) {
    const as = next(submitted, "feed");
    yield { verb: "submitFeed", as, expectedCardCount: 1 };
    if (limits.varied) yield { verb: "submitFeed", as };
  }
  for (const feed of submitted) {
    for (const verb of ["acceptFeed", "rejectFeed"] as const) yield { verb, feed };
  }
}

function* linkSteps({ cards, links, accounts }: Model, limits: Limits): Generator<Step> {
  const started = Object.keys(links);
  if (started.length < limits.links) {
    const as = next(started, "link");
    const count = Object.values(links).flatMap((link) => link.accounts).length;
    const shown = (...all: readonly Omit<ScriptAccount, "as">[]): Step => {
      const named = all.map((account, at) => ({ as: `account ${count + at + 1}`, ...account }));
      return { verb: "startLink", as, accounts: named };
    };
    yield shown({ type: "credit" }, { type: "depository" });
    for (const card of own(cards, "card")) yield shown({ type: "credit", card });
  }
  for (const link of started) {
    yield { verb: "completeLink", link, by: "notification" };
    if (limits.varied || !links[link]?.isComplete) {
      yield { verb: "completeLink", link, by: "polling" };
    }
  }
  for (const account of Object.keys(accounts)) {
    for (const verb of ["expireConsent", "disconnect", "recover"] as const) {
      yield { verb, account };
    }
  }
}

function* moneySteps(model: Model, limits: Limits): Generator<Step> {
  const { cards, accounts, purchases, postings } = model;
  const bought = Object.keys(purchases);
  const posted = Object.keys(postings);
  const purchase = next(bought, "purchase");
  const posting = next(posted, "posting");
  const price = PRICES[bought.length % PRICES.length] as (typeof PRICES)[number];
  if (bought.length < limits.purchases) {
    for (const card of Object.keys(cards))
      yield { verb: "authorize", as: purchase, card, ...price };
    for (const name of posted) {
      const { account, amount, merchant } = model.postings[name] as (typeof postings)[Name];
      const late = { verb: "tellLate", as: purchase, posting: name, merchant } as const;
      for (const card of accounts[account]?.cards ?? []) {
        yield { ...late, card, amount };
        // Of which confidence such a match is, is open.
        if (limits.varied) yield { ...late, card, amount: Math.round(amount * 83) / 100 };
      }
    }
  }
  for (const name of bought) {
    const {
      card,
      amount,
      merchant,
      cleared,
      posted: sum,
    } = purchases[name] as (typeof purchases)[Name];
    const half = Math.round(amount * 50) / 100;
    yield { verb: "clear", purchase: name };
    if (limits.varied && cleared === 0) yield { verb: "clear", purchase: name, amount: half };
    const account = cards[card]?.account;
    if (account !== undefined && posted.length < limits.postings) {
      const debit = { verb: "postAtBank", as: posting, account, merchant, purchase: name } as const;
      if (limits.varied && sum === 0) yield { ...debit, amount: half };
      const rest = Math.round((amount - sum) * 100) / 100;
      if (rest > 0) yield { ...debit, amount: rest };
    }
    yield { verb: "rematch", purchase: name };
  }
  if (posted.length < limits.postings) {
    const movement = MOVEMENTS[posted.length % MOVEMENTS.length] as (typeof MOVEMENTS)[number];
    for (const account of Object.keys(accounts)) {
      yield { verb: "postAtBank", as: posting, account, ...movement };
    }
    for (const { account, amount, merchant, removedBy } of Object.values(postings)) {
      if (removedBy) continue;
      yield { verb: "postAtBank", as: posting, account, amount, merchant };
    }
  }
  for (const name of posted) {
    for (const verb of ["removeAtProvider", "retireDuplicate"] as const) {
      yield { verb, posting: name };
    }
  }
  if (limits.varied) {
    for (const seconds of [3_600, 172_800]) yield { verb: "advance", seconds };
  }
}

/** The names that scripts gave themselves, such as `card 1` rather than `card of account 1`. */
function own(resources: object, kind: string): Name[] {
  return Object.keys(resources).filter((name) => /^\w+ \d+$/.test(name) && name.startsWith(kind));
}

function next(names: readonly Name[], kind: string): Name {
  return `${kind} ${names.length + 1}`;
}
