import fc from "fast-check";
import { expect, test } from "vitest";
import { completeBankLink } from "../../../src/world/enrollment/bank-links.ts";
import { drawDigits, takenDigits } from "../../../src/world/enrollment/cards.ts";
import { call, of, type ScriptCall } from "../../../src/world/script.ts";
import type { VerbResults } from "../../../src/world/verbs/index.ts";
import type { VerbName } from "../../../src/world/verbs/names.ts";
import { checkRow, type Row, refused } from "../rows.ts";
import { START, TestSandbox } from "../test-sandbox.ts";

const enroll = (last4: string, more: object = {}, as = "enroll") =>
  call("enroll", { cardNumber: `400000000000${last4}`, ...more }, as);
const link = (...accounts: object[]) => [
  call("link-start", { accounts }, "start"),
  call("link-complete", { bankLinkId: of("start", "bankLinkId") }, "share"),
];
const wait = (advance: string): ScriptCall => ({ advance });

const CREDIT = { name: "Travel Credit", type: "Credit Card", mask: "4410" };
const CURRENT = { name: "Everyday Account", type: "depository/checking", mask: "5205" };
const C = { network: "NETWORK_C" };

const START_LINK = (...accounts: object[]) => call("link-start", { accounts });
const OPEN = call("open-subaccount", {}, "open");
const OPENED = { subaccountId: of("open", "subaccountId") };
const ON_ACCOUNT = { bankAccountId: of("share", "bankAccountIds") };
const DEFAULT_REASON = "Company not registered for bulk feeds";

const PASS = call("sca-pass");
const DEACTIVATE = call("deactivate");
const UPGRADE = call("upgrade");
const DISCONNECT = call("disconnect");
const EXPIRE = call("consent-expire");
const RECOVER = call("recover");
const LINK_CARD = call("link-card", { cardId: of("enroll", "cardId") });
const REJECT = call("feed-reject");
const POST = call("bank-post", { amount: 1, description: "ACCOUNT FEE" });
const MINT = link(CREDIT);

