import fc from "fast-check";
import { expect, test } from "vitest";
import { completeBankLink } from "../../../src/world/enrollment/bank-links.ts";
import { drawDigits, takenDigits } from "../../../src/world/enrollment/cards.ts";
import { type Call, call, of } from "../../../src/world/script.ts";
import { checkRow, type Row } from "../rows.ts";
import { START, TestSandbox } from "../test-sandbox.ts";

const enroll = (last4: string, more: object = {}, as = "enroll") =>
  call("enroll", { cardNumber: `400000000000${last4}`, ...more }, as);
const link = (...accounts: object[]) => [
  call("link-start", { accounts }, "start"),
  call("link-complete", { bankLinkId: of("start", "bankLinkId") }, "share"),
];
const linkElsewhere = (...accounts: object[]) => [
  call("open-subaccount", {}, "open"),
  call("link-start", { accounts, subaccountId: of("open", "subaccountId") }),
  call("link-complete"),
];
const wait = (advance: string): Call => ({ advance });

const CREDIT = { name: "Travel Credit", type: "Credit Card", mask: "4410" };
const CURRENT = { name: "Everyday Account", type: "depository/checking", mask: "5205" };
const C = { network: "NETWORK_C" };

const PASS = call("sca-pass");
const DEACTIVATE = call("deactivate");
const UPGRADE = call("upgrade");
const DISCONNECT = call("disconnect");
const EXPIRE = call("consent-expire");
const RECOVER = call("recover");
const LINK_CARD = call("link-card", { cardId: of("enroll", "cardId") });
const ACCEPT = call("feed-accept");
const REJECT = call("feed-reject");
const POST = call("bank-post", { amount: 1, description: "ACCOUNT FEE" });
const MINT = link(CREDIT);

