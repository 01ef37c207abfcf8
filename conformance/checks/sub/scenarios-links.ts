import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { LINKED, UPGRADED } from "../../scenarios/act.ts";
import { findEvents, findMatches, listAt } from "../../scenarios/find-deliveries.ts";
import { accountIn, cardFromLink, linked } from "../../scenarios/links.ts";
import {
  linkedLater,
  matchedInReqSca,
  syncedInReqSca,
  syncedWithCardInReqSca,
} from "../../scenarios/subscriptions.ts";

const NOT_IN_REQ_SCA = "no subscription reached reqSCA by an upgrade: see SUB-06";

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