const CARDS: Row[] = [
  {
    title: "SUB-04, SUB-05: a card of its holder passes SCA, is deactivated, and is a new one then",
    steps: [
      [
        enroll("1234", { customerReferenceId: "traveller-4711" }),
        "cardsubscription.created sub1 card1 cardholder-single reqSCA as traveller-4711",
      ],
      refused(
        call("enroll", { cardNumber: "5000000000001234" }),
        "NETWORK_A that ends in 1234 is enrolled already",
      ),
      // Not specified: a failed SCA sends nothing.
      [call("sca-fail")],
      [PASS, "cardsubscription.updated sub1 card1 cardholder-single active as traveller-4711"],
      [
        DEACTIVATE,
        "cardsubscription.updated sub1 card1 cardholder-single deactivated as traveller-4711",
      ],
      [enroll("1234"), "cardsubscription.created sub2 card2 cardholder-single reqSCA"],
    ],
  },
  {
    title: "a card may have the last four digits of a card of another network or subaccount",
    steps: [
      enroll("1234"),
      [enroll("1234", C), "cardsubscription.created sub2 card2 cardholder-single reqSCA"],
      OPEN,
      [enroll("1234", OPENED), "cardsubscription.created sub3 card3 cardholder-single reqSCA"],
    ],
  },
  {
    title: "SUB-03: a card has a bank account from the start if the mask of a free one matches",
    steps: [
      ...link({ mask: "1234" }),
      [enroll("1234"), "cardsubscription.created sub1 card1 cardholder-single reqSCA on acct1"],
      [enroll("1234", C), "cardsubscription.created sub2 card2 cardholder-single reqSCA"],
      OPEN,
      [enroll("1234", OPENED), "cardsubscription.created sub3 card3 cardholder-single reqSCA"],
    ],
  },
  {
    title: "SUB-03: a card has no bank account from the start if the connection is lost",
    steps: [
      ...[...link({ mask: "1234" }), DISCONNECT],
      [enroll("1234"), "cardsubscription.created sub1 card1 cardholder-single reqSCA"],
    ],
  },
  {
    title: "SUB-06: a minted card is upgraded in place by its real number, once",
    steps: [
      ...MINT,
      [enroll("4410"), "cardsubscription.created sub2 card2 cardholder-single reqSCA"],
      [
        enroll("4410", { ...C, customerReferenceId: "known-now" }),
        "cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1 as known-now",
      ],
      refused(call("upgrade", { subscriptionId: of("enroll", "subscriptionId") }), "single"),
      refused(enroll("4410", C), "is enrolled already"),
    ],
  },
  {
    title: "SUB-06: a minted card is upgraded by the verb, and enrolled again with its account",
    steps: [
      ...MINT,
      [UPGRADE, "cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1"],
      [PASS, "cardsubscription.updated sub1 card1 cardholder-single active on acct1"],
      DEACTIVATE,
      [enroll("4410", C), "cardsubscription.created sub2 card2 cardholder-single reqSCA on acct1"],
    ],
  },
  {
    title: "SUB-07: a card gains its bank account in every state, and keeps its feed",
    steps: [
      ...[enroll("1111", {}, "pending"), enroll("2222"), PASS, DEACTIVATE],
      ...[call("feed-accept", { cards: 1 }), ...link({ mask: "6018" })],
      [
        call("link-card"),
        "cardsubscription.updated sub3 card3 network-bulk active on acct1 by feed1",
      ],
      [call("link-card"), "cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1"],
      [LINK_CARD, "cardsubscription.updated sub2 card2 cardholder-single deactivated on acct1"],
      refused(LINK_CARD, "already"),
      refused(call("link-card"), "in a state that link-card applies to"),
    ],
  },
  {
    title: "link-card defaults to a connected account, and needs one of the card's subaccount",
    steps: [
      ...[enroll("1111"), ...link({ mask: "6018" }), ...link({ mask: "6019" }), DISCONNECT],
      refused(call("link-card", ON_ACCOUNT), "is disconnected"),
      [call("link-card"), "cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1"],
      ...[RECOVER, OPEN, enroll("2222", OPENED)],
      refused(LINK_CARD, "there is no such bank account"),
      refused(call("link-card", { ...ON_ACCOUNT, cardId: of("enroll", "cardId") }), "subaccount"),
    ],
  },
];

const LINKS: Row[] = [
  {
    title: "BLK-01: a bank link announces its accounts when the notification completes it",
    steps: [
      call("link-start", { accounts: [{ ...CURRENT, name: "Rent Account" }, { mask: "0093" }] }),
      [
        call("link-complete"),
        "banklink.completed acct1 Rent Account 5205 depository []",
        "acct2 Current Account 0093 depository []",
      ],
    ],
  },
  {
    title: "BLK-02: polling completes a bank link 30 s after a lost notification",
    steps: [
      call("link-start", { accounts: [CURRENT] }),
      [call("link-complete", { by: "polling" })],
      [wait("29999ms")],
      [wait("1ms"), "banklink.completed acct1 Everyday Account 5205 depository []"],
    ],
  },
  {
    title: "BLK-03, BLK-05, SUB-10: a card is minted and announced for each credit account",
    steps: [
      START_LINK(CREDIT, CURRENT, { ...CREDIT, mask: "4428", network: "NETWORK_A" }),
      [
        call("link-complete"),
        "banklink.completed acct1 Travel Credit 4410 credit [card1] mints sub1 4410 network_c",
        "acct2 Everyday Account 5205 depository []",
        "acct3 Travel Credit 4428 credit [card2] mints sub2 4428 network_a",
        "cardsubscription.created sub1 card1 bank-feed active on acct1",
        "cardsubscription.created sub2 card2 bank-feed active on acct3",
      ],
    ],
  },
  {
    title: "BLK-03: no card is minted if an enrolled card has the credit account's mask",
    steps: [
      ...[enroll("4410"), START_LINK(CREDIT)],
      [
        call("link-complete"),
        "banklink.completed acct1 Travel Credit 4410 credit [card1]",
        "cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1",
      ],
    ],
  },
  {
    title: "BLK-04: enrolled cards are linked by their last four digits to the first account, once",
    steps: [
      ...[enroll("5205"), PASS, DEACTIVATE, enroll("5205"), enroll("5205", C), PASS],
      ...[enroll("1111"), START_LINK(CURRENT, CURRENT)],
      [
        call("link-complete"),
        "banklink.completed acct1 Everyday Account 5205 depository [card2 card3]",
        "acct2 Everyday Account 5205 depository [card2 card3]",
        "cardsubscription.updated sub2 card2 cardholder-single reqSCA on acct1",
        "cardsubscription.updated sub3 card3 cardholder-single active on acct1",
      ],
      START_LINK({ ...CREDIT, mask: "5205" }),
      [call("link-complete"), "banklink.completed acct3 Travel Credit 5205 credit [card2 card3]"],
      ...[OPEN, call("link-start", { accounts: [CURRENT], ...OPENED })],
      [call("link-complete"), "banklink.completed acct4 Everyday Account 5205 depository []"],
    ],
  },
  {
    title: "a bank link defaults to a credit account and the latest free card's current account",
    steps: [
      ...[enroll("1111"), enroll("2222")],
      [
        call("link-complete"),
        "banklink.completed acct1 Travel Credit 4864 credit [card3] mints sub3 4864 network_c",
        "acct2 Everyday Account 2222 depository [card2]",
        "cardsubscription.created sub3 card3 bank-feed active on acct1",
        "cardsubscription.updated sub2 card2 cardholder-single reqSCA on acct2",
      ],
    ],
  },
];

