import fc from "fast-check";
import type { Kind } from "../../src/world/resources.ts";
import type { VerbParams } from "../../src/world/verbs/index.ts";
import type { VerbName } from "../../src/world/verbs/names.ts";

// Random scripts of verbs, in any order.

/** The n-th latest resource of a kind, whether the verb applies to it or not. */
export type ResourceChoice = readonly [param: string, kind: Kind, place: number];

/** A step: a verb with some of its parameters, or a clock change. */
export type Step =
  | { verb: VerbName; params: object; about?: readonly ResourceChoice[] }
  | { advance: string };

const amount = fc.constantFrom(1, 1.234, 10, 20, 30, 42.5, 60, 73.39, 90, 100);
const merchant = fc.record({
  descriptor: fc.constantFrom("CORNER CAFE 12", "HAFEN ELEKTRO GMBH", "PAYPAL *CORNER CAFE"),
  mcc: fc.constantFrom("5812", "5542", "5732"),
});
const description = fc.constantFrom(
  ...["CORNER CAFE DUBLIN", "HAFEN ELEKTRO", "CARD PAYMENT 1234", "HAFEN"],
  ...["PAYPAL CORNER CAFE 05.01.", "CORNER CAFE 06JAN", "PAYP"],
);
const date = fc.constantFrom("2026-01-03", "2026-01-05", "2026-01-06", "2026-01-12");
const mask = fc.constantFrom("1111", "2222", "3333");
const network = fc.constantFrom("NETWORK_A", "NETWORK_B", "NETWORK_C");
const some = <T>(shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(shape, { requiredKeys: [] });

const params: { [Name in VerbName]: fc.Arbitrary<Partial<VerbParams[Name]>> } = {
  purchase: some({
    amount,
    merchant,
    result: fc.constantFrom("APPROVED" as const, "APPROVED" as const, "DECLINED" as const),
    currency: fc.constantFrom("EUR", "USD", "JPY", "KWD"),
    billingCurrency: fc.constantFrom("EUR", "EUR", "EUR", "JPY"),
  }),
  clear: some({ amount }),
  "clear-partial": some({ amount }),
  "bank-post": some({
    amount,
    description,
    date,
    pending: fc.constantFrom(false, false, false, true),
    transactionType: fc.constantFrom("debit" as const, "debit" as const, "credit" as const),
  }),
  "late-card-data": some({ amount, merchant, date }),
  "retire-duplicate": fc.constant({}),
  "provider-remove": fc.constant({}),
  rematch: fc.constant({}),
  enrich: fc.constant({}),
  enroll: some({ cardNumber: mask.map((last4) => `400000000000${last4}`), network }),
  "sca-pass": fc.constant({}),
  "sca-fail": fc.constant({}),
  upgrade: fc.constant({}),
  deactivate: fc.constant({}),
  "feed-submit": some({ expectedCardCount: fc.constantFrom(1, 2), network }),
  "feed-accept": some({ cards: fc.constantFrom(1, 2) }),
  "feed-reject": fc.constant({}),
  "link-start": some({
    accounts: fc.array(
      some({
        mask,
        type: fc.constantFrom("Credit Card", "depository/checking"),
        currency: fc.constantFrom("EUR", "EUR", "JPY"),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  "link-complete": some({ by: fc.constantFrom("notification" as const, "polling" as const) }),
  "link-card": fc.constant({}),
  "consent-expire": fc.constant({}),
  disconnect: fc.constant({}),
  recover: fc.constant({}),
  "open-subaccount": fc.constant({}),
  "switch-projection": fc.record({ on: fc.boolean() }),
};

const RESOURCE_PARAMS: { [Name in VerbName]?: { [param: string]: Kind } } = {
  purchase: { cardId: "cards" },
  clear: { transactionId: "transactions" },
  "clear-partial": { transactionId: "transactions" },
  "bank-post": { bankAccountId: "bank-accounts", transactionId: "transactions" },
  "late-card-data": { bankTransactionId: "bank-transactions", cardId: "cards" },
  "retire-duplicate": { bankTransactionId: "bank-transactions" },
  "provider-remove": { bankTransactionId: "bank-transactions" },
  rematch: {
    transactionId: "transactions",
    bankTransactionId: "bank-transactions",
    bankAccountId: "bank-accounts",
  },
  enrich: { messageId: "transaction-messages", transactionId: "transactions" },
  enroll: { subaccountId: "subaccounts" },
  "sca-pass": { subscriptionId: "card-subscriptions" },
  upgrade: { subscriptionId: "card-subscriptions" },
  deactivate: { subscriptionId: "card-subscriptions" },
  "feed-reject": { feedId: "network-bulk-feeds" },
  "link-start": { subaccountId: "subaccounts" },
  "link-complete": { bankLinkId: "bank-links" },
  "link-card": { cardId: "cards", bankAccountId: "bank-accounts" },
  "consent-expire": { bankAccountId: "bank-accounts" },
  disconnect: { bankAccountId: "bank-accounts" },
  recover: { bankAccountId: "bank-accounts" },
};

/** Verbs that move money occur more often. */
const often: readonly VerbName[] = [
  ...(["purchase", "bank-post", "bank-post", "clear", "clear-partial"] as const),
  ...(["rematch", "provider-remove", "retire-duplicate"] as const),
];

/** Names resources for a random subset of the verb's resource parameters. */
function choicesFor(verb: VerbName): fc.Arbitrary<ResourceChoice[]> {
  const places = Object.entries(RESOURCE_PARAMS[verb] ?? {}).map(([param, kind]) =>
    fc.option(
      fc.nat({ max: 6 }).map((place): ResourceChoice => [param, kind, place]),
      { nil: undefined },
    ),
  );
  return fc.tuple(...places).map((all) => all.filter((one) => one !== undefined));
}

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .constantFrom(...(Object.keys(params) as VerbName[]), ...often, ...often, ...often)
      .chain((verb) =>
        fc.record({ verb: fc.constant(verb), params: params[verb], about: choicesFor(verb) }),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("10s", "9h", "2d", "15d").map((advance) => ({ advance })),
  },
);

const CARD = "4000000000001111";

/** The setup: two enrolled cards and a completed bank link. */
export const opening: readonly Step[] = [
  { verb: "enroll", params: { cardNumber: CARD } },
  { verb: "sca-pass", params: {} },
  { verb: "enroll", params: { cardNumber: CARD, network: "NETWORK_C" } },
  { verb: "sca-pass", params: {} },
  { verb: "link-start", params: { accounts: [{ mask: "1111" }, { type: "credit" }] } },
  { verb: "link-complete", params: {} },
];
