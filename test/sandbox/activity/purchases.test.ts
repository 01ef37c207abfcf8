import { expect, test } from "vitest";
import { BANK_TRANSACTION_TRANSITIONS } from "../../../src/model/bank-transaction.ts";
import type { Transition } from "../../../src/model/state-machine.ts";
import { TRANSACTION_TRANSITIONS } from "../../../src/model/transaction.ts";
import { MATCH_TRANSITIONS } from "../../../src/model/transaction-match.ts";
import { REMATCH_AFTER_MS } from "../../../src/world/activity/rematch.ts";
import { call, of, type ScriptCall } from "../../../src/world/script.ts";
import { requireTransition } from "../../../src/world/state-machine.ts";
import { digestOf } from "../digest.ts";
import { checkRow, type Row, refused } from "../rows.ts";
import { namesOf, TestSandbox } from "../test-sandbox.ts";

const CURRENT = { name: "Everyday Account", mask: "5205", type: "depository/checking" };

/** A cardholder links an account. */
const link = (account: object, as = "share"): ScriptCall[] => [
  call("link-start", { accounts: [account] }, `${as} start`),
  call("link-complete", { bankLinkId: of(`${as} start`, "bankLinkId") }, as),
];
const ON_ACCOUNT = { bankAccountId: of("share", "bankAccountIds") };

/** An active card of a bank account. */
const card = (network?: string): ScriptCall[] => [
  call("enroll", { cardNumber: "4000000000005205", network }, "enroll"),
  call("sca-pass"),
  ...link(CURRENT),
];
const CARD = card();
const CREDIT = link({ name: "Business Credit", mask: "7731", type: "credit" });

const CAFE = { merchant: { descriptor: "CORNER CAFE 12" } };
const HARBOUR = { merchant: { descriptor: "HAFEN ELEKTRO GMBH" } };
const AT_CAFE = { description: "CORNER CAFE DUBLIN" };
const UNNAMED = { description: "CARD PAYMENT 1234" };
const ABROAD = { currency: "USD", billingAmount: 73.39, billingCurrency: "EUR" };

const buy = (amount: number, more: object = {}, as = "buy") =>
  call("purchase", { amount, ...CAFE, ...more }, as);
const post = (amount: number, more: object = {}, as = "post") =>
  call("bank-post", { ...ON_ACCOUNT, amount, ...AT_CAFE, ...more }, as);
const clear = (amount?: number) => call("clear", { ...BOUGHT, amount });
const clearPart = (amount: number) => call("clear-partial", { ...BOUGHT, amount });
const remove = (as = "post") =>
  call("provider-remove", { bankTransactionId: of(as, "bankTransactionId") });

const BOUGHT = { transactionId: of("buy", "transactionId") };
const POSTED = { bankTransactionId: of("post", "bankTransactionId") };
const REMATCH = call("rematch", BOUGHT);
const RETIRE = call("retire-duplicate");
const RECOVER = call("recover", ON_ACCOUNT);
const DISCONNECT = call("disconnect", ON_ACCOUNT);
const wait = (advance: string): ScriptCall => ({ advance });
// MAT-09: newer card data is matched again.
const WAIT = wait("10s");

const SENT = "transactionmessage.created";
const UPDATED = "transaction.updated";
const MATCHED = "transaction.match.created";
const AT_CAFE_POSTED = "42.5 CORNER CAFE DUBLIN";

