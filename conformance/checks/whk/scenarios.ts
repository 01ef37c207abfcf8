import { isDeepStrictEqual } from "node:util";
import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf, ClaimAssertions, type Message } from "../../assert.ts";
import { type Check, type ClaimBreach, type Found, type Session, Skip } from "../../check.ts";
import {
  AUTHORIZED,
  allDeliveries,
  CLEARED,
  deliveriesSince,
  drive,
  POSTED,
  readTransaction,
  runScenarios,
  STANDALONE,
} from "../../scenarios/act.ts";
import {
  areInverted,
  distinctEvents,
  findEvents,
  isAnnounced,
  listAt,
  messageIdsOf,
  sendsInOrder,
} from "../../scenarios/find-deliveries.ts";
import { type InterleavedStep, interleaved } from "../../scenarios/interleaved.ts";
import { cardWithBank } from "../../scenarios/links.ts";
import { settled } from "../../scenarios/purchases.ts";
import { lateMatch, standalone } from "../../scenarios/standalones.ts";
import { type Delivery, type Exchange, outcomeOf } from "../../wire/exchange.ts";

/** Checks the order of a transaction's events. */
export const eventChecks: readonly Check[] = [
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  {
    claims: ["WHK-05.once", "WHK-05.before-updated"],
    title: "a driven transaction is announced as created once, before updates",
    requires: POSTED,
    run: async (session) => {
      const { completed, missing } = await runScenarios<Made>(
        async () => ({ ...(await settled(session)), as: "card-purchase" }),
        async () => ({ ...(await standalone(session)), as: "bank-only" }),
      );
      const all = await allDeliveries(session);
      const isInOrder = await sendsInOrder(session);
      const assertions = new ClaimAssertions();
      for (const { as, transactionId, resource } of completed) {
        if (transactionId === undefined) continue;
        const created = findEvents(all, "transaction.created", { "/id": transactionId });
        const once = assertions.of("WHK-05.once", as);
        once.wasDelivered(created, `transaction.created of ${transactionId}`, resource);
        const what = `transaction.created of ${transactionId} once`;
        once.atMost(1, distinctEvents(created, all), what);
        const updates = findEvents(all, "transaction.updated", { "/id": transactionId });
        const pairs = created.flatMap((one) => updates.map((two) => [one, two] as const));
        const [pair] = pairs;
        if (!pair || !isInOrder) continue;
        assertions.of("WHK-05.before-updated").check(!areInverted(pairs), {
          expected: "transaction.created before the first transaction.updated",
          actual: "after all updates",
          evidence: pair,
        });
      }
      return assertions.result("no transaction was created", missing);
    },
  },
  {
    claims: ["WHK-05.owed", "WHK-05.message-owed"],
    title: "a bank-only transaction and its message are announced",
    requires: STANDALONE,
    run: async (session) => {
      const { bankTransactionId, created, message, resource } = await standalone(session);
      const of = `of bank transaction ${bankTransactionId}`;
      const assertions = new ClaimAssertions();
      const transaction = assertions.of("WHK-05.owed", "bank-only");
      transaction.wasDelivered(created ? [created] : [], `transaction.created ${of}`, resource);
      const owed = assertions.of("WHK-05.message-owed", "bank-only");
      owed.wasDelivered(message ? [message] : [], `transactionmessage.created ${of}`, resource);
      return assertions.result("the bank posted no movement");
    },
  },
  {
    claims: ["WHK-05.owed"],
    title: "the transaction of late card data is announced",
    requires: [...STANDALONE, "verb:tellLate"],
    run: async (session) => {
      const { result, since } = await lateMatch(session);
      const { transactionId: id } = result;
      const sent = await deliveriesSince(session, since, (all) =>
        isAnnounced(all, "transaction.created", id),
      );
      const resource = await readTransaction(session, id);
      if (bodyOf(resource) === undefined) return new Skip(outcomeOf(resource));
      const assertions = new Assertions();
      assertions
        .of("WHK-05.owed", "late-card-data")
        .wasDelivered(
          findEvents(sent, "transaction.created", { "/id": id }),
          `transaction.created of ${id}`,
          resource,
        );
      return assertions.result("no card data arrived late");
    },
  },
  {
    claims: ["WHK-05.every-change", "WHK-05.message-owed"],
    title: "each change of a purchase in parts is announced",
    // Without "verb:settle", an event may arrive after the next step.
    requires: [...POSTED, "verb:clear", "verb:settle"],
    run: async (session) => {
      const { completed, missing } = await interleaved(session);
      const assertions = new ClaimAssertions();
      for (const steps of completed) checkChanges(assertions, steps);
      return assertions.result("no part of a purchase was posted and cleared", missing);
    },
  },
];