const FEEDS: Row[] = [
  {
    title: "NBF-03, NBF-04, SUB-04: an accepted feed becomes active, then its cards are enrolled",
    steps: [
      call("feed-submit", { expectedCardCount: 2 }),
      [
        call("feed-accept"),
        "networkbulkfeed.statechanged feed1 submitted -> active expects 2",
        "cardsubscription.created sub1 card1 network-bulk active by feed1",
        "cardsubscription.created sub2 card2 network-bulk active by feed1",
      ],
      call("feed-submit", { expectedCardCount: 0 }),
      [
        call("feed-accept", { cards: 1 }),
        "networkbulkfeed.statechanged feed2 submitted -> active expects 0",
        "cardsubscription.created sub3 card3 network-bulk active by feed2",
      ],
    ],
  },
  {
    title: "NBF-02, NBF-03: a feed fails with the given count, and with a reason on NETWORK_B",
    steps: [
      call("feed-submit", { expectedCardCount: 0 }),
      [
        call("feed-reject", { errorReason: "Unknown issuer" }),
        "networkbulkfeed.statechanged feed1 submitted -> failed expects 0: Unknown issuer",
      ],
      [REJECT, `networkbulkfeed.statechanged feed2 submitted -> failed: ${DEFAULT_REASON}`],
      call("feed-submit", { network: "NETWORK_A" }),
      [
        call("feed-reject", { errorReason: "Not shown" }),
        "networkbulkfeed.statechanged feed3 submitted -> failed",
      ],
      call("feed-submit"),
      [
        call("feed-accept", { cards: 1 }),
        "networkbulkfeed.statechanged feed4 submitted -> active",
        "cardsubscription.created sub1 card1 network-bulk active by feed4",
      ],
    ],
  },
];

const CHANGED = "bankaccount.state_changed acct1";

