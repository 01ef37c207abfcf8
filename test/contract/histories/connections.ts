import type { HistoryCase } from "./case.ts";
import { type Delivery, respelled } from "./delivery.ts";
import { account, completed, feedMoved, id, moved } from "./resources.ts";

const feed = (
  requirement: "NBF-03" | "NBF-04",
  title: string,
  expect: HistoryCase["expect"],
  ...deliveries: readonly Delivery[]
): HistoryCase => ({
  requirement,
  title,
  deliveries: () => deliveries,
  expect,
  ...(requirement === "NBF-03" && expect === "invalid" && { incomplete: "reported" as const }),
});

const counted = { expectedCardCount: 12 };
const other = { name: "other feed" };

/** NBF-03 and NBF-04: a feed's card count and state transitions. */
const feeds: HistoryCase[] = [
  feed(
    "NBF-03",
    "expectedCardCount is missing in the second event",
    "invalid",
    feedMoved("submitted", "active", counted),
    feedMoved("active", "failed", { hour: 1 }),
  ),
  feed(
    "NBF-03",
    "expectedCardCount appears in the second event",
    "invalid",
    feedMoved("submitted", "verifying"),
    feedMoved("verifying", "active", { hour: 1, ...counted }),
  ),
  feed(
    "NBF-03",
    "expectedCardCount is missing, after another feed's events",
    "invalid",
    feedMoved("submitted", "verifying", counted),
    feedMoved("submitted", "active", other),
    feedMoved("submitted", "verifying", counted),
    feedMoved("verifying", "active", { hour: 1 }),
  ),
  feed(
    "NBF-03",
    "one feed always has expectedCardCount, another never",
    "valid",
    feedMoved("submitted", "active", counted),
    feedMoved("submitted", "failed", other),
    feedMoved("submitted", "active", counted),
  ),
  feed(
    "NBF-03",
    "expectedCardCount remains in unknown states",
    "notice",
    feedMoved("submitted", "verifying", counted),
    feedMoved("verifying", "active", { hour: 1, ...counted }),
    feedMoved("active", "failed", { hour: 2, ...counted }),
  ),
  feed(
    "NBF-04",
    "a feed goes from submitted to failed after it became active",
    "invalid",
    feedMoved("submitted", "active"),
    feedMoved("submitted", "failed", { hour: 1 }),
  ),
  feed(
    "NBF-04",
    "a feed goes from submitted to active after it failed",
    "invalid",
    feedMoved("submitted", "failed"),
    feedMoved("submitted", "active", { hour: 1 }),
  ),
  feed(
    "NBF-04",
    "a feed becomes active again later",
    "invalid",
    feedMoved("submitted", "active"),
    feedMoved("submitted", "active", { ...other }),
    feedMoved("submitted", "active", { hour: 5 }),
  ),
  feed(
    "NBF-04",
    "the events of two feeds are repeated",
    "valid",
    feedMoved("submitted", "active"),
    feedMoved("submitted", "failed", other),
    respelled(feedMoved("submitted", "active")),
    feedMoved("submitted", "failed", other),
  ),
  feed(
    "NBF-04",
    "an active feed fails, which is an unknown transition",
    "notice",
    feedMoved("submitted", "active"),
    feedMoved("active", "failed", { hour: 1 }),
  ),
  {
    ...feed(
      "NBF-04",
      "the capture starts in the middle of a feed's life",
      "notice",
      feedMoved("active", "failed"),
    ),
    complete: false,
  },
];

const TWO = [account(), account("savings", { type: "savings" })];

const link = (
  title: string,
  expect: "valid" | "invalid",
  ...deliveries: readonly Delivery[]
): HistoryCase => ({
  requirement: "BLK-02",
  title,
  deliveries: () => deliveries,
  expect,
  ...(expect === "invalid" && { incomplete: "reported" as const }),
});