/** A new transaction. */
interface Made {
  readonly as: Situation;
  readonly transactionId?: string;
  readonly resource: Exchange;
}

const ORDER = ["first", "second", "third"] as const;

/** Checks that each new message and each change of a purchase was announced. */
function checkChanges(assertions: Pick<Assertions, "of">, steps: readonly InterleavedStep[]): void {
  let changes = 0;
  let clearings = 0;
  const deliveries = steps.flatMap(({ step }) => step.deliveries);
  for (const { event, transactionId, before, views, messages } of steps) {
    const resource = views.at(-1);
    if (!resource || bodyOf(resource) === undefined || bodyOf(before) === undefined) continue;
    const isClearing = event.startsWith("clear");
    if (isClearing) clearings += 1;
    const known = messageIdsOf(bodyOf(before));
    for (const id of messageIdsOf(bodyOf(resource)).filter((one) => !known.includes(one))) {
      const ofClearing = clearings > 1 ? "second-clearing" : "first-clearing";
      const as = messages.get(id)?.by === "clear" ? ofClearing : "posted";
      const sent = findEvents(deliveries, "transactionmessage.created", { "/id": id });
      const owed = assertions.of("WHK-05.message-owed", as);
      owed.wasDelivered(sent, `transactionmessage.created of ${id}`, resource);
    }
    if (isDeepStrictEqual(stateOf(before), stateOf(resource))) continue;
    const order = ORDER[changes];
    changes += 1;
    const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
    const isShown = updates.some((one) => isDeepStrictEqual(stateOf(one), stateOf(resource)));
    const what = `transaction.updated of ${transactionId} with its state after ${event}`;
    const changed = assertions.of("WHK-05.every-change", ...(order ? [order] : []));
    changed.wasDelivered(isShown ? updates : [], what, resource);
  }
}

/** What a change of a transaction changes, except its timestamps. */
function stateOf(message: Message): readonly unknown[] {
  const body = bodyOf(message);
  return [
    ...["status", "transactionSettledAmount"].map((name) => memberOf(body, name)),
    messageIdsOf(body).toSorted(),
    listAt(body, "supersededMessageIds").map(String).toSorted(),
  ];
}

/** The fields of the aggregate table. The projection may be off (TXN-10). */
const TRANSACTION = [
  ...["id", "subaccountId", "cardId", "network", "status", "descriptor", "acceptor"],
  ...["transactionCurrency", "cardholderBillingCurrency", "transactionHoldAmount"],
  ...["transactionSettledAmount", "cardholderBillingHoldAmount", "transactionType"],
  ...["cardholderBillingSettledAmount", "supersededMessageIds", "createdAt", "updatedAt", "_links"],
];

const SUBSCRIPTION = [
  ...["id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"],
  ...["customerReferenceId", "effectiveDate", "expirationDate", "createdAt", "updatedAt", "_links"],
];

const NOTHING = "no resource was announced as created and then as updated";