const PURCHASES: Row[] = [
  {
    title: "WHK-05, TXN-12, TXN-13, MAT-07: a purchase is posted, cleared and matched again",
    steps: [
      ...CARD,
      [
        buy(42.5),
        `${SENT} msg1 AUTH_REQU 42.5 NETWORK_A code1 ref1`,
        "transaction.created tx1 PENDING 0 held 42.5 of card1",
      ],
      [
        call("bank-post", {}, "post"),
        `banktransaction.created post1 ${AT_CAFE_POSTED}`,
        `${MATCHED} match1 post1 = tx1 of 42.5 HIGH`,
        `${SENT} msg2 FINL_ADVC 42.5 NETWORK_A code1 ref1 from post1`,
        `${UPDATED} tx1 SETTLED 42.5 by post1`,
      ],
      [
        REMATCH,
        "transaction.match.deleted match1 post1 = tx1 rematch_superseded about post1",
        `${MATCHED} match2 post1 = tx1 of 42.5 HIGH`,
      ],
      [
        clear(),
        `${SENT} msg3 FINL_ADVC 42.5 NETWORK_A code1 ref1`,
        `${UPDATED} tx1 SETTLED 42.5 by msg3 over post1`,
      ],
      // A rematch after the clearing does not repeat the posting.
      [
        call("rematch"),
        "transaction.match.deleted match2 post1 = tx1 rematch_superseded about post1",
        `${MATCHED} match3 post1 = tx1 of 42.5 HIGH`,
      ],
    ],
  },
  {
    title: "TXN-13: the network's amount supersedes that of the bank",
    steps: [...CARD, buy(42.5), post(42.5), clear(46)],
    ends: "tx1 SETTLED 46 by msg3 over post1; post1 = tx1",
  },
  {
    title: "MAT-08, TXN-13: a posting after the network's clearing is superseded at once",
    steps: [
      ...[...CARD, buy(42.5), clear()],
      [
        call("bank-post", BOUGHT),
        `banktransaction.created post1 ${AT_CAFE_POSTED}`,
        `${MATCHED} match1 post1 = tx1 of 42.5 HIGH`,
        `${SENT} msg3 FINL_ADVC 42.5 NETWORK_A code1 ref1 from post1`,
        `${UPDATED} tx1 SETTLED 42.5 by msg2 over post1`,
      ],
    ],
  },
  {
    title: "MSG-04, MSG-05, MSG-06: NETWORK_C has a traceId and no approval code",
    steps: [
      ...card("NETWORK_C"),
      [
        buy(42.5),
        `${SENT} msg1 AUTH_REQU 42.5 NETWORK_C trace1 ref1`,
        "transaction.created tx1 PENDING 0 held 42.5 of card1",
      ],
      [
        call("bank-post", BOUGHT),
        `banktransaction.created post1 ${AT_CAFE_POSTED}`,
        `${MATCHED} match1 post1 = tx1 of 42.5 HIGH`,
        `${SENT} msg2 FINL_ADVC 42.5 NETWORK_C trace1 ref1 from post1`,
        `${UPDATED} tx1 SETTLED 42.5 by post1`,
      ],
    ],
  },
  {
    title: "TXN-12: a match below high confidence leaves the purchase pending",
    steps: [
      ...[...CARD, buy(42.5)],
      [
        post(42.5, { description: "HAFEN ELEKTRO HAMBURG" }),
        "banktransaction.created post1 42.5 HAFEN ELEKTRO HAMBURG",
        `${MATCHED} match1 post1 = tx1 of 42.5 MEDIUM`,
      ],
    ],
    ends: "tx1 PENDING 0 held 42.5; post1 = tx1",
  },
  {
    title: "ENR-01: a message is enriched with its merchant",
    steps: [
      ...[...CARD, buy(42.5), buy(42.5, HARBOUR, "other")],
      [
        call("enrich", { messageId: of("buy", "messageId") }),
        "enrichment.merchant.created Corner Cafe of msg1",
      ],
    ],
  },
  {
    title: "a declined purchase has no hold and is never matched",
    steps: [...CARD, buy(42.5, { result: "DECLINED" }), post(42.5)],
    ends: "tx1 PENDING 0; tx2 bank-only 42.5; post1 bank-only",
  },
  {
    title: "amounts with no or three decimals stay whole minor units",
    steps: [
      ...CARD,
      ...[buy(1200, { currency: "JPY" }), clear()],
      ...[buy(1.125, { currency: "KWD" }), clear()],
    ],
    ends: "tx1 SETTLED 1200 by msg2; tx2 SETTLED 1.125 by msg4",
  },
  {
    title: "a foreign purchase settles in both currencies",
    steps: [...CARD, buy(80, ABROAD), call("bank-post", BOUGHT)],
    ends: "tx1 SETTLED 80 USD = 73.39 EUR by post1; post1 = tx1",
  },
  {
    title: "a posting that settles the whole for less leaves no hold",
    steps: [
      ...CARD,
      buy(100, { merchant: { descriptor: "SHELL 1234", mcc: "5542" } }),
      post(45, { description: "SHELL 1234" }),
    ],
    ends: "tx1 SETTLED 45 by post1; post1 = tx1",
  },
];

