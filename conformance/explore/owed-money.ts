import type { RequirementId } from "../../generated/requirements.ts";
import { OPEN_BANKING, SETTLEMENT } from "../../src/contract/rules/vocabulary.ts";
import { bodyOf, breachAt, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { bankTransactionIn, projectedMessages } from "../observe/feed.ts";
import { listAt, messageIdsOf, textAt } from "../scenarios/find-deliveries.ts";
import { has, type Owed, values, type Wanted } from "./judge.ts";
import { cents, type MoneyStep, type PurchaseState } from "./model.ts";
import type { Name, StepOf } from "./step.ts";
import type { World } from "./world.ts";

/** The events that a step owes which moves money, or matches it. */
export function owedByMoney(world: World, step: MoneyStep, result: unknown): Owed[] {
  switch (step.verb) {
    case "authorize":
      return newPurchase(world, step);
    case "tellLate":
      return lateData(world, step, textAt(result, "/confidence"));
    case "clear":
      return clearing(world, step, textAt(result, "/messageId") ?? "");
    case "postAtBank":
      return posting(world, step);
    case "removeAtProvider":
    case "retireDuplicate":
      return removal(world, step);
    case "rematch":
      return retractions(world, step);
  }
}

function newPurchase(world: World, { as, card }: StepOf<"authorize" | "tellLate">): Owed[] {
  const { transactionId, messageId } = world.idsOf(as);
  const { cardId } = world.idsOf(card);
  const message = messageId === undefined ? [] : [announcedMessage(messageId)];
  return [
    ...message,
    {
      requirement: "WHK-05",
      event: "transaction.created",
      what: `transaction.created of ${transactionId}`,
      is: has("/id", transactionId),
      wants: [values("TXN-02", { "/cardId": cardId })],
    },
  ];
}

function announcedMessage(messageId: string): Owed {
  return {
    requirement: "MSG-09",
    event: "transactionmessage.created",
    what: `transactionmessage.created of ${messageId}`,
    is: has("/id", messageId),
  };
}

/**
 * MAT-09: card data of a posting that the bank has made is matched later.
 *
 * @param promised The confidence that the driver says the target is to find.
 */
function lateData(world: World, step: StepOf<"tellLate">, promised?: string): Owed[] {
  const { bankTransactionId } = world.idsOf(step.posting);
  const posting = world.model.postings[step.posting];
  const postings = Object.entries(world.model.postings);
  const isAlone = postings.every(
    ([name, { amount, account }]) =>
      name === step.posting || amount !== posting?.amount || account !== posting.account,
  );
  // Whether other amounts match is open.
  const isEqual = step.confidence === undefined && posting?.amount === step.amount;
  const isPromised = promised !== undefined && promised !== "NONE";
  const isCertain = isAlone && (isEqual || isPromised) && posting?.day === world.model.day;
  if (!isCertain || !world.canAdvance) return newPurchase(world, step);
  return [...newPurchase(world, step), match("MAT-09", bankTransactionId)];
}

function match(requirement: RequirementId, bankTransactionId: string): Owed {
  return {
    requirement,
    event: "transaction.match.created",
    what: `transaction.match.created of ${bankTransactionId}`,
    is: (body) => listAt(body, "matches").some(has("/id", bankTransactionId)),
  };
}

/** Transaction, row 2. */
function clearing(world: World, step: StepOf<"clear">, messageId: string): Owed[] {
  const purchase = world.model.purchases[step.purchase] as PurchaseState;
  const { transactionId } = world.idsOf(step.purchase);
  const { status, isOpen, postings, cleared, posted, amount } = purchase;
  const isWhole = step.amount === undefined && cleared === 0 && cents(posted) === cents(amount);
  const [first] = postings;
  const provisional = first && world.messageOf(world.idsOf(first).bankTransactionId);
  const isDuplicate = isWhole && !isOpen && status === "SETTLED" && provisional !== undefined;
  const wants: Wanted[] = [
    { requirement: "TXN-13", breaches: (update) => supersedes(update, provisional, messageId) },
    values("TXN-13", { "/status": "SETTLED" }),
  ];
  return [
    announcedMessage(messageId),
    {
      requirement: status === "SETTLED" ? "TXN-13" : "WHK-05",
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

/** BTX-01, and then either a debit of a purchase or a movement of its own. */
function posting(world: World, step: StepOf<"postAtBank">): Owed[] {
  const { bankTransactionId: id } = world.idsOf(step.as);
  const { bankAccountId } = world.idsOf(step.account);
  const synced: Owed = {
    requirement: "BTX-01",
    event: "banktransaction.created",
    what: `banktransaction.created of ${id}`,
    is: has("/id", id),
    wants: [
      values("BTX-01", {
        ...{ "/bankAccountId": bankAccountId, "/amount": step.amount },
        ...{ "/transactionType": "debit" },
      }),
    ],
  };
  if (step.purchase !== undefined) return [synced, ...debit(world, step)];
  // What a posting matches that equals another one is open.
  const isTwin = Object.values(world.model.postings).some(
    ({ account, amount, merchant }) =>
      account === step.account && amount === step.amount && merchant === step.merchant,
  );
  return isTwin ? [synced] : [synced, ...movement(world, step)];
}

/** Transaction, row 1. Only the whole debit of an untouched purchase is certain to settle it. */
function debit(world: World, step: StepOf<"postAtBank">): Owed[] {
  const name = step.purchase ?? "";
  const { card, amount, cleared, postings, isOpen, status } = world.model.purchases[
    name
  ] as PurchaseState;
  const { bankTransactionId } = world.idsOf(step.as);
  const { transactionId } = world.idsOf(name);
  const isWhole = cents(step.amount) === cents(amount) && postings.length === 0 && !isOpen;
  if (!isWhole || world.model.cards[card]?.state === "deactivated") return [];
  const matched = match("MAT-01", bankTransactionId);
  if (status !== "PENDING" || cleared > 0) return [matched];
  const bankMessage: Wanted = {
    requirement: "TXN-12",
    breaches: (update) => {
      const messages = projectedMessages(bodyOf(update));
      if (!messages || messages.some((one) => bankTransactionIn(one) === bankTransactionId))
        return [];
      return [
        breachAt(
          update,
          "/_embedded/messages",
          `a message of bank transaction ${bankTransactionId}`,
        ),
      ];
    },
  };
  return [
    matched,
    {
      requirement: "TXN-12",
      event: "transactionmessage.created",
      what: `transactionmessage.created of bank transaction ${bankTransactionId}`,
      is: (message) => world.isMessageOf(bankTransactionId, message),
      wants: [values("TXN-12", { "/messageType": SETTLEMENT })],
    },
    {
      requirement: "TXN-12",
      event: "transaction.updated",
      what: `transaction.updated of ${transactionId} that settles it`,
      is: has("/id", transactionId),
      wants: [values("TXN-12", { "/status": "SETTLED" }), bankMessage],
      row: { table: "transaction", row: 1, case: "PENDING" },
    },
  ];
}

/** Transaction, row 4. */
function movement(world: World, step: StepOf<"postAtBank">): Owed[] {
  const { bankTransactionId } = world.idsOf(step.as);
  const isOwnMessage = (message: unknown) => world.isMessageOf(bankTransactionId, message);
  const isListed = (body: unknown) =>
    projectedMessages(body)?.some(isOwnMessage) ||
    messageIdsOf(body).some((id) => isOwnMessage({ id }));
  const cardId = oldestCardOf(world, step.account);
  const place = { "/cardId": cardId, ...(cardId === null && { "/_links/card": undefined }) };
  return [
    {
      requirement: "TXN-15",
      event: "transactionmessage.created",
      what: `transactionmessage.created of bank transaction ${bankTransactionId}`,
      is: isOwnMessage,
      wants: [values("TXN-15", { "/messageType": SETTLEMENT })],
    },
    {
      requirement: "TXN-15",
      event: "transaction.created",
      what: `transaction.created of bank transaction ${bankTransactionId}`,
      is: isListed,
      wants: [
        values("TXN-15", { "/status": "SETTLED" }),
        values("TXN-16", { "/network": OPEN_BANKING }),
        values("TXN-09", { "/transactionSettledAmount": step.amount }),
        ...(cardId === undefined ? [] : [values("TXN-17", place)]),
      ],
      row: { table: "transaction", row: 4, case: "(new)" },
    },
  ];
}

/** TXN-17: the account's oldest linked card; undefined where the interface can be read two ways. */
function oldestCardOf({ model, ids }: World, account: Name): string | null | undefined {
  const linked = model.accounts[account]?.cards ?? [];
  const [first] = linked;
  if (first === undefined) return null;
  const [created] = [...ids.keys()].filter((name) => linked.includes(name));
  const isEnded = linked.some((name) => model.cards[name]?.state === "deactivated");
  return created === first && !isEnded ? ids.get(first)?.cardId : undefined;
}

/** BTX-04 and BTX-05. */
function removal(world: World, step: StepOf<"removeAtProvider" | "retireDuplicate">): Owed[] {
  const { bankTransactionId: id } = world.idsOf(step.posting);
  const { bankAccountId } = world.idsOf(world.model.postings[step.posting]?.account ?? "");
  const reason = step.verb === "removeAtProvider" ? "provider_removed" : "duplicate_retired";
  return [
    {
      requirement: "BTX-04",
      event: "banktransaction.deleted",
      what: `banktransaction.deleted of ${id}`,
      is: has("/id", id),
      wants: [values("BTX-04", { "/bankAccountId": bankAccountId, "/reason": reason })],
    },
    ...world.matchesOf(id).map(({ delivery }) => {
      return retraction("BTX-05", textAt(delivery.json, "/matchId") ?? "", {
        "/bankTransactionId": id,
        "/reason": "bank_transaction_retired",
      });
    }),
  ];
}

/** MAT-07: a forced re-match retracts every match of the purchase. */
function retractions(world: World, step: StepOf<"rematch">): Owed[] {
  const { transactionId } = world.idsOf(step.purchase);
  return [...world.matches.entries()]
    .filter(([, { cardTransactionId }]) => cardTransactionId === transactionId)
    .map(([matchId]) => retraction("MAT-07", matchId, { "/reason": "rematch_superseded" }));
}

function retraction(
  requirement: RequirementId,
  matchId: string,
  wanted: Readonly<Record<string, unknown>>,
): Owed {
  return {
    requirement,
    event: "transaction.match.deleted",
    what: `transaction.match.deleted of ${matchId}`,
    is: has("/matchId", matchId),
    wants: [values(requirement, wanted)],
  };
}
