import type { ClaimId } from "../../../generated/requirements.ts";
import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf, ClaimAssertions, differences } from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import { LINKED, runScenarios, type Scenarios, UPGRADED } from "../../scenarios/act.ts";
import { completions } from "../../scenarios/completions.ts";
import { findEvents, findMatches, listAt } from "../../scenarios/find-deliveries.ts";
import { accountIn, cardFromLink, linked } from "../../scenarios/links.ts";
import {
  bulkCardLinked,
  endedCardLinked,
  type SubscriptionChange,
} from "../../scenarios/subscription-changes.ts";
import {
  linkedLater,
  matchedInReqSca,
  syncedInReqSca,
  syncedWithCardInReqSca,
} from "../../scenarios/subscriptions.ts";
import type { Capability } from "../../target.ts";

const NOT_IN_REQ_SCA = "no subscription reached reqSCA by an upgrade: see SUB-06";

const CREATED = "cardsubscription.created" as const;
const UPDATED = "cardsubscription.updated" as const;

/** Checks of the bank side of subscriptions. */
export const subscriptionBankChecks: readonly Check[] = [
  // SUB-03: bankAccountId and _links.bankAccount are both present or both absent; bank-feed always
  // has them.
  {
    claims: ["SUB-03.own-account"],
    title: "a bank-derived card has the bank account that it comes from",
    requires: LINKED,
    run: async (session) => {
      const { deliveries, bankLinkId, unknownIds } = await linked(session);
      const assertions = new Assertions();
      const own = assertions.of("SUB-03.own-account", "bank-feed");
      for (const bankAccountId of unknownIds) {
        const found = accountIn(deliveries, bankLinkId, bankAccountId);
        if (!found) continue;
        for (const card of listAt(found.account, "cards")) {
          const id = memberOf(card, "subscriptionId");
          const values = { "/bankAccountId": bankAccountId };
          for (const one of findEvents(deliveries, "cardsubscription.created", { "/id": id })) {
            own.hasValues(one, values, found.delivery);
          }
        }
      }
      return assertions.result("the completion announced no new card");
    },
  },
  {
    claims: ["SUB-03.own-account"],
    title: "a card that is linked later has the bank account that it is linked to",
    requires: [...LINKED, "verb:linkCard"],
    run: async (session) => {
      const { completed, missing } = await linkedLater(session);
      const assertions = new Assertions();
      const own = assertions.of("SUB-03.own-account", "linked-later");
      for (const { resource, before, bankAccountId } of completed) {
        own.hasValues(resource, { "/bankAccountId": bankAccountId }, before);
      }
      return assertions.result("no card was linked", missing);
    },
  },
  // SUB-07: Linking a card to a connected bank account later adds bankAccountId and the link,
  // does not change state and enrollmentType, and sends cardsubscription.updated.
  gain(
    "a card that is linked later gains only its bank account",
    ["verb:linkCard"],
    async (session) => {
      const { completed, ...rest } = await linkedLater(session);
      const gained = completed.map((step) => ({ ...step, id: step.card.subscriptionId }));
      return { completed: gained, ...rest };
    },
  ),
  gain(
    "a network-bulk card that is linked later gains only its bank account",
    ["verb:linkCard", "verb:submitFeed", "verb:acceptFeed"],
    (session) => runScenarios(() => bulkCardLinked(session)),
  ),
  gain(
    "a card that is linked after its end gains only its bank account",
    ["verb:linkCard", "verb:deactivate"],
    (session) => runScenarios(() => endedCardLinked(session)),
  ),
  gain(
    "an enrolled card linked by a completion gains only its bank account",
    [],
    async (session) => {
      const { completed } = await completions(session);
      // BLK-04 checks that the card is found by its last 4 digits.
      const withAccount = completed.filter(({ after }) => {
        return memberOf(bodyOf(after), "bankAccountId") !== undefined;
      });
      const gained = withAccount.map(({ deliveries, before, after, card, accountIds }) => {
        const [bankAccountId] = accountIds;
        return { deliveries, before, resource: after, id: card.subscriptionId, bankAccountId };
      });
      return { completed: gained };
    },
  ),
  // SUB-10: For bank-derived cards cardsubscription.created is the only enrollment signal.
  {
    claims: ["SUB-10.only-signal"],
    title: "a bank-derived card is enrolled by cardsubscription.created only",
    requires: LINKED,
    run: async (session) => {
      const { subscriptionId } = await cardFromLink(session);
      const { deliveries, resource } = await linked(session);
      const assertions = new Assertions();
      const created = findEvents(deliveries, "cardsubscription.created", { "/id": subscriptionId });
      assertions.wasDelivered(created, `cardsubscription.created of ${subscriptionId}`, resource);
      // An update with the same state and bank account is a second signal; others are changes.
      const updates = findEvents(deliveries, "cardsubscription.updated", { "/id": subscriptionId });
      const again = updates.filter(({ json }) =>
        created.some(
          (one) =>
            memberOf(one.json, "state") === memberOf(json, "state") &&
            memberOf(one.json, "bankAccountId") === memberOf(json, "bankAccountId"),
        ),
      );
      assertions.atMost(0, again, "no cardsubscription.updated beside the one created");
      return assertions.result("no card was created");
    },
  },
  // SUB-08: While in reqSCA the bank side keeps working: bank transactions sync, match and are
  // announced.
  {
    claims: ["SUB-08.syncs"],
    title: "bank transactions sync and are announced in reqSCA",
    requires: [...UPGRADED, "verb:postAtBank"],
    run: async (session) => {
      const { result, deliveries, resource } = await syncedInReqSca(session);
      if (valueAt(bodyOf(resource), ["state"]) !== "reqSCA") return new Skip(NOT_IN_REQ_SCA);
      const id = result.bankTransactionId;
      const assertions = new Assertions();
      const events = findEvents(deliveries, "banktransaction.created", { "/id": id });
      assertions
        .of("SUB-08.syncs", "upgraded")
        .wasDelivered(events, `banktransaction.created of ${id}, while in reqSCA`, resource);
      return assertions.result(NOT_IN_REQ_SCA);
    },
  },
  {
    claims: ["SUB-08.matches"],
    title: "bank transactions match and are announced in reqSCA",
    requires: [...UPGRADED, "verb:linkCard", "verb:authorize", "verb:postAtBank"],
    run: async (session) => {
      const { result, deliveries, resource } = await matchedInReqSca(session);
      if (valueAt(bodyOf(resource), ["state"]) !== "reqSCA") return new Skip(NOT_IN_REQ_SCA);
      const id = result.bankTransactionId;
      const assertions = new Assertions();
      const what = `transaction.match.created of ${id}, while in reqSCA`;
      assertions.wasDelivered(findMatches(deliveries, id), what, resource);
      return assertions.result(NOT_IN_REQ_SCA);
    },
  },
  {
    claims: ["SUB-08.syncs"],
    title: "bank transactions sync while a linked card is in reqSCA",
    requires: [...LINKED, "verb:linkCard", "verb:postAtBank"],
    run: async (session) => {
      const { result, deliveries, resource } = await syncedWithCardInReqSca(session);
      if (valueAt(bodyOf(resource), ["state"]) !== "reqSCA") return new Skip(NOT_LINKED_IN_SCA);
      const id = result.bankTransactionId;
      const assertions = new Assertions();
      assertions
        .of("SUB-08.syncs", "linked-later")
        .wasDelivered(
          findEvents(deliveries, "banktransaction.created", { "/id": id }),
          `banktransaction.created of ${id}, while in reqSCA`,
          resource,
        );
      return assertions.result(NOT_LINKED_IN_SCA);
    },
  },
];

