import type { ClaimId } from "../../../generated/requirements.ts";
import { describeValue } from "../../../src/contract/describe.ts";
import { amountsDiffer } from "../../../src/contract/rules/sum.ts";
import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import { each } from "../../assert.ts";
import { type Check, namedClaims } from "../../check.ts";
import { type History, historyOf } from "../../observe/deliveries/history.ts";
import { allNamed, postingIdsOf, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import { messageIdsOf } from "../../observe/feed.ts";
import { sameId } from "../../observe/operations.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { noneOfValid } from "./histories.ts";

/** A value in one delivery, and whether other deliveries agree with it. */
interface Statement {
  readonly claim: ClaimId;
  readonly path: string;
  readonly isRight: boolean;
  readonly expected: string;
  readonly actual: string;
  readonly evidence: readonly [Delivery, ...Delivery[]];
}

interface Agreement {
  readonly claims: readonly ClaimId[];
  readonly title: string;
  readonly statements: (history: History) => readonly Statement[];
  /** Why there are no statements. */
  readonly none: string;
}

const AGREEMENTS: readonly Agreement[] = [
  // MAT-04: matches[].id is a bank transaction's id, as announced by banktransaction.created.
  {
    claims: ["MAT-04.same-account", "MAT-04.announced"],
    title: "a match agrees with the events of its bank transactions",
    statements: bankSides,
    none: "no match was delivered together with its bank transaction",
  },
  // MAT-01: transaction.match.created has matchId, confidence, score, cardTransaction, reasons[]
  // and matches[] with the fields given.
  {
    claims: ["MAT-01.card-transaction"],
    title: "a match names the card of its card transaction",
    statements: cardSides,
    none: "no match was delivered together with its card transaction",
  },
  // MSG-11: bankData.bankTransactionId equals the banktransaction.created id and resolves at GET
  // /bank-transactions/{subaccountId}/{id}.
  {
    claims: ["MSG-11.equals-match"],
    title: "a bank's message names the posting of its match",
    statements: matchedPostings,
    none: "no purchase was delivered with a bank's message and its match",
  },
  // BTX-03: In the event category is a string or null; on the REST resource it is an array of
  // provider categories.
  {
    claims: ["BTX-03.event"],
    title: "category of banktransaction.created is not the detailed one",
    statements: categories,
    none: "no bank transaction with a message of a detailed category",
  },
  // BLK-03: bankAccounts[].cards is present only for credit accounts for which completion created a
  // bank-feed enrollment, with id, subscriptionId, last4digits, network in lower case,
  // enrollmentType bank-feed; those ids are in cardIds too.
  {
    claims: ["BLK-03.created-cards"],
    title: "cards lists each card that the completion enrolled",
    statements: createdCards,
    none: "no bank-feed card of an account whose completion was delivered",
  },
  // TXN-17: With linked cards, a bank-only transaction's cardId is that of the account's oldest
  // linked card, while network stays OPEN_BANKING; on a card-less link it is null.
  {
    claims: ["TXN-17.oldest-card"],
    title: "a bank-only transaction has a card of its account",
    statements: cardsOfAccounts,
    none: "no bank-only transaction of an account whose completion was delivered",
  },
];

/** Compares different events about the same resource. They don't need a complete history. */
export const agreements: readonly Check[] = AGREEMENTS.map(
  ({ claims, title, statements, none }): Check => ({
    claims: namedClaims(claims),
    title,
    requires: ["deliveries"],
    run: async (session) => {
      const history = await historyOf(session);
      const skip = noneOfValid(none, history);
      return each(statements(history), skip, ({ isRight, ...statement }) =>
        isRight ? [] : [statement],
      );
    },
  }),
);

function statement(
  claim: ClaimId,
  path: string,
  isRight: boolean,
  [expected, actual]: readonly [expected: string, actual: string],
  ...evidence: Statement["evidence"]
): Statement {
  return { claim, path, isRight, expected, actual, evidence };
}

function bankSides({ reading: { typed } }: History): Statement[] {
  const announced = new Map(
    allNamed(typed, "banktransaction.created").map((one) => [one.body.id, one]),
  );
  return allNamed(typed, "transaction.match.created").flatMap(({ body, delivery }) =>
    body.matches.flatMap((side, index): Statement[] => {
      const posting = announced.get(side.id);
      if (!posting) return [];
      const { bankAccountId, amount, currency, pending } = posting.body;
      const evidence = [delivery, posting.delivery] as const;
      const at = `/matches/${index}`;
      const isSame = sameId(side.bankAccountId, bankAccountId);
      const ids = [`${bankAccountId}, as announced`, side.bankAccountId] as const;
      const path = `${at}/bankAccountId`;
      const account = statement("MAT-04.same-account", path, isSame, ids, ...evidence);
      // A pending amount may change, and the sign of a match's amount is unspecified.
      if (pending || side.currency !== currency) return [account];
      const isEqual = !amountsDiffer(Math.abs(side.amount), amount);
      const amounts = [`${amount}, as announced`, `${side.amount}`] as const;
      const own = statement("MAT-04.announced", `${at}/amount`, isEqual, amounts, ...evidence);
      return [account, own];
    }),
  );
}

function cardSides({ reading: { typed } }: History): Statement[] {
  const snapshots = allNamed(typed, "transaction.created", "transaction.updated");
  const known = new Map<string, TypedDelivery<"transaction.created" | "transaction.updated">>();
  for (const one of snapshots) {
    // A match may name the transaction or a leg, which is one of its messages.
    for (const id of [one.body.id, ...messageIdsOf(one.body)]) known.set(id, one);
  }
  return allNamed(typed, "transaction.match.created").flatMap(({ body, delivery }): Statement[] => {
    const { id, cardId } = body.cardTransaction;
    const transaction = known.get(id);
    const own = transaction?.body.cardId;
    if (!transaction || !own) return [];
    const path = "/cardTransaction/cardId";
    const ids = [`${own}, as in the transaction`, cardId] as const;
    const evidence = [delivery, transaction.delivery] as const;
    return [statement("MAT-01.card-transaction", path, sameId(cardId, own), ids, ...evidence)];
  });
}

/** Checks that a purchase's bank messages name the bank transactions of its matches. */
function matchedPostings({ reading: { typed } }: History): Statement[] {
  const matches = allNamed(typed, "transaction.match.created");
  const messages = new Map(
    allNamed(typed, "transactionmessage.created").map((one) => [one.body.id, one]),
  );
  const updates = allNamed(typed, "transaction.updated").filter(
    ({ body }) => body.network !== OPEN_BANKING,
  );
  return updates.flatMap(({ body }): Statement[] => {
    const known = new Set([body.id, ...messageIdsOf(body)]);
    const own = matches.filter((one) => known.has(one.body.cardTransaction.id));
    const ids = matches.flatMap((one) => one.body.matches.map(({ id }) => id));
    const [match] = own;
    return messageIdsOf(body).flatMap((id): Statement[] => {
      const message = messages.get(id);
      const named = message?.body.bankData?.bankTransactionId;
      if (!match || !message || named === undefined) return [];
      const isRight = ids.some((one) => sameId(one, named));
      const path = "/bankData/bankTransactionId";
      const values = ["matches[].id of a match", named] as const;
      const evidence = [message.delivery, match.delivery] as const;
      return [statement("MSG-11.equals-match", path, isRight, values, ...evidence)];
    });
  });
}

/** Compares events with the messages of their bank transactions whose categories differ. */
function categories({ reading: { typed } }: History): Statement[] {
  const detailed = new Map(
    allNamed(typed, "transactionmessage.created").flatMap(({ body: { bankData }, delivery }) => {
      const { primary, detailed: own } = bankData?.personalFinanceCategory ?? {};
      const known = { primary, own, delivery };
      return primary === own ? [] : [[bankData?.bankTransactionId, known] as const];
    }),
  );
  return allNamed(typed, "banktransaction.created").flatMap(({ body, delivery }): Statement[] => {
    const known = detailed.get(body.id);
    if (!known) return [];
    const expected = `"${known.primary}", the primary category, or null`;
    const values = [expected, describeValue(body.category)] as const;
    const isRight = body.category !== known.own;
    return [statement("BTX-03.event", "/category", isRight, values, delivery, known.delivery)];
  });
}

/** Checks that an account's only completion lists its bank-feed cards in `cards`. */
function createdCards({ reading: { typed } }: History): Statement[] {
  const completed = completionsOf(typed);
  const created = allNamed(typed, "cardsubscription.created");
  return created.flatMap(({ body, delivery }): Statement[] => {
    const { id, cardId, bankAccountId, enrollmentType } = body;
    if (enrollmentType !== "bank-feed" || !bankAccountId) return [];
    const [completion, another] = completed.get(bankAccountId) ?? [];
    if (!completion || another || !completion.cardIds.includes(cardId)) return [];
    const listed = (completion.cards ?? []).map(({ subscriptionId }) => subscriptionId);
    const expected = `card ${cardId}, whose bank-feed subscription is ${id}`;
    const values = [expected, listed.join(", ") || "nothing"] as const;
    const [path, evidence] = [`${completion.at}/cards`, [completion.delivery, delivery]] as const;
    return [statement("BLK-03.created-cards", path, listed.includes(id), values, ...evidence)];
  });
}

/** Groups the link completions by account. */
function completionsOf(typed: readonly TypedDelivery[]) {
  const all = allNamed(typed, "banklink.completed").flatMap(({ body, delivery }) =>
    body.bankAccounts.map((account, index) => {
      return { ...account, bankLinkId: body.bankLinkId, delivery, at: `/bankAccounts/${index}` };
    }),
  );
  // Drop duplicate deliveries.
  const once = new Map(all.map((one) => [`${one.bankLinkId} ${one.id}`, one]));
  return Map.groupBy(once.values(), ({ id }) => id);
}

/** Checks the card of bank-only transactions. Cards that were linked later have their own event. */
function cardsOfAccounts({
  reading: { typed, hasUnreadable, invalid: broken },
}: History): Statement[] {
  if (hasUnreadable || broken.length > 0) return [];
  const completed = completionsOf(typed);
  const accounts = new Map(
    allNamed(typed, "banktransaction.created").map(({ body }) => [body.id, body.bankAccountId]),
  );
  const linked = Map.groupBy(
    allNamed(typed, "cardsubscription.created", "cardsubscription.updated"),
    ({ body }) => body.bankAccountId ?? "",
  );
  const messages = new Map(
    allNamed(typed, "transactionmessage.created").map((one) => [one.body.id, one]),
  );
  return allNamed(typed, "transaction.created").flatMap((one): Statement[] => {
    const { body, delivery } = one;
    const { cardId, network } = body;
    if (network !== OPEN_BANKING || cardId === null) return [];
    const standalone = messageIdsOf(body).flatMap((id) => messages.get(id) ?? []);
    const [posting = ""] = [one, ...standalone].flatMap(postingIdsOf);
    const account = accounts.get(posting) ?? "";
    const completions = completed.get(account) ?? [];
    const [completion] = completions;
    if (!completion) return [];
    const cards = [
      ...completions.flatMap(({ cardIds }) => cardIds),
      ...(linked.get(account) ?? []).map((subscribed) => subscribed.body.cardId),
    ];
    const isRight = cards.some((id) => sameId(id, cardId));
    const expected = `a card of bank account ${account}: ${cards.join(" or ") || "it has none"}`;
    const evidence = [delivery, completion.delivery] as const;
    return [statement("TXN-17.oldest-card", "/cardId", isRight, [expected, cardId], ...evidence)];
  });
}
