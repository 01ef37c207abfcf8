import { expect, test } from "vitest";
import { call } from "../../../src/world/script.ts";
import { enrollmentVerbs, readParams, type VerbParams } from "../../../src/world/verbs/index.ts";
import { checkRow, refused } from "../rows.ts";
import { namesOf, TestSandbox } from "../test-sandbox.ts";

type Verb = keyof typeof enrollmentVerbs;

const UNKNOWN_ID = "00000000-0000-4000-a000-000000000000";

test.each<[Verb, string[]]>([
  ["open-subaccount", []],
  ["enroll", ["cardsubscription.created"]],
  ["feed-submit", []],
  [
    "feed-accept",
    ["networkbulkfeed.statechanged", "cardsubscription.created", "cardsubscription.created"],
  ],
  ["feed-reject", ["networkbulkfeed.statechanged"]],
  ["link-start", []],
  ["link-complete", ["banklink.completed", "cardsubscription.created"]],
])("%s works with no params in an empty world", (verb, sends) => {
  const sandbox = new TestSandbox();
  expect(namesOf(sandbox.run(verb).events)).toEqual(sends);
  expect(sandbox.engine.store.latest("subaccounts")).toMatchObject([
    { accountId: sandbox.accountIds[0], internal: { name: "Subaccount 1" } },
  ]);
});

test.each([
  ...(["sca-pass", "sca-fail", "upgrade", "deactivate", "link-card"] as const),
  ...(["consent-expire", "disconnect", "recover"] as const),
])("%s is refused without applicable resources", (verb) =>
  checkRow({ title: verb, steps: [refused(call(verb), `in a state that ${verb} applies to`)] }),
);

test("every verb works without params if an applicable resource exists", async () => {
  const order: Verb[] = [
    ...(["open-subaccount", "link-start", "link-complete", "upgrade", "enroll"] as const),
    ...(["link-card", "sca-fail", "sca-pass", "deactivate", "feed-submit"] as const),
    ...(["feed-accept", "feed-reject", "consent-expire", "recover", "disconnect"] as const),
  ];
  await new TestSandbox().play(...order.map((verb) => call(verb)));
  expect(order.toSorted()).toEqual(Object.keys(enrollmentVerbs).toSorted());
});

test("the default is the latest resource of the first or given account", () => {
  const sandbox = new TestSandbox();
  const [first, second] = sandbox.accountIds;
  const older = sandbox.run("enroll");
  const newer = sandbox.run("enroll");
  const other = sandbox.run("enroll", { accountId: second });
  expect(sandbox.get("cards", other.cardId).accountId).toBe(second);
  const passed = [{ accountId: second }, {}, { accountId: first }].map((params) => {
    return sandbox.run("sca-pass", params).subscriptionId;
  });
  expect(passed).toEqual([other, newer, older].map(({ subscriptionId }) => subscriptionId));
  expect(() => sandbox.run("sca-pass")).toThrow("there is no card subscription in a state");
});

test("an id is sufficient, for every account", () => {
  const sandbox = new TestSandbox();
  const [, accountId] = sandbox.accountIds;
  const { subscriptionId } = sandbox.run("enroll", { accountId });
  expect(sandbox.run("sca-pass", { subscriptionId }).events).toMatchObject([{ accountId }]);
});

/** Calls with an id of each kind. */
const withIds = (id: (field: string) => string): [Verb, object][] => [
  ["enroll", { subaccountId: id("subaccountId") }],
  ["sca-pass", { subscriptionId: id("subscriptionId") }],
  ["link-card", { cardId: id("cardId") }],
  ["link-card", { bankAccountId: id("bankAccountId") }],
  ["feed-submit", { subaccountId: id("subaccountId") }],
  ["feed-accept", { feedId: id("feedId") }],
  ["feed-reject", { feedId: id("feedId") }],
  ["link-start", { subaccountId: id("subaccountId") }],
  ["link-complete", { bankLinkId: id("bankLinkId") }],
  ["disconnect", { bankAccountId: id("bankAccountId") }],
  ["recover", { bankAccountId: id("bankAccountId") }],
];

