import type { RequirementId } from "../../generated/requirements.ts";
import { bodyOf, breachAt, type Message } from "../assert.ts";
import type { Breach } from "../check.ts";
import { listAt, textAt } from "../scenarios/find-deliveries.ts";

import { aText, has, type Owed, values, type Wanted } from "./judge.ts";
import { type CardState, CONNECTION_OF } from "./model.ts";
import { owedByMoney } from "./owed-money.ts";
import type { Name, Step, StepOf } from "./step.ts";
import type { World } from "./world.ts";

/**
 * The events that a step owes. Derived from the state tables and the rules for events.
 *
 * @param world The state before the step, with the names of the result bound.
 * @param result The result of the verb.
 */
export function owedBy(world: World, step: Step, result: unknown): Owed[] {
  switch (step.verb) {
    case "enroll":
      return [enrollment(world, step)];
    case "clearSca":
    case "deactivate":
    case "upgrade":
    case "linkCard":
      return [subscriptionChange(world, step)];
    case "acceptFeed":
    case "rejectFeed":
      return feedDecision(world, step, result);
    case "completeLink":
      return owedByCompletion(world, step);
    case "expireConsent":
    case "disconnect":
    case "recover":
      return [connectionChange(world, step)];
    case "submitFeed":
    case "startLink":
    case "advance":
      return [];
    default:
      return owedByMoney(world, step, result);
  }
}

/** Subscription, row 1. */
function enrollment(world: World, { as }: StepOf<"enroll">): Owed {
  const { subscriptionId: id, cardId } = world.idsOf(as);
  const start = { "/cardId": cardId, "/enrollmentType": "cardholder-single", "/state": "reqSCA" };
  return {
    requirement: "SUB-04",
    event: "cardsubscription.created",
    what: `cardsubscription.created of ${id}`,
    is: has("/id", id),
    wants: [values("SUB-04", start)],
    row: { table: "card subscription", row: 1, case: "cardholder-single" },
  };
}

type SubscriptionStep = StepOf<"clearSca" | "deactivate" | "upgrade" | "linkCard">;

/** Subscription, rows 3 to 6. */
function subscriptionChange(world: World, step: SubscriptionStep): Owed {
  const card = world.model.cards[step.card] as CardState;
  const { subscriptionId: id } = world.idsOf(step.card);
  const account = step.verb === "linkCard" ? step.account : card.account;
  const bankAccountId = account && world.idsOf(account).bankAccountId;
  const link = bankAccountId && `/bank-accounts/${bankAccountId}`;
  const bank = { "/bankAccountId": bankAccountId, "/_links/bankAccount/href": link };
  const type = { "/enrollmentType": card.enrollmentType };
  const table = "card subscription" as const;
  // An upgrade keeps its bank account and its new type, a linking its type.
  const keeping: RequirementId = card.wasUpgraded ? "SUB-06" : "SUB-07";
  const [missing, row, wants]: [RequirementId, number, Wanted[]] =
    step.verb === "clearSca"
      ? ["SUB-09", 3, [values("SUB-05", { "/state": "active" }), values(keeping, bank)]]
      : step.verb === "deactivate"
        ? ["SUB-09", 4, [values("SUB-05", { "/state": "deactivated" }), values(keeping, bank)]]
        : step.verb === "upgrade"
          ? ["SUB-06", 5, [values("SUB-06", { ...UPGRADED, ...bank })]]
          : ["SUB-07", 6, [values("SUB-07", { "/state": card.state, ...type, ...bank })]];
  const kept = step.verb === "upgrade" ? [] : [values(keeping, type)];
  return {
    requirement: missing,
    event: "cardsubscription.updated",
    what: `cardsubscription.updated of ${id} after ${step.verb}`,
    is: has("/id", id),
    wants: [...wants, ...kept],
    row: { table, row, case: card.state },
  };
}

const UPGRADED = { "/state": "reqSCA", "/enrollmentType": "cardholder-single" };

/** Feed, rows 1 and 2; subscription, row 2. */
function feedDecision(
  world: World,
  step: StepOf<"acceptFeed" | "rejectFeed">,
  result: unknown,
): Owed[] {
  const { feedId: id } = world.idsOf(step.feed);
  const isAccepted = step.verb === "acceptFeed";
  const count = world.model.feeds[step.feed]?.expectedCardCount;
  const states = { "/oldState": "submitted", "/newState": isAccepted ? "active" : "failed" };
  const decision: Owed = {
    requirement: "NBF-04",
    event: "networkbulkfeed.statechanged",
    what: `networkbulkfeed.statechanged of ${id} to ${states["/newState"]}`,
    is: (body) => has("/id", id)(body) && textAt(body, "/oldState") === "submitted",
    wants: [
      values("NBF-04", states),
      values("NBF-03", { "/expectedCardCount": count }),
      ...(isAccepted ? [] : [reasonOfRejection]),
    ],
    once: "NBF-04",
    row: { table: "network bulk feed", row: isAccepted ? 1 : 2, case: "submitted" },
  };
  const start = {
    ...{ "/enrollmentType": "network-bulk", "/state": "active", "/networkBulkFeedId": id },
  };
  const created = isAccepted ? listAt(result, "subscriptionIds").map(String) : [];
  return [
    decision,
    ...created.map((subscriptionId): Owed => {
      return {
        requirement: "SUB-04",
        event: "cardsubscription.created",
        what: `cardsubscription.created of ${subscriptionId}`,
        is: has("/id", subscriptionId),
        wants: [values("SUB-04", start)],
        row: { table: "card subscription", row: 2, case: "network-bulk" },
      };
    }),
  ];
}

