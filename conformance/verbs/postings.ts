import type { EventName } from "../../generated/events.ts";
import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { OPEN_BANKING, SETTLEMENT } from "../../src/contract/rules/vocabulary.ts";
import type { Session } from "../check.ts";
import { findEventsOf, textAt } from "../observe/deliveries/find.ts";
import { bankTransactionIn, isBankOnly, messageIdsOf, projectedMessages } from "../observe/feed.ts";
import { isGone, itemsWithId, listedSoon } from "../observe/pages.ts";
import { completionsForbidden } from "./links.ts";
import {
  type CardState,
  cents,
  changeOne,
  type Model,
  type PostingState,
  type PurchaseState,
  withOne,
} from "./model.ts";
import { about, has, laterBy, match, noRetraction, retraction, values, where } from "./owed.ts";
import { meaningFor, type Owed, onOne, type Row, type Rows, type Wanted } from "./row.ts";
import { type Name, nextName, type StepOf } from "./step.ts";
import type { World } from "./world.ts";

const DAY_S = 86_400;

/** Prices of movements that are debits of no purchase. */
export const MOVEMENTS = [
  { amount: 47.84, merchant: "LATERNA BOOKS" },
  { amount: 1290.12, merchant: "FERRY SKAGERRAK" },
  { amount: 163.66, merchant: "SAUNA KAJAANI" },
  { amount: 5208.3, merchant: "NOTARIA SALVADOR" },
  { amount: 418.92, merchant: "OPTIK LINDQVIST" },
] as const;

type Removal = "removeAtProvider" | "retireDuplicate";

/** The bank side: postings, the clock, and the ends of postings. */
export const postingRows: Rows<"postAtBank" | "advance" | Removal> = {
  postAtBank: {
    when: (model, step) => {
      const isActive = model.accounts[step.account]?.state === "active";
      if (isActive === (step.isLater === true) || step.as in model.postings) return;
      if (step.purchase === undefined) return "applies";
      return meaningFor(model.purchases[step.purchase], ({ card, amount, posted }) => {
        const isOwn = model.cards[card]?.account === step.account;
        return isOwn && cents(posted + step.amount) <= cents(amount) ? "applies" : undefined;
      });
    },
    apply: (model, { as, account, amount, merchant = "", purchase }) => {
      const posting: PostingState = { account, amount, merchant, day: model.day };
      if (purchase === undefined) return withOne(model, "postings", as, posting);
      const after = withOne(model, "postings", as, { ...posting, purchase });
      const { posted, postings, amount: whole } = model.purchases[purchase] as PurchaseState;
      const isWhole = cents(amount) === cents(whole);
      return changeOne(after, "purchases", purchase, {
        ...{ posted: posted + amount, postings: [...postings, as] },
        ...(isWhole ? { status: "SETTLED" } : { isOpen: true }),
      });
    },
    later: (world, { account, amount, isLater }) => {
      if (!isLater) return undefined;
      const isOn = has("/bankAccountId", world.idsOf(account).bankAccountId);
      const is = (body: unknown) => isOn(body) && memberOf(body, "amount") === amount;
      const ids = (body: unknown) => ({ bankTransactionId: textAt(body, "/id") ?? "" });
      return laterBy({ event: "banktransaction.created", is }, ids, "posted-while-lost");
    },
    owes: (world, step) => {
      if (step.type !== undefined || step.pending) return [];
      const synced = sync(world, step);
      if (step.purchase !== undefined) return [synced, ...debit(world, step, step.purchase)];
      // What a posting matches that equals another one is open.
      const isTwin = Object.values(world.model.postings).some(
        ({ account, amount, merchant }) =>
          account === step.account && amount === step.amount && merchant === step.merchant,
      );
      return isTwin ? [synced] : [synced, ...movement(world, step)];
    },
    owesByApi: (session, world, step) => wishes(session, world, step),
    mayCause: ({ purchase }) =>
      purchase === undefined ? [] : ["transaction.match.created", "transaction.updated"],
    situations: (world, { account, purchase }) => {
      const cards = cardsInReqSca(world, account);
      const isLinked = (world.model.accounts[account]?.cards ?? []).length > 0;
      const { card = "" } = world.model.purchases[purchase ?? ""] ?? {};
      const { enrollmentType } = world.model.cards[card] ?? {};
      return [
        purchase !== undefined ? "posted" : isLinked ? "linked-card" : "cardless",
        ...(enrollmentType ? [enrollmentType] : []),
        ...(cards.length > 0 ? (["in-reqsca"] as const) : []),
        ...cards.map((card): Situation => (card.wasUpgraded ? "upgraded" : "linked-later")),
      ];
    },
    *variants(model, limits) {
      const as = nextName(model.postings, "posting", limits.postings);
      if (as === undefined) return;
      const purchases = Object.entries(model.purchases);
      for (const [purchase, { card, amount, merchant, posted: sum }] of purchases) {
        const account = model.cards[card]?.account;
        if (account === undefined) continue;
        const debit = { verb: "postAtBank", as, account, merchant, purchase } as const;
        const half = Math.round(amount * 50) / 100;
        if (limits.varied && sum === 0) yield { ...debit, amount: half };
        const rest = Math.round((amount - sum) * 100) / 100;
        if (rest > 0) yield { ...debit, amount: rest };
      }
      const count = Object.keys(model.postings).length;
      const price = MOVEMENTS[count % MOVEMENTS.length] as (typeof MOVEMENTS)[number];
      for (const account of Object.keys(model.accounts)) {
        yield { verb: "postAtBank", as, account, ...price };
      }
      for (const { account, amount, merchant, removedBy } of Object.values(model.postings)) {
        if (removedBy) continue;
        yield { verb: "postAtBank", as, account, amount, merchant };
      }
    },
  },

  // Matchers compare dates: what is matched after days is open.
  advance: {
    when: () => "applies",
    apply: (model, { seconds }) => {
      if (seconds < DAY_S) return model;
      const open = (after: Model, name: Name) =>
        changeOne(after, "purchases", name, { isOpen: true });
      return Object.keys(model.purchases).reduce(open, { ...model, day: model.day + 1 });
    },
    owes: () => [],
    forbids: completionsForbidden,
    *variants(_, limits) {
      if (!limits.varied) return;
      for (const seconds of [3_600, 172_800]) yield { verb: "advance", seconds };
    },
  },

  removeAtProvider: {
    ...removal("removeAtProvider", "provider_removed"),
    ...onOne("removeAtProvider", "posting", ({ removedBy }, { verb }) =>
      removedBy === undefined ? "applies" : removedBy === verb ? "repeats" : undefined,
    ),
    // A target without a connection may not know of the removal yet.
    later: (world, { posting, isLater }) =>
      isLater && laterBy(deleted(world.idsOf(posting).bankTransactionId)),
    situations: (world, { posting }) => ["removed", ...matchedIn(world, posting)],
  },

  // Only a pair of equal postings has a duplicate.
  retireDuplicate: {
    ...removal("retireDuplicate", "duplicate_retired"),
    ...onOne("retireDuplicate", "posting", ({ removedBy }, { verb, posting }, model) => {
      if (removedBy === verb) return "repeats";
      return twinOf(model, posting) === undefined ? undefined : "applies";
    }),
    situations: (world, { posting }) => ["retired", ...matchedIn(world, posting)],
    isRare: true,
  },
};

