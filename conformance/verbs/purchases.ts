import type { Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { idOf } from "../../src/contract/rules/link.ts";
import { bodyOf, breachAt, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { textAt } from "../observe/deliveries/find.ts";
import { messageIdsOf, supersededIn } from "../observe/feed.ts";
import { operationAt } from "../observe/operations.ts";
import { isGone, itemsWithIds, listedSoon } from "../observe/pages.ts";
import { HOUR_S, MONTH_S } from "./drive.ts";
import { cents, changeOne, isUsable, type PurchaseState, withOne } from "./model.ts";
import { about, match, only, retraction, values, where } from "./owed.ts";
import { meaningFor, type Owed, onOne, type Rows, type Wanted } from "./row.ts";
import { type Name, nextName, type StepOf } from "./step.ts";
import type { World } from "./world.ts";

/** Prices that differ enough for no matcher to confuse two of them. */
export const PRICES = [
  { amount: 31.2, merchant: "KIOSK MORGENROT" },
  { amount: 812.46, merchant: "HOTEL VESTERBRO" },
  { amount: 97.08, merchant: "FARMACIA DEL SOL" },
  { amount: 2640.5, merchant: "GARAGE TERVUREN" },
] as const;

/** The card side of purchases, forced re-matches, and merchant data. */
export const purchaseRows: Rows<"authorize" | "tellLate" | "clear" | "rematch" | "enrich"> = {
  authorize: {
    when: ({ cards, purchases }, { as, card }) =>
      isUsable(cards[card]) && !(as in purchases) ? "applies" : undefined,
    apply: (model, step) => withOne(model, "purchases", step.as, pending(step)),
    owes: (world, step) => newPurchase(world, step, [UNSETTLED]),
    *variants({ cards, purchases }, limits) {
      const as = nextName(purchases, "purchase", limits.purchases);
      if (as === undefined) return;
      const count = Object.keys(purchases).length;
      const price = PRICES[count % PRICES.length] as (typeof PRICES)[number];
      for (const card of Object.keys(cards)) yield { verb: "authorize", as, card, ...price };
    },
  },

  // Card data of a posting that the bank has made is matched later, on a schedule.
  tellLate: {
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
      const after = changeOne(model, "postings", step.posting, { purchase: step.as });
      const posted = model.postings[step.posting]?.amount ?? 0;
      const own = { ...pending(step), postings: [step.posting], posted };
      const chosen = step.confidence === undefined ? {} : { isAmountOpen: true as const };
      const purchase = { ...own, ...chosen, status: "SETTLED", isOpen: true } as const;
      return withOne(after, "purchases", step.as, purchase);
    },
    owes: (world, step, result) => lateData(world, step, textAt(result, "/confidence")),
    situations: () => ["late-card-data"],
    waits: (_, owed) =>
      owed.some(({ claims }) => claims.includes("MAT-09.rematched")) ? MONTH_S : HOUR_S,
    mayCause: () => ["transaction.match.created"],
    *variants({ accounts, purchases, postings }, limits) {
      const as = nextName(purchases, "purchase", limits.purchases);
      if (as === undefined) return;
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
    ...onOne("clear", "purchase", ({ amount, cleared, isAmountOpen }, step) => {
      const isPart = step.amount !== undefined;
      const isLeft = cleared + (step.amount ?? 0.01) <= amount;
      return isLeft && !(isPart && isAmountOpen) ? "applies" : undefined;
    }),
    apply: (model, step) => {
      const { amount, cleared } = model.purchases[step.purchase] as PurchaseState;
      const by = step.amount ?? amount - cleared;
      const isPart = cents(by) !== cents(amount);
      const settled = isPart ? { isOpen: true } : { status: "SETTLED" as const };
      const change = { cleared: cleared + by, ...settled };
      return changeOne(model, "purchases", step.purchase, change);
    },
    bind: (world, { purchase }, result) => {
      const clearingId = textAt(result, "/messageId");
      if (clearingId !== undefined) world.bind(purchase, { clearingId });
    },
    owes: (world, step) => clearing(world, step),
    situations: (world, step) => [ordinalOf(world, step)],
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
    ...onOne("rematch", "purchase", ({ postings }, _, model) => {
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
    apply: (model, { purchase }) => changeOne(model, "purchases", purchase, { isOpen: true }),
    // Of a purchase in parts, the target may re-match only some.
    owes: (world, { purchase }) => {
      const own = matchesOfPurchase(world, purchase);
      return own.length === 1 ? own.map(replaced) : [];
    },
    owesByApi: async (session, world, { purchase }) => {
      const ids = matchesOfPurchase(world, purchase);
      const lists = await listedSoon(
        session,
        () => itemsWithIds(session, "GET /transaction-matches", ids),
        (found) => !found.some(isGone),
      );
      return ids.filter((_, at) => isGone(lists[at])).map(replaced);
    },
    forbids: (world, { purchase }) => {
      const known = new Set(matchesOfPurchase(world, purchase, world.announced));
      const event = "transaction.match.created";
      const what = `${event} with the id of an earlier match of the purchase`;
      const is = (body: unknown) => known.has(textAt(body, "/matchId") ?? "");
      return [{ claim: "MAT-07.new-ids", event, what, is }];
    },
    situations: () => ["rematched"],
    mayCause: () => ["transaction.match.created"],
  },

  // ENR-02: the shape is open, but the event must come. Exploration has nothing to vary.
  enrich: {
    params: (step, world) => ({ messageId: enrichedMessage(world, step) }),
    ...onOne("enrich", "purchase", ({ cleared }, { message }) =>
      message === "authorization" || cleared > 0 ? "applies" : undefined,
    ),
    apply: (model) => model,
    owes: (world, step) => {
      const messageId = enrichedMessage(world, step);
      const expected = `the message that was enriched, ${messageId}`;
      const link = (body: unknown) => textAt(body, MESSAGE_LINK) ?? "";
      const leads = (body: unknown) => operationAt(link(body)) === "GET /transaction-messages/{id}";
      const isRight = (body: unknown) => idOf(link(body)).toLowerCase() === messageId.toLowerCase();
      const wants = [only(where("ENR-01.message-link", MESSAGE_LINK, expected, isRight), leads)];
      const event = "enrichment.merchant.created";
      return [{ claims: ["ENR-01.announced"], event, what: event, is: () => true, wants }];
    },
    situations: (_, { message }) => [message],
    variants: () => [],
  },
};

const MESSAGE_LINK = "/_links/message/href";

function enrichedMessage(world: World, { purchase, message }: StepOf<"enrich">): string {
  const { messageId, clearingId } = world.idsOf(purchase);
  return message === "authorization" ? messageId : clearingId;
}

function pending({ card, amount, merchant }: StepOf<"authorize" | "tellLate">): PurchaseState {
  const nothing = { postings: [], posted: 0, cleared: 0, isOpen: false };
  return { card, amount, merchant, status: "PENDING", ...nothing };
}

/** No posting or clearing has settled it yet. */
const UNSETTLED = where("TXN-12.settles", "/status", "not SETTLED before a posting", (body) => {
  return textAt(body, "/status") !== "SETTLED";
});

function newPurchase(
  world: World,
  { as, card }: StepOf<"authorize" | "tellLate">,
  wants: readonly Wanted[] = [],
): Owed[] {
  const { transactionId, messageId } = world.idsOf(as);
  const { cardId } = world.idsOf(card);
  return [
    ...(messageId === undefined ? [] : [announcedMessage(messageId, "authorization")]),
    {
      claims: ["WHK-05.owed"],
      ...about("transaction.created", "/id", transactionId),
      wants: [values("TXN-02.card-id", { "/cardId": cardId }), ...wants],
      once: "WHK-05.once",
      in: ["card-purchase"],
    },
  ];
}

const CARD_SOURCED = where(
  ...(["MSG-08.null-card", "/bankData", "null or nothing: card-sourced"] as const),
  (body) => (memberOf(body, "bankData") ?? null) === null,
);

function announcedMessage(messageId: string, ...situations: Situation[]): Owed {
  const message = about("transactionmessage.created", "/id", messageId);
  return { claims: ["WHK-05.message-owed"], ...message, wants: [CARD_SOURCED], in: situations };
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
  const unless = () =>
    isPromised && world.matchesOf(bankTransactionId).length === 0
      ? `tellLate promised a match of confidence ${promised}, but none came`
      : undefined;
  return [...newPurchase(world, step), { ...match("MAT-09.rematched", bankTransactionId), unless }];
}

/** Whether it is the first clearing of its purchase. */
function ordinalOf({ model }: World, { purchase }: StepOf<"clear">): Situation {
  return (model.purchases[purchase]?.cleared ?? 0) > 0 ? "second-clearing" : "first-clearing";
}

function clearing(world: World, step: StepOf<"clear">): Owed[] {
  const purchase = world.model.purchases[step.purchase] as PurchaseState;
  const { transactionId, clearingId } = world.idsOf(step.purchase);
  const { status, isOpen, postings, cleared, posted, amount } = purchase;
  const known = world.latest.get(transactionId)?.json;
  const isSettled = textAt(known, "/status") === "SETTLED";
  const isWhole = step.amount === undefined && cleared === 0 && cents(posted) === cents(amount);
  const [first] = postings;
  const provisional = first && world.messageOf(world.idsOf(first).bankTransactionId, known);
  const isDuplicate = isWhole && !isOpen && isSettled && provisional !== undefined;
  const isSettledByBank = isSettled && memberOf(known, "transactionSettledAmount") === posted;
  const isRevised = step.amount === undefined && postings.length === 1 && posted !== amount;
  const isBilledAlike = (body: unknown) =>
    textAt(body, "/cardholderBillingCurrency") === textAt(body, "/transactionCurrency");
  const revised = [
    values("TXN-13.revises", { "/transactionSettledAmount": amount }),
    only(values("TXN-13.revises", { "/cardholderBillingSettledAmount": amount }), isBilledAlike),
  ];
  const marked: Wanted = {
    ...{ claim: "TXN-13.marks-in-same-event", alone: "TXN-13.supersedes", in: ["posted-first"] },
    breaches: (update) => supersedes(update, provisional, clearingId),
  };
  const wants = [marked, values("TXN-13.stays-settled", { "/status": "SETTLED" })];
  const more = ` with the clearing ${clearingId}`;
  const update = about("transaction.updated", "/id", transactionId, more);
  return [
    announcedMessage(clearingId, ordinalOf(world, step), "clearing"),
    {
      claims: [status === "SETTLED" ? "TXN-13.updated" : "WHK-05.every-change"],
      ...{ ...update, is: (body) => update.is(body) && messageIdsOf(body).includes(clearingId) },
      ...(isDuplicate && { wants, row: { table: "transaction", row: 2, case: "SETTLED" } }),
      ...(isRevised && isSettledByBank && { wants: revised }),
    },
  ];
}

/** The announced matches of a purchase; default: those that were not retracted. */
function matchesOfPurchase(
  world: World,
  purchase: Name,
  matches: World["matches"] = world.matches,
): string[] {
  const { transactionId } = world.idsOf(purchase);
  const { postings = [] } = world.model.purchases[purchase] ?? {};
  const debits = postings.map((name) => world.idsOf(name).bankTransactionId);
  return [...matches]
    .filter(
      ([, { cardTransactionId, bankTransactionIds }]) =>
        cardTransactionId === transactionId || bankTransactionIds.some((id) => debits.includes(id)),
    )
    .map(([matchId]) => matchId);
}

/** A forced re-match retracts the match. */
function replaced(matchId: string): Owed {
  return retraction("MAT-07.old-deleted", matchId, [
    values("MAT-07.reason", { "/reason": "rematch_superseded" }),
  ]);
}

function supersedes(update: Message, provisional: string | undefined, messageId: string): Breach[] {
  const ids = supersededIn(bodyOf(update));
  const path = "/supersededMessageIds";
  return [
    ...(ids.includes(provisional) ? [] : [breachAt(update, path, `the bank's ${provisional}`)]),
    ...(ids.includes(messageId) ? [breachAt(update, path, `not the clearing ${messageId}`)] : []),
  ];
}