const CARDS: Row[] = [
  {
    title: "SUB-04: a card of its holder starts in reqSCA, with cardsubscription.created",
    steps: [enroll("1234", { customerReferenceId: "traveller-4711" })],
    sends: ["cardsubscription.created sub1 card1 cardholder-single reqSCA as traveller-4711"],
  },
  {
    title: "SUB-05: a card becomes active when SCA is cleared",
    steps: [enroll("1234"), PASS],
    sends: ["cardsubscription.updated sub1 card1 cardholder-single active"],
  },
  {
    title: "a failed SCA sends nothing: not specified",
    steps: [enroll("1234"), call("sca-fail")],
    sends: [],
  },
  {
    title: "SUB-05: an active card is deactivated",
    steps: [enroll("1234"), PASS, DEACTIVATE],
    sends: ["cardsubscription.updated sub1 card1 cardholder-single deactivated"],
  },
  {
    title: "a card that is enrolled already is refused",
    steps: [enroll("1234"), call("enroll", { cardNumber: "5000000000001234" })],
    refuses: "NETWORK_A that ends in 1234 is enrolled already",
  },
  {
    title: "a card may have the last four digits of a card of another network",
    steps: [enroll("1234"), enroll("1234", C)],
    sends: ["cardsubscription.created sub2 card2 cardholder-single reqSCA"],
  },
  {
    title: "a card may have the last four digits of a card of another subaccount",
    steps: [
      ...[enroll("1234"), call("open-subaccount", {}, "open")],
      enroll("1234", { subaccountId: of("open", "subaccountId") }),
    ],
    sends: ["cardsubscription.created sub2 card2 cardholder-single reqSCA"],
  },
  {
    title: "a card is a new one if the previous one is deactivated",
    steps: [enroll("1234"), PASS, DEACTIVATE, enroll("1234")],
    sends: ["cardsubscription.created sub2 card2 cardholder-single reqSCA"],
  },
  {
    title: "SUB-03: a card has a bank account from the start if a connected mask matches",
    steps: [...link({ mask: "1234" }), enroll("1234")],
    sends: ["cardsubscription.created sub1 card1 cardholder-single reqSCA on acct1"],
  },
  {
    title: "a card has no bank account from the start if the account has a card",
    steps: [...link({ mask: "1234" }), enroll("1234"), enroll("1234", C)],
    sends: ["cardsubscription.created sub2 card2 cardholder-single reqSCA"],
  },
  {
    title: "a card has no bank account from the start if the account is lost",
    steps: [...link({ mask: "1234" }), DISCONNECT, enroll("1234")],
    sends: ["cardsubscription.created sub1 card1 cardholder-single reqSCA"],
  },
  {
    title: "a card has no bank account from the start if the account is elsewhere",
    steps: [
      ...[...link({ mask: "1234" }), call("open-subaccount", {}, "open")],
      enroll("1234", { subaccountId: of("open", "subaccountId") }),
    ],
    sends: ["cardsubscription.created sub1 card1 cardholder-single reqSCA"],
  },
  {
    title: "SUB-06: a minted card is upgraded in place by its real number",
    steps: [...MINT, enroll("4410", { ...C, customerReferenceId: "known-now" })],
    sends: ["cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1 as known-now"],
  },
  {
    title: "SUB-06: a minted card is upgraded only by the verb, and then becomes active",
    steps: [...MINT, UPGRADE, PASS],
    sends: ["cardsubscription.updated sub1 card1 cardholder-single active on acct1"],
  },
  {
    title: "SUB-06: a minted card is not upgraded by another network's number",
    steps: [...MINT, enroll("4410")],
    sends: ["cardsubscription.created sub2 card2 cardholder-single reqSCA"],
  },
  {
    title: "SUB-06: an upgraded card is not upgraded again",
    steps: [
      ...[...MINT, call("upgrade", {}, "upgrade"), PASS],
      call("upgrade", { subscriptionId: of("upgrade", "subscriptionId") }),
    ],
    refuses: "cardholder-single",
  },
  {
    title: "SUB-06: an upgraded card is enrolled already",
    steps: [...MINT, UPGRADE, PASS, enroll("4410", C)],
    refuses: "is enrolled already",
  },
  {
    title: "a deactivated minted card is enrolled again with its account",
    steps: [...MINT, DEACTIVATE, enroll("4410", C)],
    sends: ["cardsubscription.created sub2 card2 cardholder-single reqSCA on acct1"],
  },
  {
    title: "SUB-07: a card gains its bank account in reqSCA",
    steps: [enroll("1234"), ...link({ mask: "6018" }), LINK_CARD],
    sends: ["cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1"],
  },
  {
    title: "SUB-07: a card gains its bank account while it is active",
    steps: [enroll("1234"), PASS, ...link({ mask: "6018" }), LINK_CARD],
    sends: ["cardsubscription.updated sub1 card1 cardholder-single active on acct1"],
  },
  {
    title: "SUB-07: a card gains its bank account after it was deactivated",
    steps: [enroll("1234"), PASS, DEACTIVATE, ...link({ mask: "6018" }), LINK_CARD],
    sends: ["cardsubscription.updated sub1 card1 cardholder-single deactivated on acct1"],
  },
  {
    title: "SUB-07: a card that is linked later keeps the feed that enrolled it",
    steps: [call("feed-accept", { cards: 1 }), ...link({ mask: "6018" }), call("link-card")],
    sends: ["cardsubscription.updated sub1 card1 network-bulk active on acct1 by feed1"],
  },
  {
    title: "link-card defaults to the latest unlinked enrolled card and a connected account",
    steps: [
      ...[enroll("1111"), enroll("2222"), enroll("3333"), PASS, DEACTIVATE],
      ...[...link({ mask: "6018" }), ...link({ mask: "6019" }), DISCONNECT, call("link-card")],
    ],
    sends: ["cardsubscription.updated sub2 card2 cardholder-single reqSCA on acct1"],
  },
  {
    title: "link-card is refused if the card has a bank account",
    steps: [enroll("1234"), ...link({ mask: "6018" }), LINK_CARD, LINK_CARD],
    refuses: "already",
  },
  {
    title: "link-card is refused without a connected account",
    steps: [enroll("1234"), ...link({ mask: "6018" }), DISCONNECT, LINK_CARD],
    refuses: "there is no such bank account",
  },
  {
    title: "link-card is refused for a lost account",
    steps: [
      ...[enroll("1234"), ...link({ mask: "6018" }), DISCONNECT],
      call("link-card", { bankAccountId: of("share", "bankAccountIds") }),
    ],
    refuses: "is disconnected",
  },
  {
    title: "link-card is refused for an account of another subaccount",
    steps: [
      ...[...link({ mask: "6018" }), call("open-subaccount", {}, "open")],
      enroll("1234", { subaccountId: of("open", "subaccountId") }),
      call("link-card", {
        cardId: of("enroll", "cardId"),
        bankAccountId: of("share", "bankAccountIds"),
      }),
    ],
    refuses: "subaccount",
  },
];