const PARTS: Row[] = [
  {
    title: "MAT-08: each debit of a purchase cleared in parts has its own leg",
    steps: [...CARD, buy(96.4), clearPart(60), clear(), post(60), post(36.4)],
    ends: "tx1 SETTLED 96.4 by msg2 msg3 over post1 post2; post1 = msg2; post2 = msg3",
  },
  {
    title: "MAT-08: a clearing of the whole supersedes both legs of the bank",
    steps: [...CARD, buy(100), post(60), post(40), clear()],
    ends: "tx1 SETTLED 100 by msg3 over post1 post2; tx2 netted; post1 = leg1; post2 = leg2",
  },
  {
    title: "MAT-07, MAT-08: a purchase that was cleared at once keeps its debits",
    steps: [...CARD, buy(100), post(60), post(40), clear(), REMATCH],
    ends: "tx1 SETTLED 100 by msg3 over post1 post2; tx2 netted; post1 = leg3; post2 = leg4",
  },
  {
    title: "MAT-07, MAT-08: a purchase that was cleared in other parts keeps its debits",
    steps: [...CARD, buy(100), post(60), post(40), clearPart(50), clear(), REMATCH],
    ends: "tx1 SETTLED 100 by msg3 msg4 over post1 post2; tx2 netted; post1 = leg3; post2 = leg4",
  },
  {
    title: "MAT-07, MAT-08: a purchase that was cleared in more parts keeps its debits",
    steps: [
      ...[...CARD, buy(100), post(60), post(40)],
      ...[clearPart(20), clearPart(20), clearPart(30), clear(), REMATCH],
    ],
    ends: [
      "tx1 SETTLED 100 by msg3 msg4 msg5 msg6 over post1 post2; tx2 netted; post1 = leg3",
      "post2 = leg4",
    ],
  },
  {
    title: "a debit after a partial clearing of its sum belongs to the purchase",
    steps: [...CARD, buy(100), clearPart(55), post(100), wait("30d"), clear(), WAIT],
    ends: "tx1 SETTLED 100 by msg2 msg4 over post1; tx2 netted; post1 = leg1",
  },
  {
    title: "a purchase whose debits add up to its amount takes no other",
    steps: [...CARD, buy(100), post(60), post(40), clearPart(50), clear(), post(50)],
    ends: [
      "tx1 SETTLED 100 by msg3 msg4 over post1 post2; tx2 netted; tx3 bank-only 50",
      "post1 = leg1; post2 = leg2; post3 bank-only",
    ],
  },
  {
    title: "a purchase with a matched debit takes no other",
    steps: [...CARD, buy(100), post(100), clearPart(60), clear(90), post(50)],
    ends: "tx1 SETTLED 150 by msg3 msg4 over post1; tx2 bank-only 50; post1 = tx1; post2 bank-only",
  },
  {
    title: "a single clearing does not match a sum of debits tied with another purchase",
    steps: [...CARD, buy(100), clear(), buy(100, HARBOUR), post(100, UNNAMED), post(40)],
    ends: [
      "tx1 SETTLED 100 by msg2; tx2 PENDING 0 held 100; tx3 bank-only 100; tx4 bank-only 40",
      "post1 bank-only; post2 bank-only",
    ],
  },
  {
    title: "equal parts that swap debits in a rematch are each settled by their own",
    steps: [
      ...[...CARD, buy(100), post(50), post(50), REMATCH, REMATCH, REMATCH, REMATCH],
      ...[remove("post"), post(50)],
    ],
    ends: [
      "tx1 SETTLED 100 by post1 post3 over post2; tx2 netted; post1 = leg2; post2 deleted",
      "post3 = leg1",
    ],
  },
  {
    title: "each part of a purchase is matched again after its debit was removed",
    steps: [
      ...[...CARD, buy(100), post(60, {}, "one"), post(40, {}, "other"), clear()],
      ...[remove("one"), post(60), remove("other"), post(40)],
    ],
    ends: [
      "tx1 SETTLED 100 by msg3 over post1 post2 post3 post4; tx2 netted; post1 deleted",
      "post2 deleted; post3 = leg3; post4 = leg4",
    ],
  },
  {
    title: "a further debit is limited to the uncleared rest of the purchase",
    steps: [
      ...[...CARD, buy(100), post(60), post(40), clearPart(50), clear()],
      ...[remove(), post(50), post(40)],
    ],
    ends: [
      "tx1 SETTLED 100 by msg3 msg4 over post1 post2 post4; tx2 netted; tx3 bank-only 50",
      "post1 = leg1; post2 deleted; post3 bank-only; post4 = leg3",
    ],
  },
  {
    title: "a debit near the sum of the cleared parts is not a part",
    steps: [...CARD, buy(100), clearPart(55), clear(), post(95)],
    ends: "tx1 SETTLED 100 by msg2 msg3; tx2 bank-only 95; post1 bank-only",
  },
  {
    title: "a last part with a tip on top leaves no hold",
    steps: [
      ...CARD,
      buy(100, { merchant: { descriptor: "LA TRATTORIA", mcc: "5812" } }),
      clearPart(60),
      post(42, { description: "LA TRATTORIA" }),
    ],
    ends: "tx1 SETTLED 102 by msg2 post1; post1 = leg1",
  },
  {
    title: "foreign postings in parts add up in both currencies",
    steps: [...CARD, buy(80, ABROAD), post(24.46), post(24.46), post(24.47)],
    ends: [
      "tx1 SETTLED 80 USD = 73.39 EUR by post1 post2 post3; tx2 netted; tx3 netted",
      "post1 = leg1; post2 = leg2; post3 = leg3",
    ],
  },
  {
    title: "foreign clearings in parts add up in both currencies",
    steps: [...CARD, buy(80, ABROAD), clearPart(26.67), clearPart(26.67), clear()],
    ends: "tx1 SETTLED 80 USD = 73.39 EUR by msg2 msg3 msg4",
  },
];