/** The cards of an account whose SCA is not cleared. The bank side keeps working (SUB-08). */
function cardsInReqSca({ model }: World, account: Name): CardState[] {
  const linked = model.accounts[account]?.cards ?? [];
  return linked.flatMap((name) => model.cards[name] ?? []).filter((one) => one.state === "reqSCA");
}

/** A claim, and another one if the SCA of a card of the account is not cleared. */
function alsoInSca(
  world: World,
  { account }: StepOf<"postAtBank">,
  claim: ClaimId,
  other: ClaimId,
): Owed["claims"] {
  return cardsInReqSca(world, account).length > 0 ? [claim, other] : [claim];
}

/** The announcement of a bank transaction, with values that it must have. */
function sync(
  world: World,
  step: StepOf<"postAtBank">,
  own: Record<string, unknown> = { "/transactionType": "debit", "/pending": false },
): Owed {
  const { bankAccountId } = world.idsOf(step.account);
  const common = { "/bankAccountId": bankAccountId, "/amount": step.amount, "/currency": "EUR" };
  return {
    claims: alsoInSca(world, step, "BTX-01.owed", "SUB-08.syncs"),
    ...about("banktransaction.created", "/id", world.idsOf(step.as).bankTransactionId),
    wants: [values("BTX-01.values", { ...common, ...own })],
    once: "BTX-01.owed",
  };
}

