import type { EventName } from "../../generated/events.ts";
import { SETTLEMENT } from "../../src/contract/rules/vocabulary.ts";
import type { Verb, VerbParams, VerbResult } from "../driver.ts";
import { findEvents, textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import type { Delivery } from "../wire/exchange.ts";

/** What earlier steps of a trial produced, and the verb that produces it. */
export const PRODUCERS = {
  ...({ reqScaSubscription: "enroll", card: "enroll", last4: "enroll" } as const),
  ...({ activeCard: "clearSca", activeSubscription: "clearSca", otherCard: "clearSca" } as const),
  ...({ startedLink: "startLink", creditAccount: "completeLink" } as const),
  ...({ plainAccount: "completeLink", bankFeedSubscription: "completeLink" } as const),
  ...({ purchase: "authorize", authorization: "authorize", matched: "postAtBank" } as const),
  ...({ movement: "postAtBank", duplicate: "postAtBank" } as const),
  ...({ submittedFeed: "submitFeed", state: "snapshot" } as const),
} satisfies Record<string, Verb>;

type Name = keyof typeof PRODUCERS;

/** The values that are known so far. */
export type Known = Partial<Record<Name, string>>;

/** An event that a step must cause, with its values by JSON pointer. */
export interface Owed {
  readonly name: EventName;
  readonly values: Readonly<Record<string, unknown>>;
}

/** A call of a verb. */
export interface TrialStep<V extends Verb = Verb> {
  readonly verb: V;
  /** Distinguishes it from other calls of the verb. */
  readonly note?: string;
  /** The earlier results that it uses; default: none. */
  readonly needs?: readonly Name[];
  /** Called once everything that the step needs is known. */
  readonly params: (known: Required<Known>) => VerbParams<V>;
  readonly owes?: (result: VerbResult<V>, known: Required<Known>) => readonly Owed[];
  /** The resources of the API that must exist afterwards, as relative links. */
  readonly shows?: (result: VerbResult<V>) => readonly string[];
  readonly learn?: (
    result: VerbResult<V>,
    known: Required<Known>,
    deliveries: readonly Delivery[],
  ) => Known;
}

const step = <V extends Verb>(one: TrialStep<V>) => one as unknown as TrialStep;

const owed = (name: EventName, values: Owed["values"] = {}): Owed => ({ name, values });
const updated = (id: string) => owed("cardsubscription.updated", { "/id": id });

const PRICE = { amount: 31.19, merchant: "KIOSK MORGENROT" };
const MOVEMENT = { amount: 47.83, merchant: "LATERNA BOOKS" };
const TWICE = { amount: 19.43, merchant: "OPTIK LINDQVIST" };

const enroll = (note: string, learn: (card: VerbResult<"enroll">) => Known) =>
  step({
    verb: "enroll",
    note,
    params: () => undefined,
    owes: ({ subscriptionId }) => [owed("cardsubscription.created", { "/id": subscriptionId })],
    shows: ({ subscriptionId, cardId }) => [
      `/card-subscriptions/${subscriptionId}`,
      `/cards/${cardId}`,
    ],
    learn,
  });

const clearSca = (note: string, learn: (known: Required<Known>) => Known) =>
  step({
    verb: "clearSca",
    note,
    needs: ["reqScaSubscription"],
    params: ({ reqScaSubscription: subscriptionId }) => ({ subscriptionId }),
    owes: (_, { reqScaSubscription }) => [updated(reqScaSubscription)],
    learn: (_, known) => learn(known),
  });

const postStandalone = (note: string, price: typeof TWICE, learns: Name) =>
  step({
    verb: "postAtBank",
    note,
    needs: ["creditAccount"],
    params: ({ creditAccount: bankAccountId }) => ({ bankAccountId, ...price }),
    owes: ({ bankTransactionId }) => [
      owed("banktransaction.created", { "/id": bankTransactionId }),
      // The message may be abridged, without bankData.
      owed("transactionmessage.created", { "/messageType": SETTLEMENT }),
      owed("transaction.created"),
    ],
    learn: ({ bankTransactionId }) => ({ [learns]: bankTransactionId }),
  });

const submitFeed = (note: string, params: { expectedCardCount?: number }) =>
  step({
    verb: "submitFeed",
    note,
    params: () => params,
    shows: ({ feedId }) => [`/network-bulk-feeds/${feedId}`],
    learn: ({ feedId }) => ({ submittedFeed: feedId }),
  });

const deleted = (id: string) => owed("banktransaction.deleted", { "/id": id });
const connection = (state: string) => (id: string) =>
  owed("bankaccount.state_changed", { "/bankAccountId": id, "/state": state });

/** A verb that changes one resource, and owes one event about it. */
const change = (
  verb: Verb,
  field: "subscriptionId" | "bankAccountId" | "bankTransactionId",
  name: Name,
  event: (id: string) => Owed,
) =>
  step({
    verb,
    needs: [name],
    params: (known) => ({ [field]: known[name] }) as never,
    owes: (_, known) => [event(known[name])],
  });

/** The calls of a trial. Later ones use what earlier ones returned. */
export const TRIAL_PLAN: readonly TrialStep[] = [
  step({ verb: "settle", params: () => undefined }),
  enroll("", ({ subscriptionId, cardId, last4 }) => {
    return { reqScaSubscription: subscriptionId, card: cardId, last4 };
  }),
  clearSca("", ({ card }) => ({ activeCard: card })),
  step({
    verb: "startLink",
    needs: ["last4"],
    params: ({ last4 }) => ({
      accounts: [{ type: "credit", last4 }, { type: "credit" }, { type: "depository" }],
    }),
    learn: ({ bankLinkId }) => ({ startedLink: bankLinkId }),
  }),
  step({
    verb: "completeLink",
    note: "notification",
    needs: ["startedLink"],
    params: ({ startedLink: bankLinkId }) => ({ bankLinkId, by: "notification" }),
    owes: (_, { startedLink }) => [owed("banklink.completed", { "/bankLinkId": startedLink })],
    shows: ({ bankAccountIds }) => bankAccountIds.map((id) => `/bank-accounts/${id}`),
    learn: ({ bankAccountIds: [credit, unknown, plain] }, _, deliveries) => {
      const [created] = findEvents(deliveries, "cardsubscription.created", {
        "/bankAccountId": unknown,
      });
      const subscription = textAt(created?.json, "/id");
      return {
        ...(credit && { creditAccount: credit }),
        ...(plain && { plainAccount: plain }),
        ...(subscription && { bankFeedSubscription: subscription }),
      };
    },
  }),
  step({
    verb: "authorize",
    needs: ["activeCard"],
    params: ({ activeCard: cardId }) => ({ cardId, ...PRICE }),
    owes: ({ transactionId, messageId }) => [
      owed("transactionmessage.created", { "/id": messageId }),
      owed("transaction.created", { "/id": transactionId }),
    ],
    shows: ({ transactionId, messageId }) => [
      `/transactions/${transactionId}`,
      `/transaction-messages/${messageId}`,
    ],
    learn: ({ transactionId, messageId }) => ({
      purchase: transactionId,
      authorization: messageId,
    }),
  }),
  step({
    verb: "enrich",
    needs: ["authorization"],
    params: ({ authorization: messageId }) => ({ messageId }),
    owes: () => [owed("enrichment.merchant.created")],
  }),
  step({
    verb: "postAtBank",
    note: "the debit of a purchase",
    needs: ["creditAccount", "purchase"],
    params: ({ creditAccount, purchase }) => {
      return { bankAccountId: creditAccount, transactionId: purchase, ...PRICE };
    },
    owes: ({ bankTransactionId }, { purchase }) => [
      owed("banktransaction.created", { "/id": bankTransactionId }),
      owed("transaction.match.created"),
      owed("transaction.updated", { "/id": purchase }),
    ],
    learn: ({ bankTransactionId }) => ({ matched: bankTransactionId }),
  }),
  step({
    verb: "rematch",
    needs: ["matched", "purchase"],
    params: ({ purchase: transactionId }) => ({ transactionId }),
    owes: (_, { matched }) => [
      owed("transaction.match.deleted", { "/bankTransactionId": matched }),
    ],
  }),
  step({
    verb: "clear",
    needs: ["purchase"],
    params: ({ purchase: transactionId }) => ({ transactionId }),
    owes: ({ messageId }, { purchase }) => [
      owed("transactionmessage.created", { "/id": messageId }),
      owed("transaction.updated", { "/id": purchase }),
    ],
    shows: ({ messageId }) => [`/transaction-messages/${messageId}`],
  }),
  postStandalone("a movement without a purchase", MOVEMENT, "movement"),
  step({
    verb: "tellLate",
    needs: ["activeCard", "movement"],
    params: ({ activeCard: cardId, movement: bankTransactionId }) => {
      return { cardId, bankTransactionId, ...MOVEMENT, confidence: "HIGH" };
    },
    owes: ({ transactionId }) => [owed("transaction.created", { "/id": transactionId })],
    shows: ({ transactionId }) => [`/transactions/${transactionId}`],
  }),
  change("removeAtProvider", "bankTransactionId", "movement", deleted),
  postStandalone("a movement", TWICE, "duplicate"),
  postStandalone("its duplicate", TWICE, "duplicate"),
  change("retireDuplicate", "bankTransactionId", "duplicate", deleted),
  enroll("another card", ({ subscriptionId, cardId }) => {
    return { reqScaSubscription: subscriptionId, otherCard: cardId };
  }),
  clearSca("another card", ({ reqScaSubscription }) => ({
    activeSubscription: reqScaSubscription,
  })),
  step({
    verb: "linkCard",
    needs: ["otherCard", "activeSubscription", "plainAccount"],
    params: ({ otherCard: cardId, plainAccount: bankAccountId }) => ({ cardId, bankAccountId }),
    owes: (_, { activeSubscription }) => [updated(activeSubscription)],
  }),
  change("deactivate", "subscriptionId", "activeSubscription", updated),
  change("upgrade", "subscriptionId", "bankFeedSubscription", updated),
  change("expireConsent", "bankAccountId", "plainAccount", connection("auth_required")),
  change("disconnect", "bankAccountId", "plainAccount", connection("disconnected")),
  change("recover", "bankAccountId", "plainAccount", connection("active")),
  submitFeed("with a count", { expectedCardCount: 3 }),
  step({
    verb: "acceptFeed",
    needs: ["submittedFeed"],
    params: ({ submittedFeed: feedId }) => ({ feedId }),
    owes: (result, { submittedFeed }) => [
      owed("networkbulkfeed.statechanged", { "/id": submittedFeed, "/newState": "active" }),
      ...listAt(result, "subscriptionIds").map((id) => {
        return owed("cardsubscription.created", { "/id": id });
      }),
    ],
    shows: ({ subscriptionIds }) => subscriptionIds.map((id) => `/card-subscriptions/${id}`),
  }),
  submitFeed("without a count", {}),
  step({
    verb: "rejectFeed",
    needs: ["submittedFeed"],
    params: ({ submittedFeed: feedId }) => ({ feedId }),
    owes: (_, { submittedFeed }) => [
      owed("networkbulkfeed.statechanged", { "/id": submittedFeed, "/newState": "failed" }),
    ],
  }),
  step({
    verb: "startLink",
    note: "for polling",
    params: () => ({ accounts: [{ type: "depository" }] }),
    learn: ({ bankLinkId }) => ({ startedLink: bankLinkId }),
  }),
  step({
    verb: "completeLink",
    note: "polling",
    needs: ["startedLink"],
    params: ({ startedLink: bankLinkId }) => ({ bankLinkId, by: "polling" }),
    owes: (result, { startedLink }) => {
      const isComplete = listAt(result, "bankAccountIds").length > 0;
      return isComplete ? [owed("banklink.completed", { "/bankLinkId": startedLink })] : [];
    },
  }),
  step({ verb: "advance", params: () => ({ seconds: 60 }) }),
  step({
    verb: "snapshot",
    params: () => ({ name: "txfeed-driver-check" }),
    learn: () => ({ state: "txfeed-driver-check" }),
  }),
  step({ verb: "restore", needs: ["state"], params: ({ state: name }) => ({ name }) }),
];