const POSTINGS: Row[] = [
  {
    title: "TXN-15, TXN-16, TXN-17: a standalone movement settles under the oldest card",
    steps: [
      ...CARD,
      [
        post(1250, { description: "RENT MARCH" }),
        "banktransaction.created post1 1250 RENT MARCH",
        `${SENT} msg1 FINL_ADVC 1250 OPEN_BANKING bank_ from post1`,
        "transaction.created tx1 SETTLED 1250 bank-only by post1 of card1",
      ],
    ],
  },
  {
    title: "TXN-17, TXN-03: on a card-less link cardId is null without a card link",
    steps: [
      ...link({ name: "Savings", mask: "0042", type: "depository/savings" }),
      [
        post(9.99),
        "banktransaction.created post1 9.99 CORNER CAFE DUBLIN",
        `${SENT} msg1 FINL_ADVC 9.99 OPEN_BANKING bank_ from post1`,
        "transaction.created tx1 SETTLED 9.99 bank-only by post1 of no card",
      ],
      refused(call("late-card-data", POSTED), "with an active card"),
    ],
  },
  {
    title: "SUB-08: the bank side works while the card is in reqSCA",
    steps: [...CREDIT, call("upgrade"), post(20)],
    ends: "tx1 bank-only 20; post1 bank-only",
  },
  {
    title: "a pending bank transaction is announced but not counted",
    steps: [
      ...CARD,
      [post(5, { pending: true }), "banktransaction.created post1 5 CORNER CAFE DUBLIN pending"],
    ],
    ends: "post1 pending",
  },
  {
    title: "a movement during a lost connection is synced on recovery",
    steps: [
      ...[...CARD, DISCONNECT],
      [post(5)],
      [
        RECOVER,
        "bankaccount.state_changed acct1 disconnected -> active",
        "banktransaction.created post1 5 CORNER CAFE DUBLIN",
        `${SENT} msg1 FINL_ADVC 5 OPEN_BANKING bank_ from post1`,
        "transaction.created tx1 SETTLED 5 bank-only by post1 of card1",
      ],
    ],
  },
  {
    title: "BTX-05: removing a bank transaction retracts its match",
    steps: [
      ...[...CARD, buy(42.5), post(42.5)],
      [
        remove(),
        "banktransaction.deleted post1 provider_removed about post1",
        "transaction.match.deleted match1 post1 = tx1 bank_transaction_retired about post1",
      ],
    ],
    // Whether the purchase reverts is not specified; it stays settled (TXN-20).
    ends: "tx1 SETTLED 42.5 by post1; post1 deleted",
  },
  {
    title: "BTX-04: a retired duplicate no longer counts",
    steps: [
      ...[...CARD, post(15), post(15)],
      [
        RETIRE,
        "banktransaction.deleted post2 duplicate_retired about post2",
        `${UPDATED} tx2 SETTLED 0 bank-only by post2`,
      ],
    ],
    ends: "tx1 bank-only 15; tx2 netted; post1 bank-only; post2 deleted",
  },
  {
    title: "the duplicate of a retired posting replaces it in the purchase",
    steps: [
      ...[...CARD, buy(42.5), call("bank-post", {}, "post"), call("bank-post", BOUGHT)],
      call("retire-duplicate", POSTED),
    ],
    ends: "tx1 SETTLED 42.5 by post2 over post1; tx2 netted; post1 deleted; post2 = tx1",
  },
  {
    title: "retire-duplicate syncs no duplicate over a lost connection",
    steps: [...CARD, buy(42.5), post(42.5), DISCONNECT, refused(RETIRE, "has no duplicate")],
  },
];

