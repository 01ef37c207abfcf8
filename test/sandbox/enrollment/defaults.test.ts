import { expect, test } from "vitest";
import { enrollmentVerbs, readParams } from "../../../src/world/verbs/index.ts";
import { EnrollmentSandbox, type EnrollmentVerb, namesOf } from "./enrollment-sandbox.ts";

const UNKNOWN_ID = "00000000-0000-4000-a000-000000000000";

test.each([
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
] as const)("%s works with no params in an empty world", (verb, sends) => {
  const sandbox = new EnrollmentSandbox();
  const { events } = sandbox.run(verb);
  expect(namesOf(events)).toEqual(sends);
  expect(sandbox.engine.store.latest("subaccounts")).toMatchObject([
    { accountId: sandbox.accountIds[0], internal: { name: "Subaccount 1" } },
  ]);
});

test.each([
  ...(["sca-pass", "sca-fail", "upgrade", "deactivate", "link-card"] as const),
  ...(["consent-expire", "disconnect", "recover"] as const),
])("%s without applicable resources is refused with 409 in an empty world", (verb) => {
  const refusal = new EnrollmentSandbox().refusal(verb);
  expect(refusal).toMatchObject({ status: 409 });
  expect(refusal?.message).toMatch(`in a state that ${verb} applies to`);
});

test("every verb works without params if an applicable resource exists", () => {
  const sandbox = new EnrollmentSandbox();
  const order: EnrollmentVerb[] = [
    ...(["open-subaccount", "link-start", "link-complete", "upgrade", "enroll"] as const),
    ...(["link-card", "sca-fail", "sca-pass", "deactivate", "feed-submit"] as const),
    ...(["feed-accept", "feed-reject", "consent-expire", "recover", "disconnect"] as const),
  ];
  for (const verb of order) sandbox.run(verb);
  expect(order.toSorted()).toEqual(Object.keys(enrollmentVerbs).toSorted());
});

test("the default is the latest resource of the first or given account", () => {
  const sandbox = new EnrollmentSandbox();
  const [first, second] = sandbox.accountIds;
  const older = sandbox.run("enroll");
  const newer = sandbox.run("enroll");
  const other = sandbox.run("enroll", { accountId: second });
  expect(sandbox.get("cards", other.cardId).accountId).toBe(second);
  expect(sandbox.run("sca-pass", { accountId: second }).subscriptionId).toBe(other.subscriptionId);
  expect(sandbox.run("sca-pass").subscriptionId).toBe(newer.subscriptionId);
  expect(sandbox.run("sca-pass", { accountId: first }).subscriptionId).toBe(older.subscriptionId);
  expect(sandbox.refusal("sca-pass")).toMatchObject({ status: 409 });
});

test("an id is sufficient, for every account", () => {
  const sandbox = new EnrollmentSandbox();
  const { subscriptionId } = sandbox.run("enroll", { accountId: sandbox.accountIds[1] });
  const { events } = sandbox.run("sca-pass", { subscriptionId });
  expect(events).toMatchObject([{ accountId: sandbox.accountIds[1] }]);
});

test("an id with another account's id is not found", () => {
  const sandbox = new EnrollmentSandbox();
  const [accountId, other] = sandbox.accountIds;
  const { subscriptionId, cardId } = sandbox.run("enroll", { accountId: other });
  const { subaccountId } = sandbox.get("cards", cardId);
  const { feedId } = sandbox.run("feed-submit", { accountId: other });
  const { bankLinkId } = sandbox.run("link-start", { accountId: other });
  const bankAccountId = sandbox.run("link-complete", { bankLinkId }).bankAccountIds[0];
  for (const refusal of [
    sandbox.refusal("enroll", { accountId, subaccountId }),
    sandbox.refusal("sca-pass", { accountId, subscriptionId }),
    sandbox.refusal("link-card", { accountId, cardId }),
    sandbox.refusal("link-card", { accountId, bankAccountId }),
    sandbox.refusal("feed-submit", { accountId, subaccountId }),
    sandbox.refusal("feed-accept", { accountId, feedId }),
    sandbox.refusal("link-start", { accountId, subaccountId }),
    sandbox.refusal("link-complete", { accountId, bankLinkId }),
    sandbox.refusal("disconnect", { accountId, bankAccountId }),
  ]) {
    expect(refusal).toMatchObject({ status: 404 });
  }
});

test("an unknown id or one of another kind is not found", () => {
  const sandbox = new EnrollmentSandbox();
  const { cardId } = sandbox.run("enroll");
  for (const id of [UNKNOWN_ID, cardId]) {
    for (const refusal of [
      sandbox.refusal("open-subaccount", { accountId: id }),
      sandbox.refusal("enroll", { subaccountId: id }),
      sandbox.refusal("sca-pass", { subscriptionId: id }),
      sandbox.refusal("feed-reject", { feedId: id }),
      sandbox.refusal("link-complete", { bankLinkId: id }),
      sandbox.refusal("recover", { bankAccountId: id }),
      sandbox.refusal("enroll", { accountId: id }),
    ]) {
      expect(refusal).toMatchObject({ status: 404 });
    }
  }
});

test("an unknown card network is refused with 400", () => {
  const sandbox = new EnrollmentSandbox();
  const network = "OPEN_BANKING";
  for (const refusal of [
    sandbox.refusal("enroll", { network }),
    sandbox.refusal("feed-submit", { network }),
    sandbox.refusal("link-start", { accounts: [{ network }] }),
  ]) {
    expect(refusal).toMatchObject({ status: 400 });
    expect(refusal?.message).toBe(
      'network takes NETWORK_A, NETWORK_B or NETWORK_C, not "OPEN_BANKING"',
    );
  }
});

test.each([
  ["enroll", { cardNumber: "4000 0000" }, "enroll: cardNumber: takes 12 to 19 digits"],
  ["enroll", { cardNumber: 4e15 }, "enroll: cardNumber: expected string"],
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