/** A credit or a pending posting is announced as it is, if the target has fulfilled the wish. */
async function wishes(
  session: Session,
  world: World,
  step: StepOf<"postAtBank">,
): Promise<readonly Owed[]> {
  const { type, pending, isLater } = step;
  if ((type === undefined && !pending) || isLater) return [];
  const { bankTransactionId: id } = world.idsOf(step.as);
  const [field, value] = type ? (["transactionType", type] as const) : (["pending", true] as const);
  const { items } = await listedSoon(
    session,
    () => itemsWithId(session, "GET /bank-transactions", id),
    (found) => !isGone(found),
  );
  const sent = findEventsOf(world.deliveries, "banktransaction.created", id);
  const views = [...items, ...sent.map(({ json }) => json)];
  if (!views.some((view) => memberOf(view, field) === value)) return [];
  const own = sync(world, step, { [`/${field}`]: value });
  return [{ ...own, in: [type ? "credit-posting" : "pending-posting"] }];
}

/** Row 1. Only the whole debit of an untouched purchase is certain to match and to settle it. */
function debit(world: World, step: StepOf<"postAtBank">, name: Name): Owed[] {
  const purchase = world.model.purchases[name] as PurchaseState;
  const { card, amount, cleared, postings, isOpen, status } = purchase;
  const isWhole = cents(step.amount) === cents(amount) && postings.length === 0 && !isOpen;
  if (!isWhole || world.model.cards[card]?.state === "deactivated") return [];
  const { bankTransactionId: id } = world.idsOf(step.as);
  const { bankAccountId } = world.idsOf(step.account);
  const sides = { "/cardTransaction/cardId": world.idsOf(card).cardId };
  const matched: Owed = {
    ...match("MAT-01.owed", id),
    claims: alsoInSca(world, step, "MAT-01.owed", "SUB-08.matches"),
    wants: [values("MAT-01.owed", { ...sides, "/matches/0/bankAccountId": bankAccountId })],
  };
  if (status !== "PENDING" || cleared > 0) return [matched];
  const { transactionId } = world.idsOf(name);
  const added = `a message of bank transaction ${id}`;
  const isAdded = (body: unknown) =>
    projectedMessages(body)?.some((one) => bankTransactionIn(one) === id) ?? true;
  const unless = () => lessThanHigh(world, id);
  return [
    matched,
    {
      ...{ claims: ["WHK-05.message-owed"], unless },
      ...madeOf(id, "transactionmessage.created", (body) => world.isMessageOf(id, body)),
      wants: [values("TXN-12.message-added", { "/messageType": SETTLEMENT })],
    },
    {
      ...{ claims: ["TXN-12.updated"], unless },
      ...about("transaction.updated", "/id", transactionId, " that settles it"),
      wants: [
        values("TXN-12.settles", { "/status": "SETTLED" }),
        where("TXN-12.message-added", "/_embedded/messages", added, isAdded),
      ],
      row: { table: "transaction", row: 1, case: "PENDING" },
    },
  ];
}

/** An event of what a bank transaction made. */
function madeOf(id: string, event: EventName, is: Owed["is"]): Pick<Owed, "event" | "what" | "is"> {
  return { event, what: `${event} of bank transaction ${id}`, is };
}

/** Why a posting need not settle its purchase: the verb promises a match of confidence HIGH. */
function lessThanHigh(world: World, bankTransactionId: string): string | undefined {
  const levels = world.matchesOf(bankTransactionId).map(({ confidence }) => confidence);
  if (levels.length === 0 || levels.includes("HIGH")) return undefined;
  return `postAtBank promises a match of confidence HIGH, but it was ${levels.join(", ")}`;
}

/** Row 4. */
function movement(world: World, step: StepOf<"postAtBank">): Owed[] {
  const { bankTransactionId: id } = world.idsOf(step.as);
  // TXN-16 reports a message without its source.
  const isAlike = (message: unknown) =>
    isBankOnly(message) &&
    memberOf(message, "bankData") === null &&
    memberOf(message, "transactionAmount") === step.amount;
  const isOwn = (message: unknown) => world.isMessageOf(id, message) || isAlike(message);
  const isListed = (body: unknown) =>
    projectedMessages(body)?.some(isOwn) || messageIdsOf(body).some((one) => isOwn({ id: one }));
  return [
    {
      claims: ["TXN-15.message-event", "WHK-05.message-owed"],
      ...madeOf(id, "transactionmessage.created", isOwn),
      wants: [values("TXN-15.is-finl-advc", { "/messageType": SETTLEMENT })],
    },
    {
      claims: ["TXN-15.transaction-event", "WHK-05.owed"],
      ...madeOf(id, "transaction.created", isListed),
      wants: [
        values("TXN-15.transaction-event", { "/status": "SETTLED" }),
        values("TXN-16.network", { "/network": OPEN_BANKING }),
        values("TXN-09.sums", { "/transactionSettledAmount": step.amount }),
        ...ownerOf(world, step.account),
      ],
      ...{ once: "WHK-05.once", in: ["bank-only"] },
      row: { table: "transaction", row: 4, case: "(new)" },
    },
  ];
}

