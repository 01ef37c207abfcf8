import { UsageError } from "../../src/errors.ts";
import type { Verb } from "../driver.ts";
import { meaningOf } from "./meaning.ts";
import { applied, concernedBy, emptyModel, type Model } from "./model.ts";
import type { Name, Script, ScriptAccount, Step } from "./step.ts";

/** Prices that differ enough for no matcher to confuse two of them. */
const PRICES = [
  { amount: 31.2, merchant: "KIOSK MORGENROT" },
  { amount: 812.46, merchant: "HOTEL VESTERBRO" },
  { amount: 97.08, merchant: "FARMACIA DEL SOL" },
  { amount: 2640.5, merchant: "GARAGE TERVUREN" },
] as const;

const CARD_WITH_BANK: readonly Step[] = [
  { verb: "enroll", as: "card 1" },
  { verb: "clearSca", card: "card 1" },
  {
    verb: "startLink",
    as: "link 1",
    accounts: [
      { as: "account 1", type: "credit", card: "card 1" },
      { as: "account 2", type: "credit" },
    ],
  },
  { verb: "completeLink", link: "link 1", by: "notification" },
];

const SETTLED_PURCHASE: readonly Step[] = [
  ...CARD_WITH_BANK,
  { verb: "authorize", as: "purchase 1", card: "card 1", ...PRICES[0] },
  {
    ...{ verb: "postAtBank", as: "posting 1", account: "account 1", ...PRICES[0] },
    purchase: "purchase 1",
  },
];

/** Steps that create what many scripts need, the shortest first. A script begins with some. */
export const OPENINGS: readonly (readonly Step[])[] = [[], CARD_WITH_BANK, SETTLED_PURCHASE];

/** The openings of the exhaustive mode, whose scripts make their own purchases. */
export const EXHAUSTIVE_OPENINGS = OPENINGS.slice(0, 2);

/** Those openings that a driver with these verbs can play. */
export function playable(
  openings: readonly (readonly Step[])[],
  verbs: readonly Verb[],
): readonly (readonly Step[])[] {
  return openings.filter((steps) => steps.every(({ verb }) => verbs.includes(verb)));
}

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
        for (const confidence of ["MEDIUM", "LOW"] as const) {
          yield { ...late, card, amount, confidence };
        }
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

const SHORTEST = 3;
const LONGEST = 12;

/** How many scripts are drawn at once. */
const BATCH = 50;

/**
 * Draws random scripts that mean something: each step applies in the state after those before it,
 * or repeats one. The same seed and verbs give the same scripts.
 *
 * @throws {TxfeedError} `usage` if fast-check is not installed
 */
export async function* randomScripts(
  verbs: readonly Verb[],
  seed: number,
): AsyncGenerator<Script, never> {
  const fc = await loadFastCheck();
  const openings = playable(OPENINGS, verbs);
  const choice = fc.tuple(fc.nat({ max: 9 }), fc.nat(), fc.nat());
  const tape = fc.record({
    opening: fc.nat(),
    choices: fc.array(choice, { minLength: SHORTEST, maxLength: LONGEST, size: "max" }),
  });
  for (let batch = 0; ; batch++) {
    const tapes = fc.sample(tape, { seed: seed + batch * 7_919, numRuns: BATCH });
    for (const { opening, choices } of tapes) {
      const steps = openings[opening % openings.length] ?? [];
      yield { opening: steps, steps: stepsFor(verbs, modelAfter(steps), choices) };
    }
  }
}

/** Resolves each choice to a step that means something in the state after those before it. */
function stepsFor(verbs: readonly Verb[], start: Model, choices: readonly Choice[]): Step[] {
  let model = start;
  const steps: Step[] = [];
  for (const choice of choices) {
    const step = chosen(stepsIn(model, verbs, RANDOM_LIMITS), choice, model, steps.at(-1));
    if (!step) break;
    steps.push(step);
    if (meaningOf(model, step) === "applies") model = applied(model, step);
  }
  return steps;
}

/** Verbs that few states allow. Where they are possible, every second choice is one of them. */
const RARE: ReadonlySet<Verb> = new Set(["tellLate", "retireDuplicate"]);

/** Numbers that choose what kind of step it is, its verb, and its resources. */
type Choice = readonly [kind: number, verb: number, resources: number];

function chosen(
  all: readonly Step[],
  [kind, verb, resources]: Choice,
  model: Model,
  last: Step | undefined,
): Step | undefined {
  // One step of five may repeat another. Most are about a resource of the last step.
  const wanted = all.filter((step) => kind % 5 === 0 || meaningOf(model, step) === "applies");
  const topic = new Set(last && kind % 3 > 0 ? concernedBy(model, last) : []);
  const related = wanted.filter((step) => concernedBy(model, step).some((one) => topic.has(one)));
  const rare = wanted.filter((step) => kind % 2 === 1 && RARE.has(step.verb));
  const choices = [rare, related, wanted].find(({ length }) => length > 0) ?? [];
  const groups = [...Map.groupBy(choices, (step) => step.verb).values()];
  const group = groups[verb % groups.length];
  return group?.[resources % group.length];
}

/** The state after steps, if all of them are carried out. */
export function modelAfter(steps: readonly Step[]): Model {
  return steps.reduce(applied, emptyModel());
}

async function loadFastCheck() {
  try {
    return (await import("fast-check")).default;
  } catch (error) {
    const remedy = "install it: npm install --save-dev fast-check";
    throw new UsageError(`exploration needs the package fast-check; ${remedy}`, { cause: error });
  }
}
