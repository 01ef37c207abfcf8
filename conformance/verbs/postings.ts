import type { Situation } from "../../generated/requirements.ts";
import { OPEN_BANKING, SETTLEMENT } from "../../src/contract/rules/vocabulary.ts";
import { bodyOf, breachAt } from "../assert.ts";
import { bankTransactionIn, projectedMessages } from "../observe/feed.ts";
import { messageIdsOf, textAt } from "../scenarios/find-deliveries.ts";
import {
  type CardState,
  cents,
  changePurchase,
  type Model,
  type PostingState,
  type PurchaseState,
} from "./model.ts";
import { has, match, retraction, values } from "./owed.ts";
import { type Meaning, meaningFor, type Owed, type Row, type Rows, type Wanted } from "./row.ts";
import { type Name, nextName, type StepOf } from "./step.ts";
import type { World } from "./world.ts";

type Removal = "removeAtProvider" | "retireDuplicate";

const DAY_S = 86_400;

/** Prices of movements that are debits of no purchase. */
export const MOVEMENTS = [
  { amount: 47.84, merchant: "LATERNA BOOKS" },
  { amount: 1290.12, merchant: "FERRY SKAGERRAK" },
  { amount: 163.66, merchant: "SAUNA KAJAANI" },
  { amount: 5208.3, merchant: "NOTARIA SALVADOR" },
  { amount: 418.92, merchant: "OPTIK LINDQVIST" },
] as const;

/** The bank side: postings, their removal, and the clock. */
export const postingRows: Rows<"postAtBank" | Removal | "advance"> = {
  postAtBank: {
    params: ({ account, amount, merchant, purchase }, world) => {
      const { bankAccountId } = world.idsOf(account);
      const own =
        purchase === undefined ? {} : { transactionId: world.idsOf(purchase).transactionId };
      return { bankAccountId, amount, merchant, ...own };
    },
    when: (model, step) => {
      if (model.accounts[step.account]?.state !== "active" || step.as in model.postings) return;
      if (step.purchase === undefined) return "applies";
      return meaningFor(model.purchases[step.purchase], ({ card, amount, posted }) => {
        const isOwn = model.cards[card]?.account === step.account;
        return isOwn && cents(posted + step.amount) <= cents(amount) ? "applies" : undefined;
      });
    },
    apply: (model, { as, account, amount, merchant, purchase }) => {
      const own = { account, amount, merchant, isBankOnly: purchase === undefined, day: model.day };
      const posting: PostingState = { ...own, ...(purchase !== undefined && { purchase }) };
      const after = { ...model, postings: { ...model.postings, [as]: posting } };
      if (purchase === undefined) return after;
      const { posted, postings, amount: whole } = model.purchases[purchase] as PurchaseState;
      const settled =
        cents(amount) === cents(whole) ? { status: "SETTLED" as const } : { isOpen: true };
      const change = { posted: posted + amount, postings: [...postings, as], ...settled };
      return changePurchase(after, purchase, change);
    },
    owes: (world, step) => {
      const synced = sync(world, step);
      if (step.purchase !== undefined) return [synced, ...debit(world, step, step.purchase)];
      // What a posting matches that equals another one is open.
      const isTwin = Object.values(world.model.postings).some(
        ({ account, amount, merchant }) =>
          account === step.account && amount === step.amount && merchant === step.merchant,
      );
      return isTwin ? [synced] : [synced, ...movement(world, step)];
    },
    situations: (world, { account, purchase }) => {
      const cards = cardsInReqSca(world, account);
      const linked = world.model.accounts[account]?.cards ?? [];
      return [
        ...(purchase !== undefined ? (["posted"] as const) : []),
        ...(purchase === undefined && linked.length > 0 ? (["linked-card"] as const) : []),
        ...(purchase === undefined && linked.length === 0 ? (["cardless"] as const) : []),
        ...(cards.length > 0 ? (["in-reqsca"] as const) : []),
        ...cards.map((card): Situation => (card.wasUpgraded ? "upgraded" : "linked-later")),
      ];
    },
    *variants(model, limits) {
      const posted = Object.keys(model.postings);
      if (posted.length >= limits.postings) return;
      const as = nextName(posted, "posting");
      for (const [purchase, { card, amount, merchant, posted: sum }] of purchasesIn(model)) {
        const account = model.cards[card]?.account;
        if (account === undefined) continue;
        const debit = { verb: "postAtBank", as, account, merchant, purchase } as const;
        const half = Math.round(amount * 50) / 100;
        if (limits.varied && sum === 0) yield { ...debit, amount: half };
        const rest = Math.round((amount - sum) * 100) / 100;
        if (rest > 0) yield { ...debit, amount: rest };
      }
      const price = MOVEMENTS[posted.length % MOVEMENTS.length] as (typeof MOVEMENTS)[number];
      for (const account of Object.keys(model.accounts)) {
        yield { verb: "postAtBank", as, account, ...price };
      }
      for (const { account, amount, merchant, removedBy } of Object.values(model.postings)) {
        if (removedBy) continue;
        yield { verb: "postAtBank", as, account, amount, merchant };
      }
    },
  },

  removeAtProvider: {
    ...removal("removeAtProvider", "provider_removed"),
    when: ({ postings }, { verb, posting }) =>
      meaningFor(postings[posting], ({ removedBy }) =>
        removedBy === undefined ? "applies" : removedBy === verb ? "repeats" : undefined,
      ),
    situations: (world, { posting }) => ["removed", ...matchedIn(world, posting)],
  },

  // Only a pair of equal postings has a duplicate.
  retireDuplicate: {
    ...removal("retireDuplicate", "duplicate_retired"),
    when: (model, { verb, posting: name }) =>
      meaningFor(model.postings[name], ({ removedBy }): Meaning => {
        if (removedBy === verb) return "repeats";
        return twinOf(model, name) === undefined ? undefined : "applies";
      }),
    situations: (world, { posting }) => ["retired", ...matchedIn(world, posting)],
    isRare: true,
  },

  // Matchers compare dates: what is matched after days is open.
  advance: {
    params: ({ seconds }) => ({ seconds }),
    when: () => "applies",
    apply: (model, { seconds }) => {
      if (seconds < DAY_S) return model;
      const purchases = purchasesIn(model).map(([name, one]) => [name, { ...one, isOpen: true }]);
      return { ...model, purchases: Object.fromEntries(purchases), day: model.day + 1 };
    },
    owes: () => [],
    *variants(_, limits) {
      if (!limits.varied) return;
      for (const seconds of [3_600, 172_800]) yield { verb: "advance", seconds };
    },
  },
};