const MATCHES: Row[] = [
  {
    title: "TXN-14: late card data nets the standalone and settles the purchase",
    steps: [
      ...[...CARD, post(58.1), call("late-card-data", CAFE)],
      [
        WAIT,
        "transaction.match.created match1 post1 = tx2 of 58.1 HIGH",
        "transaction.updated tx1 SETTLED 0 bank-only by post1",
        "transactionmessage.created msg3 FINL_ADVC 58.1 NETWORK_A code1 ref1 from post1",
        "transaction.updated tx2 SETTLED 58.1 by post1",
      ],
    ],
  },
  {
    title: "TXN-14: a low-confidence match nets the standalone, not the purchase",
    steps: [
      ...[...CARD, post(60, UNNAMED), call("late-card-data", { ...HARBOUR, amount: 48 })],
      [
        WAIT,
        "transaction.match.created match1 post1 = tx2 of 48 LOW",
        "transaction.updated tx1 SETTLED 0 bank-only by post1",
      ],
    ],
    ends: "tx1 netted; tx2 PENDING 0 held 48; post1 = tx2",
  },
  {
    title: "late-card-data skips movements of an account without a card",
    steps: [
      ...[...CARD, post(42), ...link({ mask: "0042" }, "other")],
      ...[post(43, { bankAccountId: of("other", "bankAccountIds") }), call("late-card-data")],
    ],
    ends: [
      "tx1 bank-only 42; tx2 bank-only 43; tx3 PENDING 0 held 42",
      "post1 bank-only; post2 bank-only",
    ],
  },
  {
    title: "late-card-data uses the account's oldest active card",
    steps: [
      ...[...CREDIT, call("enroll", { cardNumber: "4000000000000001" }, "enroll")],
      call("sca-pass"),
      call("link-card", { cardId: of("enroll", "cardId"), ...ON_ACCOUNT }),
      ...[post(42), call("late-card-data"), WAIT],
    ],
    ends: "tx1 netted; tx2 SETTLED 42 by post1; post1 = tx2",
  },
  {
    title: "a posting that loses its match becomes bank-only",
    steps: [
      ...[...CARD, buy(42.5), post(42.5, UNNAMED), buy(42.5, HARBOUR)],
      call("rematch", POSTED),
    ],
    ends: [
      "tx1 SETTLED 0 held 42.5 over post1; tx2 PENDING 0 held 42.5; tx3 bank-only 42.5",
      "post1 bank-only",
    ],
  },
];

