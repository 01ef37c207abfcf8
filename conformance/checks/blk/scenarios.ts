import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { Assertions, bodyOf, breachAt, differences } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { driverHint } from "../../run/skip.ts";
import { allDeliveries, hasVerb, runScenarios } from "../../scenarios/act.ts";
import {
  distinctEvents,
  findEvents,
  findMatches,
  listAt,
} from "../../scenarios/find-deliveries.ts";
import { accountIn, cardFromLink, linkCompletedByPolling, linked } from "../../scenarios/links.ts";
import { matchedInReqSca, syncedInReqSca } from "../../scenarios/subscriptions.ts";
import { CONNECTED, LINKED, UPGRADED } from "../shared/scenario-capabilities.ts";

const NO_COMPLETION = "no completion of the bank link was announced: see BLK-02";

/** Checks of the events of a bank link's completion and of the cards that it creates. */
export const bankLinkChecks: readonly Check[] = [
  // BLK-02: Exactly one banklink.completed per completion, whether completed by PATCH, by the
  // hosted flow's notification or by the polling fallback.
  {
    requirement: "BLK-02",
    title: "a completion by notification sends one banklink.completed",
    requires: LINKED,
    run: async (session) => {
      const { bankLinkId, resource } = await linked(session);
      // The polling that follows must not complete the link again.
      if (hasVerb(session, "advance"))
        await runScenarios<unknown>(
          () => linked(session),
          () => linkCompletedByPolling(session),
        );
      const all = await allDeliveries(session);
      const events = findEvents(all, "banklink.completed", { "/bankLinkId": bankLinkId });
      const assertions = new Assertions();
      const what = `one banklink.completed of ${bankLinkId}`;
      assertions.wasDelivered(events, what, resource);
      assertions.atMost(1, distinctEvents(events, all), what);
      return assertions.result(NO_COMPLETION);
    },
  },
  {
    requirement: "BLK-02",
    title: "a completion by polling sends one banklink.completed",
    requires: CONNECTED,
    alternative: true,
    run: async (session) => {
      const { bankLinkId, deliveries, resource } = await linkCompletedByPolling(session);
      const all = await allDeliveries(session);
      const events = findEvents(all, "banklink.completed", { "/bankLinkId": bankLinkId });
      if (events.length === 0 && deliveries.length === 0 && !hasVerb(session, "advance")) {
        const hint = driverHint("advance");
        return new Skip("polling did not complete the link while the run waited", hint);
      }
      const assertions = new Assertions();
      const what = `one banklink.completed of ${bankLinkId}`;
      assertions.wasDelivered(events, what, resource);
      assertions.atMost(1, distinctEvents(events, all), what);
      return assertions.result(NO_COMPLETION);
    },
  },
  // BLK-03: bankAccounts[].cards is present only for credit accounts for which completion created a
  // bank-feed enrollment, with id, subscriptionId, last4digits, network in lower case,
  // enrollmentType bank-feed; those ids are in cardIds too.
  {
    requirement: "BLK-03",
    title: "a completion lists exactly the cards that it created",
    requires: LINKED,
    alternative: true,
    run: async (session) => {
      const { deliveries, bankLinkId, creditId, unknownIds, plainId, card } = await linked(session);
      const assertions = new Assertions();
      for (const bankAccountId of [creditId, ...unknownIds, plainId]) {
        const found = accountIn(deliveries, bankLinkId, bankAccountId);
        if (!found) continue;
        const { delivery, path, account } = found;
        const values = { "/enrollmentType": "bank-feed", "/bankAccountId": bankAccountId };
        const created = findEvents(deliveries, "cardsubscription.created", values);
        const cards = listAt(account, "cards");
        for (const subscription of created) {
          const id = memberOf(subscription.json, "id");
          const cardId = memberOf(subscription.json, "cardId");
          const isListed = cards.some(
            (one) => memberOf(one, "subscriptionId") === id && memberOf(one, "id") === cardId,
          );
          const expected = `the card ${cardId} of subscription ${id}`;
          assertions.check(isListed, breachAt(delivery, `${path}/cards`, expected, subscription));
          const isLinked = listAt(account, "cardIds").includes(cardId);
          assertions.check(isLinked, breachAt(delivery, `${path}/cardIds`, expected, subscription));
        }
        if (bankAccountId === plainId)
          assertions.hasValues(delivery, { [`${path}/cards`]: undefined });
        const mask = memberOf(account, "mask");
        cards.forEach((one, at) => {
          assertions.hasValues(delivery, {
            [`${path}/cards/${at}/last4digits`]: mask,
            [`${path}/cards/${at}/enrollmentType`]: "bank-feed",
          });
          const isNew = memberOf(one, "id") !== card.cardId;
          const expected = "a card that the completion created, not one enrolled before";
          assertions.check(isNew, breachAt(delivery, `${path}/cards/${at}/id`, expected));
        });
      }
      return assertions.result(NO_COMPLETION);
    },
  },
  // BLK-04: cardIds lists every linked card, already enrolled cards matched by their last 4 digits
  // included.
  {
    requirement: "BLK-04",
    title: "cardIds includes an enrolled card with the account's last 4 digits",
    requires: LINKED,
    run: async (session) => {
      const { deliveries, bankLinkId, creditId, card } = await linked(session);
      const found = accountIn(deliveries, bankLinkId, creditId);
      if (!found) return new Skip(NO_COMPLETION);
      const { delivery, path, account } = found;
      const assertions = new Assertions();
      const isLinked = listAt(account, "cardIds").includes(card.cardId);
      const expected = `the enrolled card ${card.cardId}, whose last 4 digits it shows`;
      assertions.check(isLinked, breachAt(delivery, `${path}/cardIds`, expected));
      return assertions.result(NO_COMPLETION);
    },
  },
  // BLK-05: A cardsubscription.created is sent separately for every card that completion created.
  {
    requirement: "BLK-05",
    title: "each card created by a completion has a cardsubscription.created",
    requires: LINKED,
    run: async (session) => {
      const { deliveries, bankLinkId, creditId, unknownIds } = await linked(session);
      const assertions = new Assertions();
      for (const bankAccountId of [creditId, ...unknownIds]) {
        const found = accountIn(deliveries, bankLinkId, bankAccountId);
        for (const card of listAt(found?.account, "cards")) {
          const id = memberOf(card, "subscriptionId");
          if (!found) continue;
          assertions.wasDelivered(
            findEvents(deliveries, "cardsubscription.created", { "/id": id }),
            `cardsubscription.created of ${id}`,
            found.delivery,
            (one) => differences(one, { "/cardId": memberOf(card, "id") }, [found.delivery]),
          );
        }
      }
      return assertions.result("the completion announced no new card");
    },
  },
  // SUB-10: For bank-derived cards cardsubscription.created is the only enrollment signal.
  {
    requirement: "SUB-10",
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
    requirement: "SUB-08",
    title: "bank transactions sync and are announced in reqSCA",
    requires: [...UPGRADED, "verb:postAtBank"],
    run: async (session) => {
      const { result, deliveries, resource } = await syncedInReqSca(session);
      if (valueAt(bodyOf(resource), ["state"]) !== "reqSCA") return new Skip(NOT_IN_REQ_SCA);
      const id = result.bankTransactionId;
      const assertions = new Assertions();
      const events = findEvents(deliveries, "banktransaction.created", { "/id": id });
      assertions.wasDelivered(
        events,
        `banktransaction.created of ${id}, while in reqSCA`,
        resource,
      );
      return assertions.result(NOT_IN_REQ_SCA);
    },
  },
  {
    requirement: "SUB-08",
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
];

const NOT_IN_REQ_SCA = "no subscription reached reqSCA by an upgrade: see SUB-06";