/** The cards of an account whose SCA is not cleared. The bank side keeps working (SUB-08). */
function cardsInReqSca({ model }: World, account: Name): CardState[] {
  const linked = model.accounts[account]?.cards ?? [];
  return linked.flatMap((name) => {
    const card = model.cards[name];
    return card?.state === "reqSCA" ? [card] : [];
  });
}

function isInReqSca(world: World, account: Name): boolean {
  return cardsInReqSca(world, account).length > 0;
}

function purchasesIn({ purchases }: Model) {
  return Object.entries(purchases);
}

function sync(world: World, step: StepOf<"postAtBank">): Owed {
  const { bankTransactionId: id } = world.idsOf(step.as);
  const { bankAccountId } = world.idsOf(step.account);
  return {
    claims: [
      "BTX-01.owed",
      ...(isInReqSca(world, step.account) ? (["SUB-08.syncs"] as const) : []),
    ],
    event: "banktransaction.created",
    what: `banktransaction.created of ${id}`,
    is: has("/id", id),
    wants: [
      values("BTX-01.values", {
        ...{ "/bankAccountId": bankAccountId, "/amount": step.amount },
        ...{ "/transactionType": "debit" },
      }),
    ],
  };
}

/** Row 1. Only the whole debit of an untouched purchase is certain to match and to settle it. */
function debit(world: World, step: StepOf<"postAtBank">, name: Name): Owed[] {
  const purchase = world.model.purchases[name] as PurchaseState;
  const { card, amount, cleared, postings, isOpen, status } = purchase;
  const { bankTransactionId } = world.idsOf(step.as);
  const { transactionId } = world.idsOf(name);
  const isWhole = cents(step.amount) === cents(amount) && postings.length === 0 && !isOpen;
  if (!isWhole || world.model.cards[card]?.state === "deactivated") return [];
  const isInSca = isInReqSca(world, step.account);
  const owed = match("MAT-01.owed", bankTransactionId);
  const matched: Owed = isInSca ? { ...owed, claims: ["MAT-01.owed", "SUB-08.matches"] } : owed;
  if (status !== "PENDING" || cleared > 0) return [matched];
  const bankMessage: Wanted = {
    claim: "TXN-12.message-added",
    breaches: (update) => {
      const messages = projectedMessages(bodyOf(update));
      if (!messages || messages.some((one) => bankTransactionIn(one) === bankTransactionId))
        return [];
      const expected = `a message of bank transaction ${bankTransactionId}`;
      return [breachAt(update, "/_embedded/messages", expected)];
    },
  };
  return [
    matched,
    {
      claims: ["TXN-12.message-added"],
      event: "transactionmessage.created",
      what: `transactionmessage.created of bank transaction ${bankTransactionId}`,
      is: (message) => world.isMessageOf(bankTransactionId, message),
      wants: [values("TXN-12.message-added", { "/messageType": SETTLEMENT })],
    },
    {
      claims: ["TXN-12.updated"],
      event: "transaction.updated",
      what: `transaction.updated of ${transactionId} that settles it`,
      is: has("/id", transactionId),
      wants: [values("TXN-12.settles", { "/status": "SETTLED" }), bankMessage],
      row: { table: "transaction", row: 1, case: "PENDING" },
    },
  ];
}