const LINKS: Row[] = [
  {
    title: "BLK-01: a bank link announces its accounts when the notification completes it",
    steps: link({ ...CURRENT, name: "Rent Account" }, { mask: "0093" }),
    sends: [
      "banklink.completed acct1 Rent Account 5205 depository []",
      "acct2 Current Account 0093 depository []",
    ],
  },
  {
    title: "BLK-02: a lost notification sends nothing for 30 s",
    steps: [call("link-start"), call("link-complete", { by: "polling" }), wait("29999ms")],
    sends: [],
  },
  {
    title: "BLK-02: polling completes a bank link after 30 s",
    steps: [
      ...[call("link-start", { accounts: [CURRENT] }), call("link-complete", { by: "polling" })],
      ...[wait("29999ms"), wait("1ms")],
    ],
    sends: ["banklink.completed acct1 Everyday Account 5205 depository []"],
  },
  {
    title: "BLK-03, BLK-05, SUB-10: a minted card is announced only by its subscription",
    steps: MINT,
    sends: [
      "banklink.completed acct1 Travel Credit 4410 credit [card1] mints sub1 4410 network_c",
      "cardsubscription.created sub1 card1 bank-feed active on acct1",
    ],
  },
  {
    title: "BLK-05: every minted card is announced",
    steps: link(CREDIT, CURRENT, { ...CREDIT, mask: "4428", network: "NETWORK_A" }),
    sends: [
      "banklink.completed acct1 Travel Credit 4410 credit [card1] mints sub1 4410 network_c",
      "acct2 Everyday Account 5205 depository []",
      "acct3 Travel Credit 4428 credit [card2] mints sub2 4428 network_a",
      "cardsubscription.created sub1 card1 bank-feed active on acct1",
      "cardsubscription.created sub2 card2 bank-feed active on acct3",
    ],
  },
  {
    title: "BLK-03: no card is minted if an enrolled card has the credit account's mask",
    steps: [enroll("4410"), ...link(CREDIT)],
    sends: [
      "banklink.completed acct1 Travel Credit 4410 credit [card1]",
      "cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1",
    ],
  },
  {
    title: "BLK-04: enrolled cards are linked by their last four digits, and each is announced",
    steps: [
      ...[enroll("5205"), enroll("5205", { network: "NETWORK_B" }), PASS, enroll("1111")],
      ...link(CURRENT),
    ],
    sends: [
      "banklink.completed acct1 Everyday Account 5205 depository [card1 card2]",
      "cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1",
      "cardsubscription.updated sub2 card2 cardholder-single active on acct1",
    ],
  },
  {
    title: "BLK-04: a deactivated card is not linked",
    steps: [enroll("5205"), PASS, DEACTIVATE, ...link(CURRENT)],
    sends: ["banklink.completed acct1 Everyday Account 5205 depository []"],
  },
  {
    title: "BLK-04: a linked card is listed again, but keeps its account",
    steps: [...link(CURRENT), enroll("5205"), ...link(CURRENT, { ...CREDIT, mask: "5205" })],
    sends: [
      "banklink.completed acct2 Everyday Account 5205 depository [card1]",
      "acct3 Travel Credit 5205 credit [card1]",
    ],
  },
  {
    title: "BLK-04: a card of another subaccount is not linked",
    steps: [enroll("5205"), ...linkElsewhere(CURRENT)],
    sends: ["banklink.completed acct1 Everyday Account 5205 depository []"],
  },
  {
    title: "a card is linked to the first of two accounts with its last four digits",
    steps: [enroll("5205"), ...link(CURRENT, CURRENT)],
    sends: [
      "banklink.completed acct1 Everyday Account 5205 depository [card1]",
      "acct2 Everyday Account 5205 depository [card1]",
      "cardsubscription.updated sub1 card1 cardholder-single reqSCA on acct1",
    ],
  },
  {
    title: "a bank link defaults to a credit account and the latest free card's current account",
    steps: [enroll("1111"), enroll("2222"), call("link-complete")],
    sends: [
      "banklink.completed acct1 Travel Credit 4864 credit [card3] mints sub3 4864 network_c",
      "acct2 Everyday Account 2222 depository [card2]",
      "cardsubscription.created sub3 card3 bank-feed active on acct1",
      "cardsubscription.updated sub2 card2 cardholder-single reqSCA on acct2",
    ],
  },
];

