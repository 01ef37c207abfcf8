import { expect, test } from "vitest";
import { enrollmentVerbs } from "../../../src/sandbox/enrollment/verbs.ts";
import { paramsOf } from "../../../src/sandbox/verbs/read-params.ts";
import { type EnrollmentVerb, namesOf, Stage } from "./stage.ts";

const NOWHERE = "00000000-0000-4000-a000-000000000000";

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
  const stage = new Stage();
  const { events } = stage.run(verb);
  expect(namesOf(events)).toEqual(sends);
  expect(stage.engine.store.latest("subaccounts")).toMatchObject([
    { accountId: stage.accountIds[0], internal: { name: "Subaccount 1" } },
  ]);
});

test.each([
  ...(["sca-pass", "sca-fail", "upgrade", "deactivate", "link-card"] as const),
  ...(["consent-expire", "disconnect", "recover"] as const),
])("%s is refused with 409 in an empty world, for there is nothing that it applies to", (verb) => {
  const refusal = new Stage().refusal(verb);
  expect(refusal).toMatchObject({ status: 409 });
  expect(refusal?.message).toMatch(`in a state that ${verb} applies to`);
});

test("every verb works with no params in a world where there is something for it", () => {
  const stage = new Stage();
  const order: EnrollmentVerb[] = [
    ...(["open-subaccount", "link-start", "link-complete", "upgrade", "enroll"] as const),
    ...(["link-card", "sca-fail", "sca-pass", "deactivate", "feed-submit"] as const),
    ...(["feed-accept", "feed-reject", "consent-expire", "recover", "disconnect"] as const),
  ];
  for (const verb of order) stage.run(verb);
  expect(order.toSorted()).toEqual(Object.keys(enrollmentVerbs).toSorted());
});

test("what a verb takes by default is the latest of the account, the first unless told", () => {
  const stage = new Stage();
  const [first, second] = stage.accountIds;
  const older = stage.run("enroll");
  const newer = stage.run("enroll");
  const other = stage.run("enroll", { accountId: second });
  expect(stage.get("cards", other.cardId).accountId).toBe(second);
  expect(stage.run("sca-pass", { accountId: second }).subscriptionId).toBe(other.subscriptionId);
  expect(stage.run("sca-pass").subscriptionId).toBe(newer.subscriptionId);
  expect(stage.run("sca-pass", { accountId: first }).subscriptionId).toBe(older.subscriptionId);
  expect(stage.refusal("sca-pass")).toMatchObject({ status: 409 });
});

test("an id decides alone, whosever it is", () => {
  const stage = new Stage();
  const { subscriptionId } = stage.run("enroll", { accountId: stage.accountIds[1] });
  const { events } = stage.run("sca-pass", { subscriptionId });
  expect(events).toMatchObject([{ accountId: stage.accountIds[1] }]);
});

test("an id beside another account than its own is not found", () => {
  const stage = new Stage();
  const [accountId, other] = stage.accountIds;
  const { subscriptionId, cardId } = stage.run("enroll", { accountId: other });
  const { subaccountId } = stage.get("cards", cardId);
  const { feedId } = stage.run("feed-submit", { accountId: other });
  const { bankLinkId } = stage.run("link-start", { accountId: other });
  const bankAccountId = stage.run("link-complete", { bankLinkId }).bankAccountIds[0];
  for (const refusal of [
    stage.refusal("enroll", { accountId, subaccountId }),
    stage.refusal("sca-pass", { accountId, subscriptionId }),
    stage.refusal("link-card", { accountId, cardId }),
    stage.refusal("link-card", { accountId, bankAccountId }),
    stage.refusal("feed-submit", { accountId, subaccountId }),
    stage.refusal("feed-accept", { accountId, feedId }),
    stage.refusal("link-start", { accountId, subaccountId }),
    stage.refusal("link-complete", { accountId, bankLinkId }),
    stage.refusal("disconnect", { accountId, bankAccountId }),
  ]) {
    expect(refusal).toMatchObject({ status: 404 });
  }
});

test("an id of nothing, or of something else, is not found", () => {
  const stage = new Stage();
  const { cardId } = stage.run("enroll");
  for (const id of [NOWHERE, cardId]) {
    for (const refusal of [
      stage.refusal("open-subaccount", { accountId: id }),
      stage.refusal("enroll", { subaccountId: id }),
      stage.refusal("sca-pass", { subscriptionId: id }),
      stage.refusal("feed-reject", { feedId: id }),
      stage.refusal("link-complete", { bankLinkId: id }),
      stage.refusal("recover", { bankAccountId: id }),
      stage.refusal("enroll", { accountId: id }),
    ]) {
      expect(refusal).toMatchObject({ status: 404 });
    }
  }
});

test("a network that is no card network's is refused with 400", () => {
  const stage = new Stage();
  const network = "OPEN_BANKING";
  for (const refusal of [
    stage.refusal("enroll", { network }),
    stage.refusal("feed-submit", { network }),
    stage.refusal("link-start", { accounts: [{ network }] }),
  ]) {
    expect(refusal).toMatchObject({ status: 400 });
    expect(refusal?.message).toBe(
      "network takes NETWORK_A, NETWORK_B or NETWORK_C, not 'OPEN_BANKING'",
    );
  }
});

test.each([
  ["enroll", { cardNumber: "4000 0000" }, "enroll: cardNumber: takes 12 to 19 digits"],
  ["enroll", { cardNumber: 4e15 }, "enroll: cardNumber: expected string"],
  ["enroll", { customerReferenceId: 1 }, "enroll: customerReferenceId: expected string"],
  ["enroll", { network: "" }, "enroll: network: is empty"],
  ["enroll", { card: 1 }, "enroll: card: nothing of that name is taken here"],
  ["sca-pass", { subscriptionId: null }, "sca-pass: subscriptionId: expected string"],
  ["feed-submit", { expectedCardCount: -1 }, "feed-submit: expectedCardCount: expected number"],
  ["feed-submit", { expectedCardCount: 1.5 }, "feed-submit: expectedCardCount: expected int"],
  ["feed-accept", { cards: 101 }, "feed-accept: cards: expected number to be <=100"],
  ["feed-reject", { errorReason: "" }, "feed-reject: errorReason: is empty"],
  ["link-start", { accounts: [] }, "link-start: accounts: expected array to have >=1"],
  ["link-start", { accounts: [{ mask: "12345" }] }, "accounts.0.mask: takes four digits"],
  ["link-start", { accounts: [{ currency: "eur" }] }, "takes three capital letters"],
  ["link-start", { accounts: [{ iban: "1" }] }, "accounts.0.iban: nothing of that name"],
  ["link-complete", { by: "patch" }, 'by: expected one of "notification"|"polling"'],
  ["consent-expire", { expiresAt: "tomorrow" }, "expiresAt: takes a timestamp"],
  ["consent-expire", { expiresAt: "2026-02-30T00:00:00.000Z" }, "expiresAt: takes a timestamp"],
] as const)("%s refuses %j with 400, and says what it takes", (verb, params, says) => {
  const detail = expect.stringContaining(says);
  const refusal = expect.objectContaining({ name: "Refusal", status: 400, message: detail });
  expect(() => paramsOf(verb, params)).toThrow(refusal);
});
