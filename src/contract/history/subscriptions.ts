import type { components } from "../../../generated/types.ts";
import {
  type HistoryState,
  rememberedDeliveries,
  type SubscriptionState,
} from "./history-state.ts";

type Subscription = components["schemas"]["CardSubscription"];

/** The known states, and the transitions between them (SUB-05). */
const TRANSITIONS: Readonly<Record<string, readonly string[]>> = {
  reqSCA: ["active"],
  active: ["deactivated"],
  deactivated: [],
};

/** Checks and records a `cardsubscription.created` event. */
export function onSubscriptionCreated(
  body: Subscription,
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const before = history.subscriptions.get(body.id);
  if (before?.contents.isDuplicate(~hash)) return;
  if (before?.createdLine !== undefined) {
    const isUpgrade = before.enrollmentType === "bank-feed" && body.enrollmentType !== "bank-feed";
    const claim = isUpgrade || before.wasUpgraded ? "SUB-06.no-created" : "SUB-09.one-created";
    reporter.case(claim);
    reporter.violation(claim, {
      path: "",
      expected: `one cardsubscription.created of ${body.id}; later changes as updated`,
      value: body,
      lines: [before.createdLine],
    });
    return;
  }
  checkInitialState(body, history);
  checkSecondEnrollment(body, history);
  checkExpectedSubscription(body, history);
  const state = before ?? stateOf(body, ~hash, reporter.line);
  state.createdLine = reporter.line;
  history.subscriptions.set(body.id, state);
  recordLinks(body, history);
}

/** Checks and records a `cardsubscription.updated` event. */
export function onSubscriptionUpdated(
  body: Subscription,
  hash: number,
  history: HistoryState,
): void {
  const { reporter } = history;
  const before = history.subscriptions.get(body.id);
  if (before?.contents.isDuplicate(hash)) return;
  if (before?.createdLine !== undefined) reporter.case("SUB-09.one-created");
  history.caseUnlessUnreadable("SUB-09.created-first", body.id);
  recordLinks(body, history);
  if (!before) {
    history.subscriptions.set(body.id, stateOf(body, hash, reporter.line));
    if (history.unreadable.has(body.id)) return;
    const expected = `cardsubscription.created of ${body.id} before any update`;
    reporter.violationIfComplete("SUB-09.created-first", { path: "", expected });
    return;
  }
  // If the order of sending is unknown, an older update is ignored.
  if (!reporter.isComplete && body.updatedAt < before.updatedAt) return;
  const isBankFeed = before.enrollmentType === "bank-feed";
  const isUpgrade = isBankFeed && body.enrollmentType === "cardholder-single";
  const check = isUpgrade ? checkUpgrade : checkChange;
  if (!history.unreadable.has(body.id)) check(body, before, history);
  before.line = reporter.line;
  before.updatedAt = body.updatedAt;
  before.enrollmentType = body.enrollmentType;
  before.bankAccountId = body.bankAccountId;
  before.state = body.state;
}

/** The claims on the initial state of each type of enrollment. */
const STARTS = {
  "cardholder-single": "SUB-04.single-starts",
  "network-bulk": "SUB-04.bulk-starts",
  "bank-feed": "SUB-04.feed-starts",
} as const;

/** SUB-04: the initial state of an enrollment. */
function checkInitialState(
  { enrollmentType, state }: Subscription,
  { reporter }: HistoryState,
): void {
  const start = enrollmentType === "cardholder-single" ? "reqSCA" : "active";
  reporter.caseIfComplete(STARTS[enrollmentType]);
  if (state === start || !(state in TRANSITIONS)) return;
  const expected = `${start}, the initial state of a ${enrollmentType} enrollment`;
  reporter.violationIfComplete(STARTS[enrollmentType], { path: "/state", expected, value: state });
}

/** SUB-06: a real card number replaces the bank feed under the same id. */
function checkSecondEnrollment(body: Subscription, history: HistoryState): void {
  if (body.enrollmentType !== "cardholder-single") return;
  const id = history.bankFeedOfCard.get(body.cardId);
  const bankFeed = id === undefined ? undefined : history.subscriptions.get(id);
  if (!bankFeed || id === body.id) return;
  if (bankFeed.enrollmentType !== "bank-feed" || bankFeed.state === "deactivated") return;
  history.reporter.caseIfComplete("SUB-06.same-id");
  history.reporter.violationIfComplete("SUB-06.same-id", {
    path: "/id",
    expected: `cardsubscription.updated of ${id}, the bank-feed subscription of the card`,
    value: body.id,
    lines: [bankFeed.line],
  });
}

/** BLK-05: the subscription of a card that a completion created is a bank feed of that card. */
function checkExpectedSubscription(
  body: Subscription,
  { reporter, expectedSubscriptions }: HistoryState,
): void {
  const { id, cardId, enrollmentType } = body;
  const expectation = expectedSubscriptions.get(id);
  if (!expectation) return;
  expectedSubscriptions.delete(id);
  const lines = [expectation.line];
  if (expectation.cardId !== cardId) {
    const expected = `${expectation.cardId}, the card that the completion created`;
    reporter.violationIfComplete("BLK-05.names-account", {
      path: "/cardId",
      expected,
      value: cardId,
      lines,
    });
  }
  if (enrollmentType !== "bank-feed") {
    const expected = "bank-feed, as in the completion";
    reporter.violationIfComplete("BLK-05.names-account", {
      path: "/enrollmentType",
      expected,
      value: enrollmentType,
      lines,
    });
  }
}