/** NBF-02: a driver's feeds are those of NETWORK_B, whose rejections have a reason. */
const reasonOfRejection = aText("NBF-02", "/errorReason", "the reason of the rejection");

/** Bank account, rows 1 to 3. */
function connectionChange(
  world: World,
  { verb, account }: StepOf<"expireConsent" | "disconnect" | "recover">,
): Owed {
  const { bankAccountId } = world.idsOf(account);
  const previousState = world.model.accounts[account]?.state ?? "active";
  const state = CONNECTION_OF[verb];
  const row = { expireConsent: 1, disconnect: 2, recover: 3 }[verb];
  const reason = aText("BAC-04", "/reason", "a reason, such as consent_expiring");
  return {
    requirement: "BAC-04",
    event: "bankaccount.state_changed",
    what: `bankaccount.state_changed of ${bankAccountId} to ${state}`,
    is: has("/bankAccountId", bankAccountId),
    wants: [
      values("BAC-04", { "/state": state }),
      values("BAC-03", { "/previousState": previousState }),
      ...(verb === "expireConsent" ? [reason] : []),
    ],
    once: "BAC-01",
    row: { table: "bank account connection", row, case: previousState },
  };
}

/** BLK-02, BLK-04, BLK-05; subscription, rows 2 and 6. */
function owedByCompletion(world: World, step: StepOf<"completeLink">): Owed[] {
  const { bankLinkId } = world.idsOf(step.link);
  const { accounts } = world.model.links[step.link] ?? { accounts: [] };
  const matched = accounts.flatMap(({ as, card }) => (card === undefined ? [] : [{ as, card }]));
  return [
    {
      requirement: "BLK-02",
      event: "banklink.completed",
      what: `banklink.completed of ${bankLinkId}`,
      is: has("/bankLinkId", bankLinkId),
      wants: matched.map(({ as, card }) => {
        return { requirement: "BLK-04", breaches: (event) => cardIsListed(event, world, as, card) };
      }),
      once: "BLK-02",
    },
    ...matched.map(({ as, card }) => linkedByDigits(world, as, card)),
  ];
}

/**
 * BLK-05: every card that a completion lists as created has a cardsubscription.created. Which
 * accounts get such a card is open.
 *
 * @param completion The delivery of banklink.completed.
 */
export function owedByCreatedCards(completion: unknown): Owed[] {
  return listAt(completion, "bankAccounts").flatMap((account) =>
    listAt(account, "cards").map((card): Owed => {
      const id = textAt(card, "/subscriptionId") ?? "";
      const start = { "/enrollmentType": "bank-feed", "/state": "active" };
      return {
        requirement: "BLK-05",
        event: "cardsubscription.created",
        what: `cardsubscription.created of ${id}, which the completion created`,
        is: has("/id", id),
        wants: [
          values("SUB-04", start),
          values("BLK-05", { "/cardId": textAt(card, "/id") }),
          values("SUB-03", { "/bankAccountId": textAt(account, "/id") }),
        ],
        row: { table: "card subscription", row: 2, case: "bank-feed" },
      };
    }),
  );
}

/** SUB-07: a completion links an enrolled card that an account's last 4 digits name. */
function linkedByDigits(world: World, account: Name, name: Name): Owed {
  const card = world.model.cards[name] as CardState;
  const { subscriptionId: id } = world.idsOf(name);
  // A completion by polling names its accounts only in the event.
  const bankAccountId = world.ids.get(account)?.bankAccountId;
  return {
    requirement: "SUB-07",
    event: "cardsubscription.updated",
    what: `cardsubscription.updated of ${id}, which the completion linked`,
    is: has("/id", id),
    wants: [
      values("SUB-07", {
        ...{ "/state": card.state, "/enrollmentType": card.enrollmentType },
        ...(bankAccountId !== undefined && { "/bankAccountId": bankAccountId }),
      }),
    ],
    row: { table: "card subscription", row: 6, case: card.state },
  };
}

function cardIsListed(event: Message, world: World, account: Name, card: Name): Breach[] {
  const { cardId, last4 } = world.idsOf(card);
  const bankAccountId = world.ids.get(account)?.bankAccountId;
  const accounts = listAt(bodyOf(event), "bankAccounts");
  const at = accounts.findIndex((one) =>
    bankAccountId === undefined
      ? textAt(one, "/mask") === last4
      : textAt(one, "/id") === bankAccountId,
  );
  if (listAt(accounts[at], "cardIds").includes(cardId)) return [];
  const path = at < 0 ? "/bankAccounts" : `/bankAccounts/${at}/cardIds`;
  return [breachAt(event, path, `card ${cardId}, which has its last 4 digits`)];
}
