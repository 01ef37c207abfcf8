import type { components } from "../../../generated/types.ts";
import { contentsWith, type SubscriptionState, type World } from "./world.ts";

type Subscription = components["schemas"]["CardSubscription"];

/** The states that are shown, and the moves between them (SUB-05). */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  reqSCA: ["active"],
  active: ["deactivated"],
  deactivated: [],
};

/** Reads `cardsubscription.created`. */
export function onSubscriptionCreated(body: Subscription, content: number, world: World): void {
  const { chronicle } = world;
  const before = world.subscriptions.get(body.id);
  if (before?.contents.isRepeat(~content)) return;
  if (before?.createdLine !== undefined) {
    const isUpgrade = before.enrollmentType === "bank-feed" && body.enrollmentType !== "bank-feed";
    chronicle.breach(isUpgrade ? "SUB-06" : "SUB-09", {
      path: "",
      expected: `cardsubscription.created of ${body.id} once, changes as cardsubscription.updated`,
      value: body,
      lines: [before.createdLine],
    });
    return;
  }
  judgeBeginning(body, world);
  judgeSecondEnrollment(body, world);
  settleDebt(body, world);
  const state = before ?? stateOf(body, ~content, chronicle.line);
  state.createdLine = chronicle.line;
  world.subscriptions.set(body.id, state);
  note(body, world);
}

/** Reads `cardsubscription.updated`. */
export function onSubscriptionUpdated(body: Subscription, content: number, world: World): void {
  const { chronicle } = world;
  const before = world.subscriptions.get(body.id);
  if (before?.contents.isRepeat(content)) return;
  note(body, world);
  if (!before) {
    world.subscriptions.set(body.id, stateOf(body, content, chronicle.line));
    if (world.unreadable.has(body.id)) return;
    const expected = `cardsubscription.created of ${body.id} before any update`;
    chronicle.doubt("SUB-09", { path: "", expected });
    return;
  }
  // Without the order of sending, an older update says nothing new.
  if (!chronicle.isComplete && body.updatedAt < before.updatedAt) return;
  const isBankFeed = before.enrollmentType === "bank-feed";
  const isUpgrade = isBankFeed && body.enrollmentType === "cardholder-single";
  const judge = isUpgrade ? judgeUpgrade : judgeChange;
  if (!world.unreadable.has(body.id)) judge(body, before, world);
  before.line = chronicle.line;
  before.updatedAt = body.updatedAt;
  before.enrollmentType = body.enrollmentType;
  before.bankAccountId = body.bankAccountId;
  before.state = body.state;
}

/** SUB-04: where an enrollment starts. */
function judgeBeginning({ enrollmentType, state }: Subscription, { chronicle }: World): void {
  const start = enrollmentType === "cardholder-single" ? "reqSCA" : "active";
  if (state === start || !(state in MOVES)) return;
  const expected = `${start}, where a ${enrollmentType} enrollment starts`;
  chronicle.doubt("SUB-04", { path: "/state", expected, value: state });
}

/** SUB-06: a real card number takes the bank feed's place under the same id. */
function judgeSecondEnrollment(body: Subscription, world: World): void {
  if (body.enrollmentType !== "cardholder-single") return;
  const id = world.bankFeedOfCard.get(body.cardId);
  const bankFeed = id === undefined ? undefined : world.subscriptions.get(id);
  if (!bankFeed || id === body.id) return;
  if (bankFeed.enrollmentType !== "bank-feed" || bankFeed.state === "deactivated") return;
  world.chronicle.doubt("SUB-06", {
    path: "/id",
    expected: `cardsubscription.updated of ${id}, the bank-feed subscription of the card`,
    value: body.id,
    lines: [bankFeed.line],
  });
}