const FEEDS: Row[] = [
  {
    title: "NBF-04, SUB-04: an accepted feed becomes active, then its cards are enrolled",
    steps: [call("feed-submit", { expectedCardCount: 3 }), ACCEPT],
    sends: [
      "networkbulkfeed.statechanged feed1 submitted -> active expects 3",
      "cardsubscription.created sub1 card1 network-bulk active by feed1",
      "cardsubscription.created sub2 card2 network-bulk active by feed1",
      "cardsubscription.created sub3 card3 network-bulk active by feed1",
    ],
  },
  {
    title: "NBF-04: a rejected feed enrolls nothing",
    steps: [call("feed-submit"), call("feed-reject", { errorReason: "Unknown issuer" })],
    sends: ["networkbulkfeed.statechanged feed1 submitted -> failed: Unknown issuer"],
  },
  {
    title: "NBF-02: a feed of NETWORK_B fails with a reason",
    steps: [REJECT],
    sends: [
      "networkbulkfeed.statechanged feed1 submitted -> failed: Company not registered for bulk feeds",
    ],
  },
  {
    title: "NBF-02: a feed of another network fails without a reason",
    steps: [
      call("feed-submit", { network: "NETWORK_A" }),
      call("feed-reject", { errorReason: "Not shown" }),
    ],
    sends: ["networkbulkfeed.statechanged feed1 submitted -> failed"],
  },
  {
    title: "NBF-02, NBF-03: an accepted feed has neither a reason nor a count that was not given",
    steps: [call("feed-submit"), call("feed-accept", { cards: 1 })],
    sends: [
      "networkbulkfeed.statechanged feed1 submitted -> active",
      "cardsubscription.created sub1 card1 network-bulk active by feed1",
    ],
  },
  {
    title: "NBF-03: an accepted feed has the expected count that was given",
    steps: [call("feed-submit", { expectedCardCount: 0 }), call("feed-accept", { cards: 1 })],
    sends: [
      "networkbulkfeed.statechanged feed1 submitted -> active expects 0",
      "cardsubscription.created sub1 card1 network-bulk active by feed1",
    ],
  },
  {
    title: "NBF-03: a rejected feed has the expected count that was given",
    steps: [
      call("feed-submit", { expectedCardCount: 0 }),
      call("feed-reject", { errorReason: "Unknown issuer" }),
    ],
    sends: ["networkbulkfeed.statechanged feed1 submitted -> failed expects 0: Unknown issuer"],
  },
];