/** Row 4. */
function movement(world: World, step: StepOf<"postAtBank">): Owed[] {
  const { bankTransactionId } = world.idsOf(step.as);
  const isOwnMessage = (message: unknown) => world.isMessageOf(bankTransactionId, message);
  const isListed = (body: unknown) =>
    projectedMessages(body)?.some(isOwnMessage) ||
    messageIdsOf(body).some((id) => isOwnMessage({ id }));
  return [
    {
      claims: ["TXN-15.message-event"],
      event: "transactionmessage.created",
      what: `transactionmessage.created of bank transaction ${bankTransactionId}`,
      is: isOwnMessage,
      wants: [values("TXN-15.is-finl-advc", { "/messageType": SETTLEMENT })],
    },
    {
      claims: ["TXN-15.transaction-event"],
      event: "transaction.created",
      what: `transaction.created of bank transaction ${bankTransactionId}`,
      is: isListed,
      wants: [
        values("TXN-15.transaction-event", { "/status": "SETTLED" }),
        values("TXN-16.network", { "/network": OPEN_BANKING }),
        values("TXN-09.sums", { "/transactionSettledAmount": step.amount }),
        ...ownerOf(world, step.account),
      ],
      row: { table: "transaction", row: 4, case: "(new)" },
    },
  ];
}

/** The account's oldest linked card; nothing where the interface can be read in two ways. */
function ownerOf({ model, ids }: World, account: Name): Wanted[] {
  const linked = model.accounts[account]?.cards ?? [];
  const [first] = linked;
  if (first === undefined) {
    return [values("TXN-17.null-cardless", { "/cardId": null, "/_links/card": undefined })];
  }
  const [created] = [...ids.keys()].filter((name) => linked.includes(name));
  const isEnded = linked.some((name) => model.cards[name]?.state === "deactivated");
  const cardId = ids.get(first)?.cardId;
  if (created !== first || isEnded || cardId === undefined) return [];
  return [values("TXN-17.oldest-card", { "/cardId": cardId })];
}

type CommonPart = "params" | "apply" | "owes" | "variants";

/** What both ends of a posting have in common. Its match, if any, is retracted. */
function removal<V extends Removal>(verb: V, reason: string): Pick<Row<V>, CommonPart> {
  return {
    params: ({ posting }: StepOf<Removal>, world) =>
      ({ bankTransactionId: world.idsOf(posting).bankTransactionId }) as never,
    apply: (model, { posting: name }: StepOf<Removal>) => {
      const posting = model.postings[name] as PostingState;
      const gone: PostingState = { ...posting, removedBy: verb };
      const after = { ...model, postings: { ...model.postings, [name]: gone } };
      if (posting.purchase === undefined) return after;
      return changePurchase(after, posting.purchase, { isOpen: true });
    },
    owes: (world, { posting }: StepOf<Removal>) => {
      const { bankTransactionId: id } = world.idsOf(posting);
      const { bankAccountId } = world.idsOf(world.model.postings[posting]?.account ?? "");
      return [
        {
          claims: ["BTX-04.owed"],
          event: "banktransaction.deleted",
          what: `banktransaction.deleted of ${id}`,
          is: has("/id", id),
          wants: [
            values("BTX-04.account", { "/bankAccountId": bankAccountId }),
            values("BTX-04.reason", { "/reason": reason }),
          ],
        },
        ...world
          .matchesOf(id)
          .map(({ delivery }) =>
            retraction("BTX-05.retracted", textAt(delivery.json, "/matchId") ?? "", [
              values("MAT-05.bank-transaction", { "/bankTransactionId": id }),
              values("BTX-05.reason", { "/reason": "bank_transaction_retired" }),
            ]),
          ),
      ];
    },
    *variants({ postings }) {
      for (const posting of Object.keys(postings)) yield { verb, posting } as StepOf<V>;
    },
  };
}

function matchedIn(world: World, posting: Name) {
  const { bankTransactionId } = world.idsOf(posting);
  return [world.matchesOf(bankTransactionId).length > 0 ? "matched" : "unmatched"] as const;
}

/** Another posting of its day that is equal and not removed. */
function twinOf({ postings }: Model, name: Name): Name | undefined {
  const own = postings[name];
  if (!own || own.removedBy) return undefined;
  const contentOf = ({ account, amount, merchant, day }: PostingState) =>
    JSON.stringify([account, amount, merchant, day]);
  return Object.keys(postings).find((other) => {
    const posting = postings[other] as PostingState;
    return other !== name && contentOf(posting) === contentOf(own) && !posting.removedBy;
  });
}