const CONNECTIONS: Row[] = [
  {
    title: "BAC-01, BAC-03, BAC-04, BAC-05: an account's connection changes, expires and recovers",
    steps: [
      ...link(CURRENT),
      refused(call("recover", ON_ACCOUNT), "is active"),
      [EXPIRE, `${CHANGED} active -> auth_required consent_expiring at 2026-01-12T09:00:04.000Z`],
      refused(call("consent-expire", ON_ACCOUNT), "is auth_required"),
      [RECOVER, `${CHANGED} auth_required -> active`],
      [DISCONNECT, `${CHANGED} active -> disconnected`],
      refused(call("consent-expire", ON_ACCOUNT), "is disconnected: run recover first"),
      [RECOVER, `${CHANGED} disconnected -> active`],
      EXPIRE,
      [DISCONNECT, `${CHANGED} auth_required -> disconnected`],
    ],
  },
  {
    title: "BAC-02: auth_required has the given reason and time, or none",
    steps: [
      ...link(CURRENT),
      [
        call("consent-expire", { reason: "login_required", expiresAt: "2026-02-01T00:00:00.000Z" }),
        `${CHANGED} active -> auth_required login_required at 2026-02-01T00:00:00.000Z`,
      ],
      RECOVER,
      [
        call("consent-expire", { expiresAt: null }),
        `${CHANGED} active -> auth_required consent_expiring`,
      ],
    ],
  },
  {
    title: "postings while the consent has expired are synced once, after the recovery",
    steps: [
      ...[...link(CURRENT), EXPIRE, POST, POST],
      [
        RECOVER,
        `${CHANGED} auth_required -> active`,
        "banktransaction.created post1 1 ACCOUNT FEE",
        "transactionmessage.created msg1 FINL_ADVC 1 OPEN_BANKING bank_ from post1",
        "transaction.created tx1 SETTLED 1 bank-only by post1 of no card",
        "banktransaction.created post2 1 ACCOUNT FEE",
        "transactionmessage.created msg2 FINL_ADVC 1 OPEN_BANKING bank_ from post2",
        "transaction.created tx2 SETTLED 1 bank-only by post2 of no card",
      ],
      DISCONNECT,
      [RECOVER, `${CHANGED} disconnected -> active`],
    ],
  },
  {
    title: "a verb defaults to the latest account in an applicable state",
    steps: [
      ...[...link(CURRENT), ...link({ mask: "0093" }), DISCONNECT],
      [DISCONNECT, `${CHANGED} active -> disconnected`],
      [RECOVER, "bankaccount.state_changed acct2 disconnected -> active"],
      [RECOVER, `${CHANGED} disconnected -> active`],
    ],
  },
];

test.each([...CARDS, ...LINKS, ...FEEDS, ...CONNECTIONS])("$title", checkRow);

// The fields of the first subscription that the last step changes.
test.each<[title: string, steps: ScriptCall[], changed: string[]]>([
  ["SUB-05: passing SCA", [enroll("1234"), PASS], ["state", "updatedAt"]],
  ["SUB-05: deactivating", [enroll("1234"), PASS, DEACTIVATE], ["state", "updatedAt"]],
  [
    "SUB-06: upgrading",
    [...MINT, enroll("4410", { ...C, customerReferenceId: "known-now" })],
    ["enrollmentType", "state", "customerReferenceId", "updatedAt"],
  ],
  [
    "SUB-07: linking later",
    [enroll("1234"), ...link({ mask: "6018" }), LINK_CARD],
    ["bankAccountId", "updatedAt", "_links"],
  ],
  ["failing SCA: not specified", [enroll("1234"), call("sca-fail")], []],
])("%s changes nothing else in the subscription", async (_title, steps, changed) => {
  const sandbox = new TestSandbox();
  const body = (): Record<string, unknown> => {
    return { ...sandbox.engine.store.latest("card-subscriptions").at(-1)?.body };
  };
  await sandbox.play(...steps.slice(0, -1));
  const before = body();
  await sandbox.play(...steps.slice(-1));
  const after = body();
  const differing = Object.keys(after).filter((name) => {
    return JSON.stringify(after[name]) !== JSON.stringify(before[name]);
  });
  expect(new Set(differing)).toEqual(new Set(changed));
});