/** Checks the events of resources that change immediately after their creation. */
export const orderChecks: readonly Check[] = [
  // WHK-05: transaction.created comes once per transaction and before its first transaction.updated
  // as the state describes it; both carry the same shape.
  {
    claims: ["WHK-05.before-updated", "WHK-05.same-shape"],
    title: "an immediate clearing is announced after the purchase's creation",
    requires: [...AUTHORIZED, "verb:clear"],
    run: async (session) => {
      const of = { order: "WHK-05.before-updated", shape: "WHK-05.same-shape" } as const;
      return inOrder(session, await clearedImmediately(session), "transaction", TRANSACTION, of);
    },
  },
  // SUB-09: One cardsubscription.created per subscription, before any updated; every later change
  // sends updated with the same shape.
  {
    claims: ["SUB-09.created-first", "SUB-09.same-shape"],
    title: "an immediate change is announced after the subscription's creation",
    requires: CLEARED,
    run: async (session) => {
      const of = { order: "SUB-09.created-first", shape: "SUB-09.same-shape" } as const;
      const change = await activatedImmediately(session);
      return inOrder(session, change, "cardsubscription", SUBSCRIPTION, of);
    },
  },
];

/** Checks that the update comes after the creation and has the same fields. */
async function inOrder(
  session: Session,
  { ids, deliveries }: ImmediateChange,
  kind: "transaction" | "cardsubscription",
  fields: readonly string[],
  claims: { readonly order: ClaimId; readonly shape: ClaimId },
): Promise<Found<ClaimBreach> | Skip> {
  const pairs = ids.flatMap((id) => {
    const [created] = findEvents(deliveries, `${kind}.created`, { "/id": id });
    const [updated] = findEvents(deliveries, `${kind}.updated`, { "/id": id });
    return created && updated ? ([[created, updated]] as const) : [];
  });
  const [pair] = pairs;
  if (!pair) return new Skip(NOTHING);
  const assertions = new ClaimAssertions();
  if (await sendsInOrder(session)) {
    assertions.of(claims.order).check(!areInverted(pairs), {
      expected: `${kind}.created, then ${kind}.updated`,
      actual: `the opposite order, ${pairs.length} of ${pairs.length} times`,
      evidence: pair,
    });
  }
  for (const [created, updated] of pairs) {
    const has = (one: typeof created, name: string) => memberOf(one.json, name) !== undefined;
    const missing = fields.filter((name) => has(created, name) && !has(updated, name));
    assertions.of(claims.shape).check(missing.length === 0, {
      expected: "the shape of the created event",
      actual: `the same without ${missing.join(", ")}`,
      evidence: [updated, created],
    });
  }
  return assertions.result(NOTHING);
}

/** Resources that changed immediately after their creation, to check the order of events. */
interface ImmediateChange {
  readonly ids: readonly string[];
  readonly deliveries: readonly Delivery[];
}

/** Two, because the order of a single pair of deliveries is inconclusive. */
const PURCHASES = [
  { amount: 13.03, merchant: "CAFE SPERL" },
  { amount: 17.89, merchant: "MUSEUM BOIJMANS" },
] as const;

/** Authorizes purchases and clears each immediately. */
function clearedImmediately(session: Session): Promise<ImmediateChange> {
  return session.share("scenario: purchases are cleared at once", async (own) => {
    const { cardId } = await cardWithBank(own);
    return twice(own, "transaction", async (price) => {
      const { transactionId } = await drive(own, "authorize", { cardId, ...price });
      await drive(own, "clear", { transactionId });
      return transactionId;
    });
  });
}

/** Enrolls cards and clears the SCA of each immediately. */
function activatedImmediately(session: Session): Promise<ImmediateChange> {
  return session.share("scenario: cards are active at once", (own) => {
    return twice(own, "cardsubscription", async () => {
      const { subscriptionId } = await drive(own, "enroll", undefined);
      await drive(own, "clearSca", { subscriptionId });
      return subscriptionId;
    });
  });
}

async function twice(
  session: Session,
  kind: "transaction" | "cardsubscription",
  make: (price: (typeof PURCHASES)[number]) => Promise<string>,
): Promise<ImmediateChange> {
  const ids: string[] = [];
  const deliveries: Delivery[] = [];
  for (const price of PURCHASES) {
    const since = (await session.deliveries()).length;
    const id = await make(price);
    ids.push(id);
    const isEnough = (deliveries: readonly Delivery[]) =>
      isAnnounced(deliveries, `${kind}.created`, id) &&
      isAnnounced(deliveries, `${kind}.updated`, id);
    deliveries.push(...(await deliveriesSince(session, since, isEnough)));
  }
  return { ids, deliveries };
}
