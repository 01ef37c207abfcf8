import { bodyOf, breachAt, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { listAt, messageIdsOf, textAt } from "../scenarios/find-deliveries.ts";
import {
  cents,
  changePurchase,
  isUsable,
  type PostingState,
  type PurchaseState,
  withPurchase,
} from "./model.ts";
import { has, match, retraction, values } from "./owed.ts";
import { meaningFor, type Owed, type Rows, type Wanted } from "./row.ts";
import { nextName, type StepOf } from "./step.ts";
import type { World } from "./world.ts";

/** Prices that differ enough for no matcher to confuse two of them. */
export const PRICES = [
  { amount: 31.2, merchant: "KIOSK MORGENROT" },
  { amount: 812.46, merchant: "HOTEL VESTERBRO" },
  { amount: 97.08, merchant: "FARMACIA DEL SOL" },
  { amount: 2640.5, merchant: "GARAGE TERVUREN" },
] as const;

const HOUR_S = [10, 50, 240, 3_300];
const MONTH_S = [...HOUR_S, 18_000, 64_800, 172_800, 432_000, 864_000, 1_036_800];

/** The card side of purchases, and forced re-matches. */
export const purchaseRows: Rows<"authorize" | "tellLate" | "clear" | "rematch"> = {
  authorize: {
    params: ({ card, amount, merchant }, world) => ({
      cardId: world.idsOf(card).cardId,
      amount,
      merchant,
    }),
    when: ({ cards, purchases }, { as, card }) =>
      isUsable(cards[card]) && !(as in purchases) ? "applies" : undefined,
    apply: (model, step) => withPurchase(model, step.as, pending(step)),
    owes: (world, step) => newPurchase(world, step),
    *variants({ cards, purchases }, limits) {
      const bought = Object.keys(purchases);
      if (bought.length >= limits.purchases) return;
      const price = PRICES[bought.length % PRICES.length] as (typeof PRICES)[number];
      for (const card of Object.keys(cards)) {
        yield { verb: "authorize", as: nextName(bought, "purchase"), card, ...price };
      }
    },
  },

  // Card data of a posting that the bank has made is matched later, on a schedule.
  tellLate: {
    params: ({ verb, as, card, posting, ...details }, world) => {
      const { bankTransactionId } = world.idsOf(posting);
      return { cardId: world.idsOf(card).cardId, bankTransactionId, ...details };
    },
    when: ({ cards, purchases, postings }, { as, card: name, posting }) => {
      const card = cards[name];
      return meaningFor(postings[posting], ({ account, purchase, removedBy }) => {
        const isFree = purchase === undefined && removedBy === undefined;
        const isOwn = card?.account === account && isUsable(card);
        return isFree && isOwn && !(as in purchases) ? "applies" : undefined;
      });
    },
    // It may have matched a purchase whose equal posting was removed.
    isKnown: (world, { posting }) =>
      world.matchesOf(world.idsOf(posting).bankTransactionId).length === 0,
    apply: (model, step) => {
      const posting = { ...(model.postings[step.posting] as PostingState), purchase: step.as };
      const after = { ...model, postings: { ...model.postings, [step.posting]: posting } };
      const own = { ...pending(step), postings: [step.posting], posted: posting.amount };
      const chosen = step.confidence === undefined ? {} : { isAmountOpen: true as const };
      return withPurchase(after, step.as, { ...own, ...chosen, status: "SETTLED", isOpen: true });
    },
    owes: (world, step, result) => lateData(world, step, textAt(result, "/confidence")),
    situations: () => ["late-card-data"],
    waits: (_, owed) =>
      owed.some(({ claims }) => claims.includes("MAT-09.rematched")) ? MONTH_S : HOUR_S,
    mayCause: "transaction.match.created",
    *variants({ accounts, purchases, postings }, limits) {
      const bought = Object.keys(purchases);
      if (bought.length >= limits.purchases) return;
      const as = nextName(bought, "purchase");
      for (const [posting, { account, amount, merchant }] of Object.entries(postings)) {
        const late = { verb: "tellLate", as, posting, merchant } as const;
        for (const card of accounts[account]?.cards ?? []) {
          yield { ...late, card, amount };
          for (const confidence of ["MEDIUM", "LOW"] as const) {
            yield { ...late, card, amount, confidence };
          }
          // Of which confidence such a match is, is open.
          if (limits.varied) yield { ...late, card, amount: Math.round(amount * 83) / 100 };
        }
      }
    },
    simpler: ({ confidence, ...simple }) => (confidence === undefined ? undefined : simple),
    isRare: true,
  },

  // Row 2: the network's clearing supersedes the provisional bank message.
  clear: {
    params: ({ purchase, amount }, world) => {
      const { transactionId } = world.idsOf(purchase);
      return { transactionId, ...(amount !== undefined && { amount }) };
    },
    when: ({ purchases }, step) =>
      meaningFor(purchases[step.purchase], ({ amount, cleared, isAmountOpen }) => {
        const isPart = step.amount !== undefined;
        const isLeft = cleared + (step.amount ?? 0.01) <= amount;
        return isLeft && !(isPart && isAmountOpen) ? "applies" : undefined;
      }),
    apply: (model, step) => {
      const { amount, cleared } = model.purchases[step.purchase] as PurchaseState;
      const by = step.amount ?? amount - cleared;
      const isPart = cents(by) !== cents(amount);
      const settled = isPart ? { isOpen: true } : { status: "SETTLED" as const };
      return changePurchase(model, step.purchase, { cleared: cleared + by, ...settled });
    },
    owes: (world, step, result) => clearing(world, step, textAt(result, "/messageId") ?? ""),
    *variants({ purchases }, limits) {
      for (const [purchase, { amount, cleared }] of Object.entries(purchases)) {
        yield { verb: "clear", purchase };
        if (!limits.varied || cleared > 0) continue;
        yield { verb: "clear", purchase, amount: Math.round(amount * 50) / 100 };
      }
    },
    simpler: ({ verb, purchase, amount }) =>
      amount === undefined ? undefined : { verb, purchase },
  },

  // A forced re-match retracts every match of the purchase. New ones have new ids.
  rematch: {
    params: ({ purchase }, world) => ({ transactionId: world.idsOf(purchase).transactionId }),
    when: (model, { purchase }) =>
      meaningFor(model.purchases[purchase], ({ postings }) => {
        const isPosted = postings.some((name) => !model.postings[name]?.removedBy);
        return isPosted ? "applies" : undefined;
      }),
    // Which of equal postings, and which parts of a purchase, match is open.
    isKnown: (world, { purchase }) => {
      const { postings = [] } = world.model.purchases[purchase] ?? {};
      return postings.some(
        (name) => world.matchesOf(world.idsOf(name).bankTransactionId).length > 0,
      );
    },
    apply: (model, { purchase }) => changePurchase(model, purchase, { isOpen: true }),
    owes: (world, { purchase }) => {
      const { transactionId } = world.idsOf(purchase);
      return [...world.matches.entries()]
        .filter(([, { cardTransactionId }]) => cardTransactionId === transactionId)
        .map(([matchId]) =>
          retraction("MAT-07.old-deleted", matchId, [
            values("MAT-07.reason", { "/reason": "rematch_superseded" }),
          ]),
        );
    },
    situations: () => ["rematched"],
    *variants({ purchases }) {
      for (const purchase of Object.keys(purchases)) yield { verb: "rematch", purchase };
    },
  },
};

function pending({ card, amount, merchant }: StepOf<"authorize" | "tellLate">): PurchaseState {
  const nothing = { postings: [], posted: 0, cleared: 0, isOpen: false };
  return { card, amount, merchant, status: "PENDING", ...nothing };
}

function newPurchase(world: World, { as, card }: StepOf<"authorize" | "tellLate">): Owed[] {
  const { transactionId, messageId } = world.idsOf(as);
  const { cardId } = world.idsOf(card);
  return [
    ...(messageId === undefined ? [] : [announcedMessage(messageId)]),
    {
      claims: ["WHK-05.owed"],
      event: "transaction.created",
      what: `transaction.created of ${transactionId}`,
      is: has("/id", transactionId),
      wants: [values("TXN-02.card-id", { "/cardId": cardId })],
    },
  ];
}

function announcedMessage(messageId: string): Owed {
  return {
    claims: ["WHK-05.message-owed"],
    event: "transactionmessage.created",
    what: `transactionmessage.created of ${messageId}`,
    is: has("/id", messageId),
  };
}

/** @param promised The confidence that the driver says the target is to find. */
function lateData(world: World, step: StepOf<"tellLate">, promised?: string): Owed[] {
  const { bankTransactionId } = world.idsOf(step.posting);
  const { day, postings } = world.model;
  const posting = postings[step.posting];
  const isAlone = Object.entries(postings).every(
    ([name, { amount, account }]) =>
      name === step.posting || amount !== posting?.amount || account !== posting.account,
  );
  // Whether other amounts match is open.
  const isEqual = step.confidence === undefined && posting?.amount === step.amount;
  const isPromised = promised !== undefined && promised !== "NONE";
  const isCertain = isAlone && (isEqual || isPromised) && posting?.day === day;
  if (!isCertain || !world.canAdvance) return newPurchase(world, step);
  return [...newPurchase(world, step), match("MAT-09.rematched", bankTransactionId)];
}

function clearing(world: World, step: StepOf<"clear">, messageId: string): Owed[] {
  const purchase = world.model.purchases[step.purchase] as PurchaseState;
  const { transactionId } = world.idsOf(step.purchase);
  const { status, isOpen, postings, cleared, posted, amount } = purchase;
  const isWhole = step.amount === undefined && cleared === 0 && cents(posted) === cents(amount);
  const [first] = postings;
  const provisional = first && world.messageOf(world.idsOf(first).bankTransactionId);
  const isDuplicate = isWhole && !isOpen && status === "SETTLED" && provisional !== undefined;
  const wants: Wanted[] = [
    {
      claim: "TXN-13.supersedes",
      breaches: (update) => supersedes(update, provisional, messageId),
    },
    values("TXN-13.stays-settled", { "/status": "SETTLED" }),
  ];
  return [
    announcedMessage(messageId),
    {
      claims: [status === "SETTLED" ? "TXN-13.updated" : "WHK-05.every-change"],
      event: "transaction.updated",
      what: `transaction.updated of ${transactionId} with the clearing ${messageId}`,
      is: (body) => has("/id", transactionId)(body) && messageIdsOf(body).includes(messageId),
      ...(isDuplicate && { wants, row: { table: "transaction", row: 2, case: "SETTLED" } }),
    },
  ];
}

function supersedes(update: Message, provisional: string | undefined, messageId: string): Breach[] {
  const ids = listAt(bodyOf(update), "supersededMessageIds");
  const path = "/supersededMessageIds";
  return [
    ...(ids.includes(provisional) ? [] : [breachAt(update, path, `the bank's ${provisional}`)]),
    ...(ids.includes(messageId) ? [breachAt(update, path, `not the clearing ${messageId}`)] : []),
  ];
}