test.each([...PURCHASES, ...PARTS, ...POSTINGS, ...MATCHES])("$title", checkRow);

test.each(["HIGH", "MEDIUM", "LOW", "NONE"] as const)(
  "late card data of confidence %s matches with it, whether the bank names a merchant or not",
  async (confidence) => {
    for (const text of [{ merchantName: "HAFEN ELEKTRO" }, UNNAMED]) {
      const sandbox = new TestSandbox();
      await sandbox.play(...CARD, post(60.07, text), call("late-card-data", { confidence }));
      await sandbox.advance("31d");
      const matches = sandbox.sent("transaction.match.created");
      const expected = confidence === "NONE" ? [] : [confidence];
      expect(matches.map((match) => match.confidence)).toEqual(expected);
    }
  },
);

test("MAT-09: matching is retried at growing intervals, and newer card data restarts it", async () => {
  const gaps = REMATCH_AFTER_MS.map((time, index) => time - (REMATCH_AFTER_MS[index - 1] ?? 0));
  expect(gaps).toEqual([...gaps].sort((one, two) => one - two));
  const sandbox = new TestSandbox();
  const due = () => sandbox.engine.store.sql("SELECT count(*) AS jobs FROM jobs").get()?.["jobs"];
  await sandbox.play(...CARD, buy(42.5), wait("1h"));
  expect(due()).toBe(REMATCH_AFTER_MS.filter((time) => time > 3_600_000).length);
  await sandbox.play(buy(42.5));
  expect(due()).toBe(REMATCH_AFTER_MS.length);
});

test("MAT-07: verbs return the matches and transactions that they made, if any", async () => {
  const sandbox = new TestSandbox();
  await sandbox.play(...CARD, buy(42.5));
  const latest = () => sandbox.engine.store.latest("transaction-matches", undefined, 1)[0];
  const posted = sandbox.run("bank-post", { amount: 42.5, ...UNNAMED });
  const { transactionId } = latest()?.internal ?? {};
  expect(posted).toMatchObject({ matchId: latest()?.id, transactionId });
  expect(sandbox.run("rematch").matchIds).toEqual([latest()?.id]);
  expect(latest()?.id).not.toBe(posted.matchId);
  await sandbox.play(buy(42.5, HARBOUR));
  expect(sandbox.run("rematch").matchIds).toEqual([]);
  const alone = sandbox.run("bank-post", { amount: 7, description: "KIOSK 8" });
  const [standalone] = sandbox.engine.store.latest("transactions");
  expect(alone).toMatchObject({ matchId: null, transactionId: standalone?.id });
});