const CONNECTIONS: Row[] = [
  {
    title: "BAC-04: an account goes from active to auth_required when the consent expires",
    steps: [...link(CURRENT), EXPIRE],
    sends: [
      "bankaccount.state_changed acct1 active -> auth_required consent_expiring at 2026-01-12T09:00:03.000Z",
    ],
  },
  {
    title: "BAC-02: auth_required has the given reason and time",
    steps: [
      ...link(CURRENT),
      call("consent-expire", {
        ...{ reason: "login_required", expiresAt: "2026-02-01T00:00:00.000Z" },
      }),
    ],
    sends: [
      "bankaccount.state_changed acct1 active -> auth_required login_required at 2026-02-01T00:00:00.000Z",
    ],
  },
  {
    title: "BAC-02: auth_required may have no time",
    steps: [...link(CURRENT), call("consent-expire", { expiresAt: null })],
    sends: ["bankaccount.state_changed acct1 active -> auth_required consent_expiring"],
  },
  {
    title: "BAC-04: an account goes from active to disconnected when the connection is lost",
    steps: [...link(CURRENT), DISCONNECT],
    sends: ["bankaccount.state_changed acct1 active -> disconnected"],
  },
  {
    title: "BAC-04: an account goes from auth_required to disconnected",
    steps: [...link(CURRENT), EXPIRE, DISCONNECT],
    sends: ["bankaccount.state_changed acct1 auth_required -> disconnected"],
  },
  {
    title: "BAC-03, BAC-04: an account goes from auth_required back to active",
    steps: [...link(CURRENT), EXPIRE, RECOVER],
    sends: ["bankaccount.state_changed acct1 auth_required -> active"],
  },
  {
    title: "BAC-03, BAC-04: an account goes from disconnected back to active",
    steps: [...link(CURRENT), EXPIRE, DISCONNECT, RECOVER],
    sends: ["bankaccount.state_changed acct1 disconnected -> active"],
  },
  {
    title: "BAC-01: an account that would stay in its state is refused, and sends nothing",
    steps: [...link(CURRENT), call("recover", { bankAccountId: of("share", "bankAccountIds") })],
    refuses: "is active",
  },
  {
    title: "BAC-05: an account enters auth_required only from active",
    steps: [
      ...[...link(CURRENT), DISCONNECT],
      call("consent-expire", { bankAccountId: of("share", "bankAccountIds") }),
    ],
    refuses: "is disconnected: run recover first",
  },
  {
    title: "postings while the consent has expired are synced after the recovery is announced",
    steps: [...link(CURRENT), EXPIRE, POST, POST, RECOVER],
    sends: [
      "bankaccount.state_changed acct1 auth_required -> active",
      "banktransaction.created post1 1 ACCOUNT FEE",
      "transactionmessage.created msg1 FINL_ADVC 1 OPEN_BANKING bank_ from post1",
      "transaction.created tx1 SETTLED 1 bank-only by post1 of no card",
      "banktransaction.created post2 1 ACCOUNT FEE",
      "transactionmessage.created msg2 FINL_ADVC 1 OPEN_BANKING bank_ from post2",
      "transaction.created tx2 SETTLED 1 bank-only by post2 of no card",
    ],
  },
  {
    title: "postings are synced once",
    steps: [...link(CURRENT), EXPIRE, POST, RECOVER, DISCONNECT, RECOVER],
    sends: ["bankaccount.state_changed acct1 disconnected -> active"],
  },
  {
    title: "a verb defaults to the latest account in an applicable state",
    steps: [...link(CURRENT), ...link({ mask: "0093" }), DISCONNECT, DISCONNECT],
    sends: ["bankaccount.state_changed acct1 active -> disconnected"],
  },
  {
    title: "recover defaults to the latest account that is not connected",
    steps: [...link(CURRENT), ...link({ mask: "0093" }), DISCONNECT, DISCONNECT, RECOVER],
    sends: ["bankaccount.state_changed acct2 disconnected -> active"],
  },
];

test.each([...CARDS, ...LINKS, ...FEEDS, ...CONNECTIONS])("$title", checkRow);

// The fields of the first subscription that the last step changes.
test.each<[title: string, steps: Call[], changed: string[]]>([
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
        else sandbox.engine.commit((work) => completeBankLink(work, bankLinkId));
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