test("verbs return the ids of what they made or changed", () => {
  const sandbox = new TestSandbox();
  const { store } = sandbox.engine;
  const resultOf = <Name extends VerbName>(verb: Name) => {
    const { events: _events, ...result } = sandbox.run(verb);
    return result as unknown as VerbResults[Name];
  };
  const card = resultOf("enroll");
  const [subscription] = store.latest("card-subscriptions");
  expect(card).toEqual({ subscriptionId: subscription?.id, cardId: subscription?.body.cardId });
  const link = { bankLinkId: resultOf("link-start").bankLinkId };
  expect(link.bankLinkId).toBe(store.latest("bank-links")[0]?.id);
  const completed = resultOf("link-complete");
  const bankAccountIds = store.latest("bank-accounts").map(({ id }) => id);
  expect(completed).toEqual({ ...link, bankAccountIds: bankAccountIds.toReversed() });
  for (const verb of ["sca-fail", "sca-pass"] as const) expect(resultOf(verb)).toEqual(card);
  const [minted] = store.latest("card-subscriptions");
  const ids = { subscriptionId: minted?.id, cardId: minted?.body.cardId };
  expect(resultOf("upgrade")).toEqual(ids);
  expect(resultOf("deactivate")).toEqual(card);
  for (const verb of ["consent-expire", "recover", "disconnect"] as const) {
    expect(resultOf(verb)).toEqual({ bankAccountId: bankAccountIds[0] });
  }
  const later = resultOf("enroll");
  expect(resultOf("link-card")).toEqual(later);
  const feedIds = () => store.latest("network-bulk-feeds").map(({ id }) => id);
  const accepted = resultOf("feed-accept");
  const enrolled = store.latest("card-subscriptions", undefined, 2).map(({ id }) => id);
  expect(accepted).toEqual({ feedId: feedIds()[0], subscriptionIds: enrolled.toReversed() });
  expect(resultOf("feed-reject")).toEqual({ feedId: feedIds()[0] });
});

test("new resources show their state, or only their ids and links", async () => {
  const sandbox = new TestSandbox();
  const { subscriptionId, cardId } = sandbox.run("enroll", {
    ...{ cardNumber: "4000000000001234", customerReferenceId: "traveller-4711" },
  });
  const { subaccountId } = sandbox.get("cards", cardId);
  const { feedId } = sandbox.run("feed-submit", { expectedCardCount: 3 });
  const { bankLinkId } = sandbox.run("link-start");
  const self = (path: string) => ({ self: { href: `/${path}` } });
  const subaccount = { href: `/subaccounts/${subaccountId}` };
  expect(sandbox.get("card-subscriptions", subscriptionId).body).toEqual({
    ...{ id: subscriptionId, subaccountId, cardId, networkBulkFeedId: null },
    ...{ enrollmentType: "cardholder-single", state: "reqSCA" },
    customerReferenceId: "traveller-4711",
    effectiveDate: "2026-01-05T00:00:00.000Z",
    expirationDate: "2029-01-05T00:00:00.000Z",
    ...{ createdAt: START, updatedAt: START },
    _links: { ...self(`card-subscriptions/${subscriptionId}`), card: { href: `/cards/${cardId}` } },
  });
  expect(sandbox.get("network-bulk-feeds", feedId).body).toEqual({
    ...{ id: feedId, subaccountId, network: "NETWORK_B", expectedCardCount: 3 },
    networkReference: expect.stringMatching(/^BULK-\d{8}$/),
    ...{ createdAt: START, updatedAt: START },
    _links: self(`network-bulk-feeds/${feedId}`),
  });
  const { body, internal, listed } = sandbox.get("bank-links", bankLinkId);
  expect({ state: internal.state, listed }).toEqual({ state: "started", listed: true });
  expect(body).toEqual({
    id: bankLinkId,
    _links: { ...self(`bank-links/${bankLinkId}`), subaccount },
  });
  const { bankAccountIds } = sandbox.run("link-complete");
  const bankAccountId = bankAccountIds[0] ?? "";
  expect(sandbox.get("bank-accounts", bankAccountId).body).toEqual({
    id: bankAccountId,
    _links: { ...self(`bank-accounts/${bankAccountId}`), subaccount },
  });
  expect(sandbox.get("cards", cardId).body).toEqual({
    id: cardId,
    _links: { ...self(`cards/${cardId}`), subaccount },
  });
  expect(sandbox.get("subaccounts", subaccountId).body).toEqual({
    id: subaccountId,
    _links: { self: subaccount },
  });
  // Only the last four digits of a card number are kept.
  expect(sandbox.get("cards", cardId).internal).toMatchObject({ last4: "1234" });
  expect(sandbox.dump()).not.toContain("400000000000");
});