function checkChange(body: Subscription, before: SubscriptionState, history: HistoryState): void {
  const { reporter } = history;
  const lines = [before.line];
  const gainsAccount = before.bankAccountId === undefined && body.bankAccountId !== undefined;
  if (gainsAccount) reporter.caseIfComplete("SUB-07.type-kept", "SUB-07.state-kept");
  if (body.state !== before.state) reporter.caseIfComplete("SUB-05.no-other-move");
  const isBankFeed = before.enrollmentType === "bank-feed";
  const isOtherType = body.enrollmentType !== before.enrollmentType;
  // An upgrade changes the state and the type together.
  if (isBankFeed && (isOtherType || body.state === "reqSCA")) {
    reporter.caseIfComplete("SUB-06.type");
  }
  if (isOtherType) {
    // The interface does not mention changes other than the upgrade and the linking.
    const isStated = gainsAccount || isBankFeed;
    reporter[isStated ? "violationIfComplete" : "notice"](
      gainsAccount ? "SUB-07.type-kept" : "SUB-06.type",
      {
        path: "/enrollmentType",
        expected: `${before.enrollmentType}, as before`,
        value: body.enrollmentType,
        lines,
      },
    );
  }
  if (before.wasUpgraded && body.bankAccountId !== before.bankAccountId) {
    const expected = `${before.bankAccountId}, as before the upgrade`;
    reporter.violationIfComplete("SUB-06.same-account", {
      path: "/bankAccountId",
      expected,
      value: body.bankAccountId,
      lines,
    });
  }
  if (body.state === before.state || !(body.state in TRANSITIONS) || !(before.state in TRANSITIONS))
    return;
  const path = "/state";
  if (gainsAccount) {
    const expected = `${before.state}: linking a bank account does not change the state`;
    reporter.violationIfComplete("SUB-07.state-kept", { path, expected, value: body.state, lines });
  } else if (body.enrollmentType === "bank-feed" && body.state === "reqSCA") {
    const expected = `${before.state}, or enrollmentType cardholder-single`;
    reporter.violationIfComplete("SUB-06.type", { path, expected, value: body.state, lines });
  } else if (!TRANSITIONS[before.state]?.includes(body.state)) {
    const expected = `${[before.state, ...(TRANSITIONS[before.state] ?? [])].join(" or ")}`;
    reporter.violationIfComplete("SUB-05.no-other-move", {
      path,
      expected,
      value: body.state,
      lines,
    });
  }
}

/** SUB-06: the upgrade in place. */
function checkUpgrade(
  body: Subscription,
  before: SubscriptionState,
  { reporter }: HistoryState,
): void {
  before.wasUpgraded = true;
  reporter.caseIfComplete("SUB-06.same-id", "SUB-06.same-account");
  reporter.caseIfComplete("SUB-06.state", "SUB-06.type");
  reporter.case("SUB-06.no-created");
  const lines = [before.line];
  if (body.state !== "reqSCA" && body.state in TRANSITIONS) {
    const expected = "reqSCA: the real card number must be authenticated";
    reporter.violationIfComplete("SUB-06.state", {
      path: "/state",
      expected,
      value: body.state,
      lines,
    });
  } else if (before.state === "deactivated") {
    const expected = "an active bank-feed subscription before the upgrade";
    reporter.violationIfComplete("SUB-05.no-other-move", {
      path: "/state",
      expected,
      value: body.state,
      lines,
    });
  }
  if (body.bankAccountId !== before.bankAccountId) {
    const expected = `${before.bankAccountId}, as before the upgrade`;
    const value = body.bankAccountId;
    reporter.violationIfComplete("SUB-06.same-account", {
      path: "/bankAccountId",
      expected,
      value,
      lines,
    });
  }
}

function recordLinks(
  { id, cardId, enrollmentType, bankAccountId }: Subscription,
  history: HistoryState,
): void {
  if (enrollmentType === "bank-feed") history.bankFeedOfCard.set(cardId, id);
  if (!bankAccountId || history.linkedAccounts.has(bankAccountId)) return;
  if (!history.unlinkedAccounts.has(bankAccountId)) {
    history.unlinkedAccounts.set(bankAccountId, history.obligation("/_links/bankAccount/href"));
  }
}

function stateOf(body: Subscription, hash: number, line: number): SubscriptionState {
  return {
    contents: rememberedDeliveries(hash),
    createdLine: undefined,
    line,
    updatedAt: body.updatedAt,
    cardId: body.cardId,
    enrollmentType: body.enrollmentType,
    state: body.state,
    bankAccountId: body.bankAccountId,
    wasUpgraded: false,
  };
}