/** BLK-05: the subscription of a card that a completion created is that card's, by its bank. */
function settleDebt(body: Subscription, { chronicle, owedSubscriptions }: World): void {
  const { id, cardId, enrollmentType } = body;
  const owed = owedSubscriptions.get(id);
  if (!owed) return;
  owedSubscriptions.delete(id);
  const lines = [owed.line];
  if (owed.cardId !== cardId) {
    const expected = `${owed.cardId}, the card that the completion created`;
    chronicle.doubt("BLK-05", { path: "/cardId", expected, value: cardId, lines });
  }
  if (enrollmentType !== "bank-feed") {
    const expected = "bank-feed, as the completion says";
    chronicle.doubt("BLK-05", { path: "/enrollmentType", expected, value: enrollmentType, lines });
  }
}

function judgeChange(body: Subscription, before: SubscriptionState, world: World): void {
  const { chronicle } = world;
  const lines = [before.line];
  const gainsAccount = before.bankAccountId === undefined && body.bankAccountId !== undefined;
  if (body.enrollmentType !== before.enrollmentType) {
    // Of another change than the upgrade and the linking, nothing is said.
    const isStated = gainsAccount || before.enrollmentType === "bank-feed";
    chronicle[isStated ? "doubt" : "notice"](gainsAccount ? "SUB-07" : "SUB-06", {
      path: "/enrollmentType",
      expected: `${before.enrollmentType}, as before`,
      value: body.enrollmentType,
      lines,
    });
  }
  if (before.wasUpgraded && body.bankAccountId !== before.bankAccountId) {
    const expected = `${before.bankAccountId}, as before the upgrade`;
    chronicle.doubt("SUB-06", {
      path: "/bankAccountId",
      expected,
      value: body.bankAccountId,
      lines,
    });
  }
  if (body.state === before.state || !(body.state in MOVES) || !(before.state in MOVES)) return;
  const path = "/state";
  if (gainsAccount) {
    const expected = `${before.state}: a bank account that is linked leaves the state alone`;
    chronicle.doubt("SUB-07", { path, expected, value: body.state, lines });
  } else if (body.enrollmentType === "bank-feed" && body.state === "reqSCA") {
    const expected = `${before.state}, or enrollmentType cardholder-single`;
    chronicle.doubt("SUB-06", { path, expected, value: body.state, lines });
  } else if (!MOVES[before.state]?.includes(body.state)) {
    const expected = `${[before.state, ...(MOVES[before.state] ?? [])].join(" or ")}`;
    chronicle.doubt("SUB-05", { path, expected, value: body.state, lines });
  }
}

/** SUB-06: the upgrade in place. */
function judgeUpgrade(body: Subscription, before: SubscriptionState, { chronicle }: World): void {
  before.wasUpgraded = true;
  const lines = [before.line];
  if (body.state !== "reqSCA" && body.state in MOVES) {
    const expected = "reqSCA: the real card number is to be authenticated";
    chronicle.doubt("SUB-06", { path: "/state", expected, value: body.state, lines });
  } else if (before.state === "deactivated") {
    const expected = "an active bank-feed subscription before the upgrade";
    chronicle.doubt("SUB-05", { path: "/state", expected, value: body.state, lines });
  }
  if (body.bankAccountId !== before.bankAccountId) {
    const expected = `${before.bankAccountId}, as before the upgrade`;
    const value = body.bankAccountId;
    chronicle.doubt("SUB-06", { path: "/bankAccountId", expected, value, lines });
  }
}

function note({ id, cardId, enrollmentType, bankAccountId }: Subscription, world: World): void {
  if (enrollmentType === "bank-feed") world.bankFeedOfCard.set(cardId, id);
  if (!bankAccountId || world.linkedAccounts.has(bankAccountId)) return;
  if (!world.unlinkedAccounts.has(bankAccountId)) {
    world.unlinkedAccounts.set(bankAccountId, world.debt("/_links/bankAccount/href"));
  }
}

function stateOf(body: Subscription, content: number, line: number): SubscriptionState {
  return {
    contents: contentsWith(content),
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
