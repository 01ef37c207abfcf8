import {
  call,
  type NamedCall,
  of,
  type Playable,
  type Reference,
  type ScriptCall,
} from "./script.ts";

/** A card of the last four digits, and a bank account that is linked to it. */
function linkedCard(cardNumber: string, as = "linked"): NamedCall[] {
  const accounts = [
    { name: "Everyday Account", mask: cardNumber.slice(-4), type: "depository/checking" },
  ];
  return [
    call("enroll", { cardNumber }, as),
    call("sca-pass"),
    call("link-start", { accounts }),
    call("link-complete", {}, `${as} account`),
  ];
}

/** A call some time after the one before. */
const after = (advance: string, next: ScriptCall): readonly ScriptCall[] => [{ advance }, next];

const CARD = { cardId: of("linked", "cardId") };
const ACCOUNT = { bankAccountId: of("linked account", "bankAccountIds") };
const CARDLESS = { bankAccountId: of("three accounts", "bankAccountIds", { item: 2 }) };
const OFFICE = { subaccountId: of("head office", "subaccountId") };
const CREDIT = { name: "Business Credit", type: "Credit Card" };

const transaction = (name: string) => ({ transactionId: of(name, "transactionId") });
const posting = (name: string) => ({ bankTransactionId: of(name, "bankTransactionId") });

const ENROLLMENTS: readonly ScriptCall[] = [
  call("open-subaccount", { name: "Field Office" }),
  call("open-subaccount", { name: "Head Office" }, "head office"),
  ...linkedCard("4000000000005205"),
  // A credit account mints a card, a second one is upgraded, and an account without cards.
  call("link-start", {
    ...OFFICE,
    accounts: [
      { ...CREDIT, mask: "7731", network: { networkCode: "c" } },
      { ...CREDIT, mask: "3155", network: { networkCode: "a" } },
      { name: "Savings", mask: "0042", type: "depository/savings" },
    ],
  }),
  call("link-complete", {}, "three accounts"),
  call("enroll", { ...OFFICE, cardNumber: "4000000000003155", network: { networkCode: "a" } }),
  call("sca-pass"),
  call("feed-submit", { ...OFFICE, expectedCardCount: 3 }),
  call("feed-accept", { cards: 3 }),
  call("feed-submit", OFFICE),
  call("feed-reject"),
  call("enroll", { ...OFFICE, cardNumber: "4000000000009424", network: { networkCode: "b" } }),
  call("sca-pass"),
  call("deactivate"),
  call("enroll", { cardNumber: "4000000000002210", network: { networkCode: "c" } }, "on c"),
  call("sca-pass"),
  call("enroll", { ...OFFICE, customerReferenceId: "employee-00417" }),
  // A link that is not completed.
  call("link-start", OFFICE),
];

const PURCHASES: readonly (ScriptCall | readonly ScriptCall[])[] = [
  // TXN-12 and TXN-13: settled by the bank, then cleared by the network.
  after("5h", call("purchase", CARD, "settled")),
  after("9h", call("bank-post", transaction("settled"))),
  call("enrich", transaction("settled")),
  after("3h", call("purchase", { ...CARD, amount: 129.9 }, "cleared")),
  after("20h", call("bank-post", transaction("cleared"))),
  after("1d", call("clear", transaction("cleared"))),
  // In a currency other than the card's.
  call("purchase", { ...CARD, amount: 80, currency: "USD", billingCurrency: "EUR" }, "abroad"),
  after("30h", call("clear", transaction("abroad"))),
  call("bank-post", transaction("abroad")),
  // MAT-08: in parts, each with its own debit.
  call("purchase", { ...CARD, amount: 96.4 }, "parts"),
  after("12h", call("clear-partial", { ...transaction("parts"), amount: 60 })),
  after("6h", call("bank-post", { ...ACCOUNT, amount: 60, description: descriptorOf("parts") })),
  after("6h", call("clear", transaction("parts"))),
  after("6h", call("bank-post", { ...ACCOUNT, amount: 36.4, description: descriptorOf("parts") })),
  // TXN-15: bank-only, on an account with a card and on one without.
  call("bank-post", { ...ACCOUNT, amount: 1250, description: "LIFFEY LETTINGS" }),
  call("bank-post", {
    ...CARDLESS,
    amount: 9.99,
    description: "ACCOUNT FEE",
    category: ["BANK_FEES"],
  }),
  call("bank-post", {
    ...CARDLESS,
    amount: 12.5,
    description: "INTEREST",
    transactionType: "credit",
  }),
  // TXN-14, BTX-05: late card data, removals and a retired duplicate.
  after(
    "10h",
    call("bank-post", { ...ACCOUNT, amount: 58.1, description: "HAFEN ELEKTRO HAMBURG" }, "early"),
  ),
  after(
    "1d",
    call("late-card-data", {
      ...{ ...posting("early"), ...CARD },
      merchant: { descriptor: "HAFEN ELEKTRO GMBH" },
    }),
  ),
  call("bank-post", { ...ACCOUNT, amount: 7.3, description: "KIOSK 8" }, "removed"),
  after("5h", call("provider-remove", posting("removed"))),
  call("bank-post", { ...ACCOUNT, amount: 15, description: "MERCADO DEL SOL SEVILLA" }),
  call("bank-post", { ...ACCOUNT, amount: 15, description: "MERCADO DEL SOL SEVILLA" }),
  after("12h", call("retire-duplicate")),
  // MSG-05: with a traceId.
  call("purchase", { cardId: of("on c", "cardId"), amount: 12 }),
  call("purchase", { ...CARD, amount: 310, result: "DECLINED" }),
  after("8h", call("purchase", { ...CARD, amount: 23.75 })),
];

function descriptorOf(name: string): Reference {
  return of(name, "descriptor", { event: "transaction.created" });
}

function stepsOf(calls: readonly (ScriptCall | readonly ScriptCall[])[]): Playable {
  return { steps: calls.map((one) => ({ calls: [one].flat() })) };
}

/**
 * One example of everything that the interface shows: each enrollment type and state, and each way
 * in which a transaction settles, is superseded or is netted, on each network.
 */
export const smallSeed = stepsOf([...ENROLLMENTS, ...PURCHASES]);

/** The history of the second account. */
export const secondSeed = stepsOf([
  ...linkedCard("4000000000001119"),
  call("purchase", { ...CARD, amount: 18.2 }),
  after("20h", call("bank-post")),
  call("purchase", { ...CARD, amount: 64 }),
]);
