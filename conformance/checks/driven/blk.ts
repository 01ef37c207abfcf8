import { memberOf, valueAt } from "../../../src/contract/pointer.ts";
import { type Check, Skip } from "../../check.ts";
import { allDeliveries, has, tellEach } from "../../driven/act.ts";
import { accountIn, linked, minted, polled } from "../../driven/links.ts";
import { bodyOf, breachAt, differences, Look } from "../../driven/look.ts";
import { matchedInReqSca, syncedInReqSca } from "../../driven/subscriptions.ts";
import { listAt, matchesOf, ofEvent, sent } from "../../driven/told.ts";
import { CONNECTED, LINKED, UPGRADED } from "./needs.ts";

const NO_COMPLETION = "no completion of the bank link was announced: see BLK-02";

/** Bank links: what their completion announces, and what it makes. */
export const bankLinkChecks: readonly Check[] = [
  {
    requirement: "BLK-02",
    title: "a notification completes a link with one banklink.completed",
    requires: LINKED,
    run: async (session) => {
      const { bankLinkId, shown } = await linked(session);
      // The polling comes later, and finds nothing to do.
      if (has(session, "advance"))
        await tellEach<unknown>(
          () => linked(session),
          () => polled(session),
        );
      const all = await allDeliveries(session);
      const events = ofEvent(all, "banklink.completed", { "/bankLinkId": bankLinkId });
      const look = new Look();
      const what = `one banklink.completed of ${bankLinkId}`;
      look.came(events, what, shown);
      look.atMost(1, sent(events, all), what);
      return look.found(NO_COMPLETION);
    },
  },
  {
    requirement: "BLK-02",
    title: "the polling completes a link with one banklink.completed",
    requires: CONNECTED,
    alternative: true,
    run: async (session) => {
      const { bankLinkId, told, shown } = await polled(session);
      const all = await allDeliveries(session);
      const events = ofEvent(all, "banklink.completed", { "/bankLinkId": bankLinkId });
      if (events.length === 0 && told.length === 0 && !has(session, "advance")) {
        const unskip = "give --driver MODULE with the verb advance";
        return new Skip("the polling did not find out while the run waited", unskip);
      }
      const look = new Look();
      const what = `one banklink.completed of ${bankLinkId}`;
      look.came(events, what, shown);
      look.atMost(1, sent(events, all), what);
      return look.found(NO_COMPLETION);
    },
  },
  {
    requirement: "BLK-03",
    title: "a completion tells of the cards that it created, and of no others",
    requires: LINKED,
    alternative: true,
    run: async (session) => {
      const { told, bankLinkId, creditId, unknownIds, plainId, card } = await linked(session);
      const look = new Look();
      for (const bankAccountId of [creditId, ...unknownIds, plainId]) {
        const found = accountIn(told, bankLinkId, bankAccountId);
        if (!found) continue;
        const { delivery, path, account } = found;
        const values = { "/enrollmentType": "bank-feed", "/bankAccountId": bankAccountId };
        const created = ofEvent(told, "cardsubscription.created", values);
        const cards = listAt(account, "cards");
        for (const subscription of created) {
          const id = memberOf(subscription.json, "id");
          const cardId = memberOf(subscription.json, "cardId");
          const isListed = cards.some(
            (one) => memberOf(one, "subscriptionId") === id && memberOf(one, "id") === cardId,
          );
          const expected = `the card ${cardId} of subscription ${id}`;
          look.that(isListed, breachAt(delivery, `${path}/cards`, expected, subscription));
          const isLinked = listAt(account, "cardIds").includes(cardId);
          look.that(isLinked, breachAt(delivery, `${path}/cardIds`, expected, subscription));
        }
        if (bankAccountId === plainId) look.has(delivery, { [`${path}/cards`]: undefined });
        const mask = memberOf(account, "mask");
        cards.forEach((one, at) => {
          look.has(delivery, {
            [`${path}/cards/${at}/last4digits`]: mask,
            [`${path}/cards/${at}/enrollmentType`]: "bank-feed",
          });
          const isNew = memberOf(one, "id") !== card.cardId;
          const expected = "a card that the completion created, not one enrolled before";
          look.that(isNew, breachAt(delivery, `${path}/cards/${at}/id`, expected));
        });
      }
      return look.found(NO_COMPLETION);
    },
  },
  {
    requirement: "BLK-04",
    title: "cardIds has an enrolled card with the account's last 4 digits",
    requires: LINKED,
    run: async (session) => {
      const { told, bankLinkId, creditId, card } = await linked(session);
      const found = accountIn(told, bankLinkId, creditId);
      if (!found) return new Skip(NO_COMPLETION);
      const { delivery, path, account } = found;
      const look = new Look();
      const isLinked = listAt(account, "cardIds").includes(card.cardId);
      const expected = `the enrolled card ${card.cardId}, whose last 4 digits it shows`;
      look.that(isLinked, breachAt(delivery, `${path}/cardIds`, expected));
      return look.found(NO_COMPLETION);
    },
  },
  {
    requirement: "BLK-05",
    title: "each card that a completion created is announced by itself",
    requires: LINKED,
    run: async (session) => {
      const { told, bankLinkId, creditId, unknownIds } = await linked(session);
      const look = new Look();
      for (const bankAccountId of [creditId, ...unknownIds]) {
        const found = accountIn(told, bankLinkId, bankAccountId);
        for (const card of listAt(found?.account, "cards")) {
          const id = memberOf(card, "subscriptionId");
          if (!found) continue;
          look.came(
            ofEvent(told, "cardsubscription.created", { "/id": id }),
            `cardsubscription.created of ${id}`,
            found.delivery,
            (one) => differences(one, { "/cardId": memberOf(card, "id") }, [found.delivery]),
          );
        }
      }
      return look.found("the completion told of no card that it created");
    },
  },
  {
    requirement: "SUB-10",
    title: "a bank-derived card is enrolled by cardsubscription.created alone",
    requires: LINKED,
    run: async (session) => {
      const { subscriptionId } = await minted(session);
      const { told, shown } = await linked(session);
      const look = new Look();
      const created = ofEvent(told, "cardsubscription.created", { "/id": subscriptionId });
      look.came(created, `cardsubscription.created of ${subscriptionId}`, shown);
      // An update that says nothing else is a second signal; one that does tells of a change.
      const updates = ofEvent(told, "cardsubscription.updated", { "/id": subscriptionId });
      const again = updates.filter(({ json }) =>
        created.some(
          (one) =>
            memberOf(one.json, "state") === memberOf(json, "state") &&
            memberOf(one.json, "bankAccountId") === memberOf(json, "bankAccountId"),
        ),
      );
      look.atMost(0, again, "no cardsubscription.updated beside the one created");
      return look.found("no card was created");
    },
  },
  {
    requirement: "SUB-08",
    title: "bank transactions sync and are announced in reqSCA",
    requires: [...UPGRADED, "verb:postAtBank"],
    run: async (session) => {
      const { result, told, shown } = await syncedInReqSca(session);
      if (valueAt(bodyOf(shown), ["state"]) !== "reqSCA") return new Skip(NOT_IN_REQ_SCA);
      const id = result.bankTransactionId;
      const look = new Look();
      const events = ofEvent(told, "banktransaction.created", { "/id": id });
      look.came(events, `banktransaction.created of ${id}, while in reqSCA`, shown);
      return look.found(NOT_IN_REQ_SCA);
    },
  },
  {
    requirement: "SUB-08",
    title: "bank transactions match and are announced in reqSCA",
    requires: [...UPGRADED, "verb:linkCard", "verb:authorize", "verb:postAtBank"],
    run: async (session) => {
      const { result, told, shown } = await matchedInReqSca(session);
      if (valueAt(bodyOf(shown), ["state"]) !== "reqSCA") return new Skip(NOT_IN_REQ_SCA);
      const id = result.bankTransactionId;
      const look = new Look();
      const what = `transaction.match.created of ${id}, while in reqSCA`;
      look.came(matchesOf(told, id), what, shown);
      return look.found(NOT_IN_REQ_SCA);
    },
  },
];

const NOT_IN_REQ_SCA = "no subscription came to reqSCA by an upgrade: see SUB-06";
