import type { EventName } from "../../../generated/events.ts";
import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { resourceFields } from "../../../generated/resources.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { OPEN_BANKING } from "../../../src/contract/rules/vocabulary.ts";
import { Assertions } from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import {
  areInOneOrder,
  areInverted,
  findEvents,
  findEventsOf,
  isAnnounced,
  messagesIn,
  textAt,
} from "../../observe/deliveries/find.ts";
import { historyOf } from "../../observe/deliveries/history.ts";
import { isOrdered } from "../../observe/deliveries/order.ts";
import { allNamed, readDeliveries, type TypedDelivery } from "../../observe/deliveries/reading.ts";
import { bankTransactionIn, messageIdsOf } from "../../observe/feed.ts";
import { CARD_WITH_BANK } from "../../scripts/money.ts";
import { allDeliveries, deliveriesSince, drive } from "../../verbs/drive.ts";
import { playedScript, requiredBy } from "../../verbs/script-checks.ts";
import type { Delivery } from "../../wire/exchange.ts";

/** Two deliveries in the order that the interface states. */
interface Pair {
  readonly pair: readonly [Delivery, Delivery];
  /** What may have an order of its own. A target may use the wrong one for one kind only. */
  readonly kind: string;
  readonly in?: readonly Situation[];
}

/** The deliveries that show whether they arrive in order, and the pairs among them. */
interface Pairs {
  readonly typed: readonly TypedDelivery[];
  readonly pairs: readonly Pair[];
}

interface Order {
  readonly claim: ClaimId;
  readonly title: string;
  readonly names: readonly [EventName, EventName];
  readonly requires: Check["requires"];
  readonly pairsIn: (session: Session) => Promise<Pairs>;
}

/** Finds pairs in all deliveries of the run. */
function inHistory(find: (typed: readonly TypedDelivery[]) => readonly Pair[]) {
  return {
    requires: ["deliveries"] as const,
    pairsIn: async (session: Session): Promise<Pairs> => {
      const { typed } = (await historyOf(session)).reading;
      return { typed, pairs: find(typed) };
    },
  };
}

const ORDERS: readonly Order[] = [
  // TXN-15: A bank-only movement that is synced yields transactionmessage.created (a synthetic
  // FINL_ADVC), then transaction.created for a SETTLED transaction.
  {
    claim: "TXN-15.message-first",
    title: "a bank-only message is announced before its transaction",
    names: ["transactionmessage.created", "transaction.created"],
    ...inHistory(bankOnlyPairs),
  },
  // BTX-05: If the deleted bank transaction had a match, transaction.match.deleted follows with
  // reason bank_transaction_retired.
  {
    claim: "BTX-05.follows",
    title: "the retraction of a match is sent after the deletion of its posting",
    names: ["banktransaction.deleted", "transaction.match.deleted"],
    ...inHistory((typed) => {
      const deletions = byKey(allNamed(typed, "banktransaction.deleted"), ({ body }) => body.id);
      return allNamed(typed, "transaction.match.deleted").flatMap(({ body, delivery }): Pair[] => {
        const gone = deletions.get(body.bankTransactionId);
        if (!gone || body.reason !== "bank_transaction_retired") return [];
        return [{ pair: [gone.delivery, delivery], kind: gone.body.reason }];
      });
    }),
  },
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  {
    claim: "WHK-05.before-updated",
    title: "the creation of a transaction is announced before its updates",
    names: ["transaction.created", "transaction.updated"],
    ...inHistory((typed) => changes(typed, "transaction")),
  },
  // SUB-09: One cardsubscription.created per subscription, before any updated; every later change
  // sends updated with the same shape.
  {
    claim: "SUB-09.created-first",
    title: "the creation of a subscription is announced before its updates",
    names: ["cardsubscription.created", "cardsubscription.updated"],
    ...inHistory((typed) => changes(typed, "cardsubscription")),
  },
];

/** Resources that change before their creation is delivered. A script waits for it. */
const IMMEDIATE: readonly Order[] = [
  {
    claim: "WHK-05.before-updated",
    title: "an immediate clearing is announced after the purchase's creation",
    names: ["transaction.created", "transaction.updated"],
    requires: [...requiredBy(CARD_WITH_BANK), "verb:authorize", "verb:clear"],
    pairsIn: (session) =>
      changedAtOnce(session, "transaction", async (price) => {
        const { world } = await playedScript(session, CARD_WITH_BANK);
        const { cardId } = world.idsOf("card 1");
        const { transactionId } = await drive(session, "authorize", { cardId, ...price });
        await drive(session, "clear", { transactionId });
        return transactionId;
      }),
  },
  {
    claim: "SUB-09.created-first",
    title: "an immediate change is announced after the subscription's creation",
    names: ["cardsubscription.created", "cardsubscription.updated"],
    requires: ["verb:enroll", "verb:clearSca", "deliveries"],
    pairsIn: (session) =>
      changedAtOnce(session, "cardsubscription", async () => {
        const { subscriptionId } = await drive(session, "enroll", undefined);
        await drive(session, "clearSca", { subscriptionId });
        return subscriptionId;
      }),
  },
];

/** Two, because the order of a single pair of deliveries is inconclusive. */
const PRICES = [
  { amount: 13.03, merchant: "CAFE SPERL" },
  { amount: 17.89, merchant: "MUSEUM BOIJMANS" },
] as const;