/** BLK-02: one event per completion. */
const completions: HistoryCase[] = [
  link(
    "a link is completed again with one of its two accounts",
    "invalid",
    completed("link", TWO),
    completed("link", TWO.slice(0, 1)),
    completed("other link", [account("third account")]),
  ),
  link(
    "a link is completed again with one more account, after another link",
    "invalid",
    completed("link", TWO.slice(0, 1)),
    completed("other link", [account("third account")]),
    completed("link", TWO),
  ),
  link(
    "a link is completed again with a card linked since",
    "invalid",
    completed(),
    completed("link", [account("everyday account", { cardIds: [id("card")] })]),
  ),
  link(
    "the first completion is repeated after the contradicting one",
    "invalid",
    completed("link", TWO),
    completed("link", TWO.slice(1)),
    completed("link", TWO),
  ),
  link(
    "the completions of two links are repeated with other bytes",
    "valid",
    completed("link", TWO),
    completed("other link", [account("third account")]),
    respelled(completed("link", TWO)),
    completed("other link", [account("third account")]),
  ),
  link(
    "two links are completed with accounts of the same name and mask",
    "valid",
    completed("link", TWO),
    completed("other link", [account("everyday account", { id: id("third account") })]),
  ),
];

const SAVINGS = { bankAccountId: id("savings") };

const connection = (
  requirement: "BAC-03" | "BAC-05",
  title: string,
  expect: HistoryCase["expect"],
  ...deliveries: readonly Delivery[]
): HistoryCase => ({
  requirement,
  title,
  deliveries: () => [completed("link", TWO), ...deliveries],
  expect,
  ...(expect === "derived" && { incomplete: requirement === "BAC-03" ? "downgraded" : "reported" }),
});

/** BAC-03 and BAC-05: the states of a bank account's connection. */
const connections: HistoryCase[] = [
  connection(
    "BAC-03",
    "previousState is active, but the account was auth_required",
    "derived",
    moved("active", "auth_required"),
    moved("active", "disconnected"),
  ),
  connection(
    "BAC-03",
    "a recovery from disconnected follows auth_required",
    "derived",
    moved("active", "auth_required"),
    moved("disconnected", "active"),
  ),
  connection(
    "BAC-03",
    "an account enters auth_required twice, with different reasons",
    "derived",
    moved("active", "auth_required"),
    moved("active", "auth_required", { reason: "password_changed" }),
  ),
  connection(
    "BAC-03",
    "an account's previousState is the state of another account",
    "derived",
    moved("active", "auth_required"),
    moved("active", "disconnected", SAVINGS),
    moved("auth_required", "active"),
    moved("auth_required", "active", SAVINGS),
  ),
  connection(
    "BAC-03",
    "previousState is wrong after repeats",
    "derived",
    moved("active", "disconnected"),
    moved("active", "disconnected"),
    moved("disconnected", "active"),
    moved("active", "disconnected"),
    moved("disconnected", "active"),
    moved("auth_required", "active"),
  ),
  connection(
    "BAC-03",
    "the state changes of two accounts are interleaved",
    "valid",
    moved("active", "auth_required"),
    moved("active", "disconnected", SAVINGS),
    moved("auth_required", "disconnected"),
    moved("disconnected", "active", SAVINGS),
    moved("disconnected", "active"),
  ),
  connection(
    "BAC-03",
    "the first event of an account is its recovery",
    "valid",
    moved("auth_required", "active"),
    moved("active", "disconnected"),
  ),
  connection(
    "BAC-03",
    "the same state change is repeated several times",
    "valid",
    moved("active", "auth_required"),
    moved("auth_required", "active"),
    moved("active", "auth_required"),
    moved("auth_required", "active"),
  ),
  connection(
    "BAC-03",
    "an older state change is repeated before the next one",
    "valid",
    moved("active", "auth_required"),
    moved("auth_required", "active"),
    moved("active", "auth_required"),
    moved("active", "disconnected"),
    moved("disconnected", "active"),
  ),
  connection(
    "BAC-05",
    "a disconnected account goes to auth_required",
    "derived",
    moved("active", "disconnected"),
    moved("disconnected", "auth_required"),
  ),
  connection(
    "BAC-05",
    "the first event of an account goes from disconnected to auth_required",
    "derived",
    moved("disconnected", "auth_required", SAVINGS),
  ),
  connection(
    "BAC-05",
    "an account goes through every known transition",
    "valid",
    moved("active", "auth_required"),
    moved("auth_required", "disconnected"),
    moved("disconnected", "active"),
    moved("active", "disconnected"),
    moved("disconnected", "active", { reason: "user_action" }),
  ),
];

/** Bulk feeds, bank links and the connections of bank accounts. */
export const connectionCases: readonly HistoryCase[] = [...feeds, ...completions, ...connections];