test("an unknown id, or one of another account or kind, is not found", () => {
  const sandbox = new TestSandbox();
  const [accountId, other] = sandbox.accountIds;
  const { subscriptionId, cardId } = sandbox.run("enroll", { accountId: other });
  const { subaccountId } = sandbox.get("cards", cardId);
  const { feedId } = sandbox.run("feed-submit", { accountId: other });
  const { bankLinkId } = sandbox.run("link-start", { accountId: other });
  const [bankAccountId = ""] = sandbox.run("link-complete", { bankLinkId }).bankAccountIds;
  const theirs: Record<string, string> = {
    ...{ subscriptionId, cardId, subaccountId, feedId, bankLinkId, bankAccountId },
  };
  sandbox.run("enroll");
  sandbox.run("sca-pass");
  const own = sandbox.run("purchase");
  const before = sandbox.dump();
  const refused = [
    ...withIds((field) => theirs[field] ?? "").map(([verb, params]) => {
      return [verb, { accountId, ...params }] as const;
    }),
    ...withIds(() => UNKNOWN_ID),
    ...withIds(() => own.transactionId),
    ["open-subaccount", { accountId: UNKNOWN_ID }] as const,
    ["enroll", { accountId: cardId }] as const,
  ];
  for (const [verb, params] of refused) {
    const attempt = () => sandbox.run(verb, params as VerbParams[Verb]);
    expect(attempt, verb).toThrow(expect.objectContaining({ name: "Refusal", status: 404 }));
  }
  expect(sandbox.dump()).toBe(before);
});

const UNKNOWN_NETWORK = 'network takes NETWORK_A, NETWORK_B or NETWORK_C, not "OPEN_BANKING"';

test.each<[Verb, object]>([
  ["enroll", { network: "OPEN_BANKING" }],
  ["feed-submit", { network: "OPEN_BANKING" }],
  ["link-start", { accounts: [{ network: "OPEN_BANKING" }] }],
])("%s refuses an unknown card network", (verb, params) =>
  checkRow({ title: verb, steps: [refused(call(verb, params), UNKNOWN_NETWORK)] }),
);

test.each([
  ["enroll", { cardNumber: "4000 0000" }, "enroll: cardNumber: takes 12 to 19 digits"],
  ["enroll", { customerReferenceId: 1 }, "enroll: customerReferenceId: expected string"],
  ["enroll", { network: "" }, "enroll: network: is empty"],
  ["enroll", { card: 1 }, "enroll: card: unknown parameter"],
  ["sca-pass", { subscriptionId: null }, "sca-pass: subscriptionId: expected string"],
  ["feed-submit", { expectedCardCount: -1 }, "feed-submit: expectedCardCount: expected number"],
  ["feed-submit", { expectedCardCount: 1.5 }, "feed-submit: expectedCardCount: expected int"],
  ["feed-accept", { cards: 101 }, "feed-accept: cards: expected number to be <=100"],
  ["feed-reject", { errorReason: "" }, "feed-reject: errorReason: is empty"],
  ["link-start", { accounts: [] }, "link-start: accounts: expected array to have >=1"],
  ["link-start", { accounts: [{ mask: "12345" }] }, "accounts.0.mask: takes four digits"],
  ["link-start", { accounts: [{ currency: "eur" }] }, "takes three capital letters"],
  ["link-start", { accounts: [{ iban: "1" }] }, "accounts.0.iban: unknown parameter"],
  ["link-complete", { by: "patch" }, 'by: expected one of "notification"|"polling"'],
  ["consent-expire", { expiresAt: "tomorrow" }, "expiresAt: takes a timestamp"],
  ["consent-expire", { expiresAt: "2026-02-30T00:00:00.000Z" }, "expiresAt: takes a timestamp"],
] as const)("%s refuses %j with 400 and names the valid values", (verb, params, message) => {
  const detail = expect.stringContaining(message);
  const refusal = expect.objectContaining({ name: "Refusal", status: 400, message: detail });
  expect(() => readParams(verb, params)).toThrow(refusal);
});