/** @param change Creates and changes a resource, and returns its id. */
async function changedAtOnce(
  session: Session,
  kind: "transaction" | "cardsubscription",
  change: (price: (typeof PRICES)[number]) => Promise<string>,
): Promise<Pairs> {
  const names = [`${kind}.created`, `${kind}.updated`] as const;
  const pairs: Pair[] = [];
  for (const price of PRICES) {
    const since = (await session.deliveries()).length;
    const id = await change(price);
    const sent = await deliveriesSince(session, since, (all) =>
      names.every((name) => isAnnounced(all, name, id)),
    );
    const [created, updated] = names.map((name) => findEventsOf(sent, name, id)[0]);
    if (created && updated) pairs.push({ pair: [created, updated], kind });
  }
  const { typed } = readDeliveries(await allDeliveries(session), session.capabilities);
  return { typed, pairs };
}

/**
 * Creates a check of the order of sending. Deliveries may overtake each other (WHK-04), so a kind
 * of pairs breaks a claim only if all of them arrive in the opposite order, and each other kind in
 * one.
 */
function orderCheck({ claim, title, names, requires, pairsIn }: Order): Check {
  return {
    claims: [claim],
    ...{ title, requires },
    run: async (session) => {
      const { typed, pairs } = await pairsIn(session);
      if (pairs.length === 0) return new Skip("no two events show this order");
      if (!isOrdered(typed)) return new Skip(ANY_ORDER);
      const groups = [...Map.groupBy(pairs, ({ kind }) => kind).values()];
      const isConclusive = groups.every((group) => areInOneOrder(group.map(({ pair }) => pair)));
      const assertions = new Assertions();
      for (const group of [pairs, ...groups]) {
        const own = group.map(({ pair }) => pair);
        const [[first, then]] = own as [readonly [Delivery, Delivery]];
        const situations = group.flatMap((one) => one.in ?? []);
        assertions.of(claim, ...situations).check(!(isConclusive && areInverted(own)), {
          expected: names.join(", then "),
          actual: `the opposite order, ${own.length} of ${own.length} times`,
          evidence: [then, first],
        });
      }
      return assertions.result("");
    },
  };
}

const ANY_ORDER =
  "deliveries arrive in varying order, or too few arrive to show the order of sending";

/** Checks that drive the target. */
export const immediateChecks = IMMEDIATE.map(orderCheck);

/** Checks of all deliveries of the run. */
export const orderChecks: readonly Check[] = [
  ...ORDERS.map(orderCheck),
  sameShape("WHK-05.same-shape", "transaction"),
  sameShape("SUB-09.same-shape", "cardsubscription"),
];

/** The fields of the tables. A card may lose its bank account. */
const SHAPES = {
  transaction: [...resourceFields.transactions.all, "_links"],
  cardsubscription: [
    ...resourceFields.cardSubscriptions.all.filter((name) => name !== "bankAccountId"),
    "_links",
  ],
};

/** Creates a check that the updates of a resource have the members of its creation. */
function sameShape(claim: ClaimId, kind: "transaction" | "cardsubscription"): Check {
  return {
    claims: [claim],
    title: `${kind}.updated has the shape of ${kind}.created`,
    requires: ["deliveries"],
    run: async (session) => {
      const { deliveries } = await historyOf(session);
      const assertions = new Assertions();
      for (const created of findEvents(deliveries, `${kind}.created`)) {
        const id = textAt(created.json, "/id");
        if (id === undefined) continue;
        for (const updated of findEventsOf(deliveries, `${kind}.updated`, id)) {
          const has = ({ json }: Delivery, name: string) => memberOf(json, name) !== undefined;
          const missing = SHAPES[kind].filter((name) => has(created, name) && !has(updated, name));
          assertions.check(missing.length === 0, {
            expected: "the shape of the created event",
            actual: `the same without ${missing.join(", ")}`,
            evidence: [updated, created],
          });
        }
      }
      return assertions.result("no resource was announced as created and then as updated");
    },
  };
}

function byKey<T>(all: readonly T[], keyOf: (one: T) => string): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [keyOf(one), one]));
}

function changes(
  typed: readonly TypedDelivery[],
  kind: "transaction" | "cardsubscription",
): Pair[] {
  const creations = byKey(allNamed(typed, `${kind}.created`), ({ body }) => body.id);
  const first = byKey(allNamed(typed, `${kind}.updated`).toReversed(), ({ body }) => body.id);
  return [...first].flatMap(([id, update]): Pair[] => {
    const creation = creations.get(id);
    return creation ? [{ pair: [creation.delivery, update.delivery], kind }] : [];
  });
}

/** The message and the transaction of each movement: of a card or of none, debits and credits. */
function bankOnlyPairs(typed: readonly TypedDelivery[]): Pair[] {
  const messages = byKey(allNamed(typed, "transactionmessage.created"), ({ body }) => body.id);
  const postings = byKey(allNamed(typed, "banktransaction.created"), ({ body }) => body.id);
  const whole = messagesIn(typed.map(({ body }) => body));
  return allNamed(typed, "transaction.created").flatMap(({ body, delivery }): Pair[] => {
    const [id = ""] = messageIdsOf(body);
    const message = messages.get(id);
    if (body.network !== OPEN_BANKING || !message) return [];
    const posting = postings.get(bankTransactionIn(whole.get(id)) ?? "");
    const isCredit = posting?.body.transactionType === "credit";
    const kind = `${isCredit ? "credit" : "debit"} ${body.cardId === null ? "cardless" : "card"}`;
    const pair = [message.delivery, delivery] as const;
    return [{ pair, kind, ...(isCredit && { in: ["credit-posting"] }) }];
  });
}