/** The account's oldest linked card. Whether a deactivated one still counts is open. */
function ownerOf({ model, ids }: World, account: Name): Wanted[] {
  const linked = model.accounts[account]?.cards ?? [];
  if (linked.length === 0) {
    return [
      values("TXN-02.null-cardless", { "/cardId": null }),
      values("TXN-17.null-cardless", { "/cardId": null, "/_links/card": undefined }),
    ];
  }
  const isActive = (name: Name) => model.cards[name]?.state !== "deactivated";
  const [first, second] = linked;
  const isEnded = first !== undefined && !isActive(first);
  const may = (isEnded ? [first, linked.find(isActive)] : [first]).flatMap((name) => {
    return (name && ids.get(name)?.cardId) ?? [];
  });
  // The oldest card may be the one that was linked first, or the one that was created first.
  const [created] = [...ids.keys()].filter((name) => linked.includes(name));
  if (may.length === 0 || (created !== first && !isEnded)) return [];
  const situation = second === undefined ? "one-linked-card" : "two-linked-cards";
  const isOne = (body: unknown) => may.some((cardId) => memberOf(body, "cardId") === cardId);
  return [
    where("TXN-17.oldest-card", "/cardId", may.join(" or "), isOne),
    values("TXN-17.keeps-network", { "/network": OPEN_BANKING }),
  ].map((one) => ({ ...one, in: [isEnded ? "oldest-deactivated" : situation] }));
}

/** What both ends of a posting have in common. Its match, if any, is retracted. */
function removal(
  removedBy: Removal,
  reason: string,
): Pick<Row<Removal>, "apply" | "owes" | "forbids"> {
  return {
    apply: (model, { posting: name }) => {
      const after = changeOne(model, "postings", name, { removedBy });
      const { purchase } = model.postings[name] as PostingState;
      return purchase === undefined
        ? after
        : changeOne(after, "purchases", purchase, { isOpen: true });
    },
    owes: (world, { posting }) => deletion(world, posting, reason),
    forbids: (world, { posting }) => {
      const { bankTransactionId: id } = world.idsOf(posting);
      return world.matchesOf(id).length > 0 ? [] : [noRetraction(id)];
    },
  };
}

function deleted(bankTransactionId: string) {
  return about("banktransaction.deleted", "/id", bankTransactionId);
}

/** The end of a bank transaction, and of its matches. */
function deletion(world: World, posting: Name, reason: string): Owed[] {
  const { bankTransactionId: id } = world.idsOf(posting);
  const { bankAccountId } = world.idsOf(world.model.postings[posting]?.account ?? "");
  const retired = values("BTX-05.reason", { "/reason": "bank_transaction_retired" });
  return [
    {
      claims: ["BTX-04.owed"],
      ...deleted(id),
      wants: [
        values("BTX-04.account", { "/bankAccountId": bankAccountId }),
        values("BTX-04.reason", { "/reason": reason }),
      ],
      once: "BTX-04.owed",
    },
    ...world.matchesOf(id).map(({ delivery }) => {
      return retraction("BTX-05.retracted", textAt(delivery.json, "/matchId") ?? "", [retired]);
    }),
  ];
}

/** The removals while the connection was lost that the list shows, but no event. */
export async function removalsByApi(
  session: Session,
  world: World,
  { account }: { readonly account: Name },
): Promise<readonly Owed[]> {
  const owed: Owed[] = [];
  for (const { step } of world.pending) {
    if (step.verb !== "removeAtProvider") continue;
    if (world.model.postings[step.posting]?.account !== account) continue;
    const { bankTransactionId } = world.idsOf(step.posting);
    const list = await itemsWithId(session, "GET /bank-transactions", bankTransactionId);
    if (isGone(list)) owed.push(...deletion(world, step.posting, "provider_removed"));
  }
  return owed;
}

function matchedIn(world: World, posting: Name) {
  const { bankTransactionId } = world.idsOf(posting);
  return [world.matchesOf(bankTransactionId).length > 0 ? "matched" : "unmatched"] as const;
}

/** Another posting of its day that is equal and not removed. */
function twinOf({ postings }: Model, name: Name): Name | undefined {
  const contentOf = ({ account, amount, merchant, day, removedBy }: PostingState) =>
    JSON.stringify([account, amount, merchant, day, removedBy]);
  const own = contentOf(postings[name] as PostingState);
  const equal = Object.entries(postings).find(([other, posting]) => {
    return other !== name && contentOf(posting) === own;
  });
  return postings[name]?.removedBy ? undefined : equal?.[0];
}