const NOT_LINKED_IN_SCA = "no card in reqSCA was linked to a bank account: see SUB-07";

/** The values of a subscription whose card is linked to an account. */
export function accountValues(bankAccountId: string) {
  const link = `/bank-accounts/${bankAccountId}`;
  return { "/bankAccountId": bankAccountId, "/_links/bankAccount/href": link };
}

interface Gain extends Pick<SubscriptionChange, "id" | "deliveries" | "before" | "resource"> {
  readonly bankAccountId: string;
}

/** Checks cards that are linked later (SUB-07). */
function gain(
  title: string,
  requires: readonly Capability[],
  linkCards: (session: Session) => Promise<Scenarios<Gain>>,
): Check {
  return {
    claims: ["SUB-07.gains-account", "SUB-07.state-kept", "SUB-07.type-kept", "SUB-07.updated"],
    title,
    requires: [...LINKED, ...requires],
    run: async (session) => {
      const assertions = new ClaimAssertions();
      const { completed, missing } = await linkCards(session);
      for (const one of completed) gains(assertions, one);
      return assertions.result("no card was linked: see BLK-04", missing);
    },
  };
}

/** Asserts that only the account and its link are added: state and type don't change (SUB-07). */
function gains(
  assertions: Pick<Assertions, "of">,
  { id, deliveries, before, resource, bankAccountId }: Gain,
): void {
  const was = bodyOf(before);
  const [state, type] = [memberOf(was, "state"), memberOf(was, "enrollmentType")];
  const situations = [
    ...(["cardholder-single", "network-bulk"] as const).filter((one) => one === type),
    ...(state === "reqSCA" ? (["in-reqsca"] as const) : []),
    ...(["active", "deactivated"] as const).filter((one) => one === state),
  ];
  const expected: readonly (readonly [ClaimId, Readonly<Record<string, unknown>>])[] = [
    ["SUB-07.gains-account", accountValues(bankAccountId)],
    ...(was === undefined
      ? []
      : ([
          ["SUB-07.state-kept", { "/state": state }],
          ["SUB-07.type-kept", { "/enrollmentType": type }],
        ] as const)),
  ];
  const updates = findEvents(deliveries, UPDATED, { "/id": id });
  const what = `cardsubscription.updated of ${id}`;
  const owed = assertions.of("SUB-07.updated", ...situations);
  owed.wasDelivered(updates, what, resource, (one) => {
    return expected.flatMap(([, values]) => differences(one, values, [before]));
  });
  for (const [claim, values] of expected) {
    assertions.of(claim, "alone", ...situations).hasValues(resource, values, before);
    if (updates.length === 0) continue;
    assertions
      .of(claim, "delivered", ...situations)
      .wasDelivered(updates, what, resource, (one) => {
        return differences(one, values, [before]);
      });
  }
  // Its creation was announced before.
  const second = findEvents(deliveries, CREATED, { "/id": id }).filter(
    ({ json }) => memberOf(json, "bankAccountId") !== undefined,
  );
  const none = "no second cardsubscription.created of a linked card";
  assertions.of("SUB-07.updated").atMost(0, second, none);
}
