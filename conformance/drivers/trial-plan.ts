import type { EventName } from "../../generated/events.ts";
import type { Verb, VerbResult } from "../driver.ts";
import { findEvents, listAt, textAt } from "../scenarios/find-deliveries.ts";
import type { Known, Name, Owed, TrialStep } from "./trial-step.ts";

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
    needs: [],
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
      owed("transactionmessage.created", { "/bankData/bankTransactionId": bankTransactionId }),
      owed("transaction.created"),
    ],
    learn: ({ bankTransactionId }) => ({ [learns]: bankTransactionId }),
  });

const submitFeed = (note: string, params: { expectedCardCount?: number }) =>
  step({
    verb: "submitFeed",
    note,
    needs: [],
    params: () => params,
    shows: ({ feedId }) => [`/network-bulk-feeds/${feedId}`],
    learn: ({ feedId }) => ({ submittedFeed: feedId }),
  });

const changeConnection = (verb: "expireConsent" | "disconnect" | "recover", state: string) =>
  step({
    verb,
    needs: ["plainAccount"],
    params: ({ plainAccount: bankAccountId }) => ({ bankAccountId }),
    owes: (_, { plainAccount }) => [
      owed("bankaccount.state_changed", { "/bankAccountId": plainAccount, "/state": state }),
    ],
  });

const deleted = (id: string) => owed("banktransaction.deleted", { "/id": id });

/** The calls of a trial. Later ones use what earlier ones returned. */
export const TRIAL_PLAN: readonly TrialStep[] = [
  step({ verb: "settle", needs: [], params: () => undefined }),
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
  step({
    verb: "removeAtProvider",
    needs: ["movement"],
    params: ({ movement: bankTransactionId }) => ({ bankTransactionId }),
    owes: (_, { movement }) => [deleted(movement)],
  }),
  postStandalone("a movement", TWICE, "duplicate"),
  postStandalone("its duplicate", TWICE, "duplicate"),
  step({
    verb: "retireDuplicate",
    needs: ["duplicate"],
    params: ({ duplicate: bankTransactionId }) => ({ bankTransactionId }),
    owes: (_, { duplicate }) => [deleted(duplicate)],
  }),
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
  step({
    verb: "deactivate",
    needs: ["activeSubscription"],
    params: ({ activeSubscription: subscriptionId }) => ({ subscriptionId }),
    owes: (_, { activeSubscription }) => [updated(activeSubscription)],
  }),
  step({
    verb: "upgrade",
    needs: ["bankFeedSubscription"],
    params: ({ bankFeedSubscription: subscriptionId }) => ({ subscriptionId }),
    owes: (_, { bankFeedSubscription }) => [updated(bankFeedSubscription)],
  }),
  changeConnection("expireConsent", "auth_required"),
  changeConnection("disconnect", "disconnected"),
  changeConnection("recover", "active"),
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
    needs: [],
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
  step({ verb: "advance", needs: [], params: () => ({ seconds: 60 }) }),
  step({
    verb: "snapshot",
    needs: [],
    params: () => ({ name: "txfeed-driver-check" }),
    learn: () => ({ state: "txfeed-driver-check" }),
  }),
  step({ verb: "restore", needs: ["state"], params: ({ state: name }) => ({ name }) }),
];