test("a subscription that begins on 29 February ends on 1 March", async () => {
  const sandbox = new TestSandbox();
  await sandbox.scheduler.advance(Date.parse("2028-02-29T12:00:00.000Z") - Date.parse(START));
  const { subscriptionId } = sandbox.run("enroll");
  expect(sandbox.get("card-subscriptions", subscriptionId).body).toMatchObject({
    effectiveDate: "2028-02-29T00:00:00.000Z",
    expirationDate: "2031-03-01T00:00:00.000Z",
    customerReferenceId: null,
  });
});

test("MAT-09: a card that is linked later has its account matched again", async () => {
  const sandbox = new TestSandbox();
  await sandbox.play(enroll("1234"), ...link({ mask: "6018" }), LINK_CARD);
  const [account] = sandbox.engine.store.latest("bank-accounts");
  expect(sandbox.engine.store.sql("SELECT DISTINCT name, subject FROM jobs").all()).toEqual([
    { name: "rematch", subject: account?.id },
  ]);
});

test("BLK-02: a link is completed once by PATCH, notification and polling in any order", () => {
  const step = fc.oneof(
    fc.constantFrom("patch" as const, "notification" as const, "polling" as const),
    fc.integer({ min: 0, max: 40_000 }),
  );
  return fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const sandbox = new TestSandbox();
      const { bankLinkId } = sandbox.run("link-start", { accounts: [CREDIT, CURRENT] });
      for (const one of steps) {
        if (typeof one === "number") await sandbox.scheduler.advance(one);
        else if (one !== "patch") sandbox.run("link-complete", { bankLinkId, by: one });
        else {
          sandbox.engine.commit((work) => completeBankLink(work, bankLinkId));
          // A completed link is no longer polled.
          expect(sandbox.scheduler.nextDueMs()).toBeUndefined();
        }
      }
      await sandbox.scheduler.advance(60_000);
      const isTouched = steps.some((one) => typeof one !== "number");
      expect(sandbox.sent("banklink.completed")).toHaveLength(isTouched ? 1 : 0);
      expect(sandbox.engine.store.latest("bank-accounts")).toHaveLength(isTouched ? 2 : 0);
      expect(sandbox.sent("cardsubscription.created")).toHaveLength(isTouched ? 1 : 0);
      expect(sandbox.scheduler.nextDueMs()).toBeUndefined();
    }),
    { seed: 1, numRuns: 100 },
  );
});

test("a feed enrolls at most 100 cards at once, with distinct digits", () => {
  const sandbox = new TestSandbox();
  sandbox.run("feed-submit", { expectedCardCount: 250 });
  expect(sandbox.run("feed-accept").subscriptionIds).toHaveLength(100);
  const cards = sandbox.engine.store.latest("cards").map(({ internal }) => internal.last4);
  expect(new Set(cards).size).toBe(100);
});

test("last four digits are drawn that no card, bank account or account beside it has", () => {
  const sandbox = new TestSandbox();
  const numbers = Array.from({ length: 9_999 }, (_, number) => String(number).padStart(4, "0"));
  const draw = () => sandbox.engine.commit((work) => drawDigits(work, new Set(numbers)));
  expect(draw()).toBe("9999");
  numbers.push("9999");
  expect(draw).toThrow("all last four digits are taken");
  sandbox.run("enroll", { cardNumber: "4000000000001234" });
  const { bankLinkId } = sandbox.run("link-start", { accounts: [{ mask: "5678" }] });
  const { subaccountId } = sandbox.get("bank-links", bankLinkId);
  expect(takenDigits(sandbox.engine.store, subaccountId)).toEqual(new Set(["1234", "5678"]));

  const masks = (accounts: { mask?: string }[]) => {
    const other = new TestSandbox();
    other.run("link-start", { accounts });
    const [shown] = other.engine.store.latest("bank-links");
    return shown?.internal.accounts.map(({ mask }) => Number(mask)) ?? [];
  };
  const [drawn = 0] = masks([{}]);
  expect(masks([{}, { mask: String(drawn).padStart(4, "0") }])[0]).toBe((drawn + 1) % 10_000);
});