test("BTX-03: an event has the first category of the bank transaction, or null", () => {
  const sandbox = new TestSandbox();
  sandbox.run("link-complete");
  for (const category of [["FOOD", "FOOD_CAFE"], []]) {
    const { bankTransactionId } = sandbox.run("bank-post", { amount: 5, category });
    expect(sandbox.sent("banktransaction.created").at(-1)?.category).toBe(category[0] ?? null);
    const { body } = sandbox.get("bank-transactions", bankTransactionId ?? "");
    expect(body.category).toEqual(category);
  }
});

test("resources of another account are neither rematched nor enriched", async () => {
  const sandbox = new TestSandbox();
  const accountId = sandbox.accountIds[1];
  await sandbox.play(...CARD, buy(42.5), post(42.5));
  for (const foreign of [
    call("rematch", { accountId, ...BOUGHT }),
    call("rematch", { accountId, ...POSTED }),
    call("rematch", { accountId, ...ON_ACCOUNT }),
    call("enrich", { accountId, ...BOUGHT }),
  ]) {
    await expect(sandbox.play(foreign)).rejects.toThrow("there is no");
  }
});

test("MSG-03: a superseded message stays fetchable and linked", async () => {
  const sandbox = new TestSandbox();
  await sandbox.play(...CARD, buy(42.5), post(42.5), clear());
  const [, bank] = sandbox.sent("transactionmessage.created");
  expect(sandbox.get("transaction-messages", bank?.id ?? "").body).toEqual(bank);
  const [{ id = "" } = {}] = sandbox.sent("transaction.created");
  const { _links } = sandbox.get("transactions", id).body;
  expect(_links.messages).toContainEqual({ href: `/transaction-messages/${bank?.id}` });
});

test("TXN-10: an account without the projection gets no embedded messages", async () => {
  const sandbox = new TestSandbox();
  await sandbox.play(...CARD, buy(42.5), call("switch-projection", { on: false }), buy(10));
  const lines = () => digestOf(sandbox).state.split("; ");
  expect(lines()).toEqual([
    "tx1 PENDING 0 held 42.5 without messages",
    "tx2 PENDING 0 held 10 without messages",
  ]);
  const [, created] = sandbox.sent("transaction.created");
  expect(created).not.toHaveProperty("_embedded");
  await sandbox.play(call("switch-projection", { on: true }));
  expect(lines()).toEqual(["tx1 PENDING 0 held 42.5", "tx2 PENDING 0 held 10"]);
});

const TABLES: Record<string, readonly Transition[]> = {
  transactions: TRANSACTION_TRANSITIONS,
  "bank transactions": BANK_TRANSACTION_TRANSITIONS,
  matches: MATCH_TRANSITIONS,
};

test.each(Object.entries(TABLES))(
  "of %s, a trigger without a row for the state is refused",
  (_kind, rows) => {
    const states = [...new Set(["new", ...rows.map(({ to }) => to)])];
    for (const { trigger, from } of rows) {
      for (const state of states.filter((one) => !from.includes(one))) {
        expect(() => requireTransition(rows, trigger, state, "it")).toThrow(`but it is ${state}`);
      }
    }
  },
);

test("TXN-20: no row of the table returns a transaction to PENDING", () => {
  const back = TRANSACTION_TRANSITIONS.filter(({ from, to }: Transition) => {
    return to === "PENDING" && !from.every((state) => state === "new");
  });
  expect(back).toEqual([]);
});

test("a settled, cleared, rematched and removed purchase uses every row of the tables", async () => {
  const sandbox = new TestSandbox();
  await sandbox.play(...[...CARD, buy(42.5), post(42.5), clear(), REMATCH, post(7), RETIRE]);
  await sandbox.play(call("provider-remove"));
  const sent = new Set(namesOf(sandbox.events()));
  const rows = Object.values(TABLES).flat();
  expect(rows.flatMap(({ sends }) => sends).filter((name) => !sent.has(name))).toEqual([]);
});
