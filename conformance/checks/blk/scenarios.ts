import type { Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { Assertions, breachAt, ClaimAssertions } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { allDeliveries, CONNECTED, hasVerbs, LINKED } from "../../scenarios/act.ts";
import { type Completion, completedTwice, completions } from "../../scenarios/completions.ts";
import {
  distinctEvents,
  findEvents,
  listAt,
  undueEvents,
} from "../../scenarios/find-deliveries.ts";
import { ifPossible } from "../../scenarios/lifecycles.ts";
import { accountIn, isCompleted, linked, linksCompletedByPolling } from "../../scenarios/links.ts";
import { driverHint } from "../../skip.ts";
import type { Delivery } from "../../wire/exchange.ts";

const NO_COMPLETION = "no completion of the bank link was announced: see BLK-02";
const CREATED = "cardsubscription.created" as const;

/** Checks of the events of a bank link's completion and of the cards that it creates. */
export const bankLinkChecks: readonly Check[] = [
  // BLK-01: banklink.completed has bankLinkId and bankAccounts[] with id, name, mask (last 4
  // digits), type, cardIds.
  {
    claims: ["BLK-01.fields", "BLK-01.mask", "BLK-01.every-account", "BLK-01.type"],
    title: "a completion lists every account of the link as the bank shows it",
    requires: LINKED,
    run: async (session) => {
      const { completed, missing } = await completions(session);
      const assertions = new ClaimAssertions();
      for (const completion of completed) {
        const { bankLinkId, situation, card, accountIds } = completion;
        const events = findEvents(completion.deliveries, "banklink.completed", {
          "/bankLinkId": bankLinkId,
        });
        for (const event of events.slice(0, 1)) {
          const listed = listAt(event.json, "bankAccounts");
          assertions.of("BLK-01.fields", situation).hasValues(event, { "/bankLinkId": bankLinkId });
          for (const id of accountIds) {
            const isListed = listed.some((account) => memberOf(account, "id") === id);
            const every = assertions.of("BLK-01.every-account");
            every.check(isListed, breachAt(event, "/bankAccounts", `bank account ${id}`));
          }
          listed.forEach((account, at) => {
            const index = accountIds.indexOf(String(memberOf(account, "id")));
            if (index < 0) return;
            const path = `/bankAccounts/${at}`;
            const isCredit = index < 2;
            const type = assertions.of("BLK-01.type");
            const expected = isCredit ? "credit" : "the type of an account that is not credit";
            const isRight = (memberOf(account, "type") === "credit") === isCredit;
            type.check(isRight, breachAt(event, `${path}/type`, expected));
            if (index === 0) {
              const mask = assertions.of("BLK-01.mask", "credit");
              mask.hasValues(event, { [`${path}/mask`]: card.last4 });
            }
          });
        }
      }
      return assertions.result(NO_COMPLETION, missing);
    },
  },
  // BLK-02: Exactly one banklink.completed per completion, whether completed by PATCH, by the
  // hosted flow's notification or by the polling fallback.
  {
    claims: ["BLK-02.exactly-one"],
    title: "a completion by notification sends one banklink.completed",
    requires: LINKED,
    run: async (session) => {
      const { bankLinkId, resource } = await linked(session);
      // The polling that follows must not complete the link again.
      if (hasVerbs(session, "advance")) await ifPossible(() => linksCompletedByPolling(session));
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      isCompletedOnce(assertions, all, { bankLinkId, resource, situation: "by-notification" });
      return assertions.result(NO_COMPLETION);
    },
  },
  {
    claims: ["BLK-02.exactly-one"],
    title: "a completion by polling sends one banklink.completed",
    requires: CONNECTED,
    run: async (session) => {
      const links = await linksCompletedByPolling(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      const isDue = (one: string) => hasVerbs(session, "advance") || isCompleted(one)(all);
      const due = links.filter(({ bankLinkId }) => isDue(bankLinkId));
      for (const link of due) {
        isCompletedOnce(assertions, all, { ...link, situation: "by-polling" });
      }
      const reason = "polling did not complete the link while the run waited";
      return due.length > 0 ? assertions.result(reason) : new Skip(reason, driverHint("advance"));
    },
  },
  {
    claims: ["BLK-02.exactly-one"],
    title: "each way to complete a link sends one banklink.completed",
    requires: LINKED,
    run: async (session) => {
      const { completed, missing } = await completions(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      for (const link of completed) isCompletedOnce(assertions, all, link);
      return assertions.result(NO_COMPLETION, missing);
    },
  },
  {
    claims: ["BLK-02.two-ways"],
    title: "a link that is completed in two ways sends one banklink.completed",
    requires: LINKED,
    run: async (session) => {
      const { completed, missing } = await completedTwice(session);
      const all = await allDeliveries(session);
      const assertions = new Assertions();
      for (const { bankLinkId, situations, first, later } of completed) {
        const [sent, ...more] = [...first, ...later];
        // BLK-02.exactly-one reports a missing event.
        if (!sent) continue;
        const [undue] = undueEvents(more, [sent], all);
        assertions.of("BLK-02.two-ways", ...situations).check(undue === undefined, {
          expected: `one banklink.completed of ${bankLinkId}, whichever way is second`,
          actual: "another one was delivered",
          evidence: [undue ?? sent, sent],
        });
      }
      return assertions.result(NO_COMPLETION, missing);
    },
  },
  // BLK-03: bankAccounts[].cards is present only for credit accounts for which completion created a
  // bank-feed enrollment, with id, subscriptionId, last4digits, network in lower case,
  // enrollmentType bank-feed; those ids are in cardIds too.
  {
    claims: ["BLK-03.created-cards", "BLK-03.fields", "BLK-03.in-card-ids", "BLK-03.absent"],
    title: "a completion lists exactly the cards that it created",
    requires: LINKED,
    run: async (session) => {
      const { completed, missing } = await completions(session);
      const assertions = new ClaimAssertions();
      for (const one of completed) {
        one.accountIds.forEach((id, at) => {
          createdCards(assertions, one, id, ACCOUNTS[at] ?? "credit");
        });
      }
      return assertions.result(NO_COMPLETION, missing);
    },
  },
  // BLK-04: cardIds lists every linked card, already enrolled cards matched by their last 4 digits
  // included.
  {
    claims: ["BLK-04.already-enrolled", "BLK-04.created", "BLK-04.no-others"],
    title: "cardIds includes an enrolled card with the account's last 4 digits",
    requires: LINKED,
    run: async (session) => {
      const { completed, missing } = await completions(session);
      const assertions = new ClaimAssertions();
      for (const { bankLinkId, situation, deliveries, card, other, accountIds } of completed) {
        accountIds.forEach((id, at) => {
          const found = accountIn(deliveries, bankLinkId, id);
          if (!found) return;
          const { delivery, path, account } = found;
          const cardIds = listAt(account, "cardIds");
          if (at === 0) {
            const expected = `the enrolled card ${card.cardId}, whose last 4 digits it shows`;
            assertions
              .of("BLK-04.already-enrolled", situation)
              .check(
                cardIds.includes(card.cardId),
                breachAt(delivery, `${path}/cardIds`, expected),
              );
          }
          for (const created of createdFor(deliveries, id)) {
            const cardId = memberOf(created.json, "cardId");
            const expected = `the created card ${cardId}`;
            const breach = breachAt(delivery, `${path}/cardIds`, expected, created);
            assertions.of("BLK-04.created").check(cardIds.includes(cardId), breach);
          }
          const strangers = [...(at > 0 ? [card] : []), ...(other ? [other] : [])];
          for (const { cardId, last4 } of strangers) {
            const expected = `no card with other digits, such as ${cardId}, which ends in ${last4}`;
            const breach = breachAt(delivery, `${path}/cardIds`, expected);
            assertions.of("BLK-04.no-others").check(!cardIds.includes(cardId), breach);
          }
          if (at === 2) {
            const breach = breachAt(delivery, `${path}/cardIds`, "[], as no card has its digits");
            assertions.of("BLK-04.no-others").check(cardIds.length === 0, breach);
          }
        });
      }
      return assertions.result(NO_COMPLETION, missing);
    },
  },
  // BLK-05: A cardsubscription.created is sent separately for every card that completion created.
  {
    claims: ["BLK-05.created-sent", "BLK-05.names-account", "BLK-05.not-for-existing"],
    title: "each card created by a completion has a cardsubscription.created",
    requires: LINKED,
    run: async (session) => {
      const { completed, missing } = await completions(session);
      const assertions = new ClaimAssertions();
      for (const { bankLinkId, situation, deliveries, card } of completed) {
        const [delivery] = findEvents(deliveries, "banklink.completed", {
          "/bankLinkId": bankLinkId,
        });
        if (!delivery) continue;
        for (const account of listAt(delivery.json, "bankAccounts")) {
          const bankAccountId = memberOf(account, "id");
          for (const one of listAt(account, "cards")) {
            const id = memberOf(one, "subscriptionId");
            const created = findEvents(deliveries, CREATED, { "/id": id });
            const sent = assertions.of("BLK-05.created-sent", situation);
            sent.wasDelivered(created, `cardsubscription.created of ${id}`, delivery);
            const values = { "/cardId": memberOf(one, "id"), "/bankAccountId": bankAccountId };
            for (const each of created.slice(0, 1)) {
              assertions.of("BLK-05.names-account").hasValues(each, values, delivery);
            }
          }
          // Its creation was announced before, without the account.
          const values = { "/cardId": card.cardId, "/bankAccountId": bankAccountId };
          const again = findEvents(deliveries, CREATED, values);
          const none = `no cardsubscription.created of the enrolled card ${card.cardId}`;
          assertions.of("BLK-05.not-for-existing").atMost(0, again, none);
        }
      }
      return assertions.result("the completion announced no new card", missing);
    },
  },
];

/** Asserts that a link has one banklink.completed (BLK-02). */
function isCompletedOnce(
  assertions: Pick<Assertions, "of">,
  all: readonly Delivery[],
  link: Pick<Completion, "bankLinkId" | "situation" | "resource">,
): void {
  const { bankLinkId, situation, resource } = link;
  const events = findEvents(all, "banklink.completed", { "/bankLinkId": bankLinkId });
  const what = `one banklink.completed of ${bankLinkId}`;
  const one = assertions.of("BLK-02.exactly-one", situation);
  one.wasDelivered(events, what, resource);
  one.atMost(1, distinctEvents(events, all), what);
}

/** What the accounts of a completed link are, in order. */
const ACCOUNTS: readonly Situation[] = ["already-enrolled", "credit", "depository"];

function createdCards(
  assertions: Pick<Assertions, "of">,
  { deliveries, bankLinkId, card, by }: Completion,
  bankAccountId: string,
  kind: Situation,
): void {
  const found = accountIn(deliveries, bankLinkId, bankAccountId);
  if (!found) return;
  const { delivery, path, account } = found;
  const created = createdFor(deliveries, bankAccountId);
  const cards = listAt(account, "cards");
  for (const subscription of created) {
    const id = memberOf(subscription.json, "id");
    const cardId = memberOf(subscription.json, "cardId");
    const isListed = cards.some(
      (one) => memberOf(one, "subscriptionId") === id && memberOf(one, "id") === cardId,
    );
    const expected = `the card ${cardId} of subscription ${id}`;
    assertions
      .of("BLK-03.created-cards", by === "notification" ? "first" : "second")
      .check(isListed, breachAt(delivery, `${path}/cards`, expected, subscription));
    const isLinked = listAt(account, "cardIds").includes(cardId);
    assertions
      .of("BLK-03.in-card-ids")
      .check(isLinked, breachAt(delivery, `${path}/cardIds`, expected, subscription));
  }
  const isNone = kind === "depository" || (kind === "already-enrolled" && created.length === 0);
  if (isNone) {
    const isMet = kind === "depository" || listAt(account, "cardIds").includes(card.cardId);
    const absent = assertions.of("BLK-03.absent", ...(isMet ? [kind] : []));
    absent.hasValues(delivery, { [`${path}/cards`]: undefined });
  }
  const mask = memberOf(account, "mask");
  cards.forEach((one, at) => {
    assertions.of("BLK-03.fields").hasValues(delivery, {
      [`${path}/cards/${at}/last4digits`]: mask,
      [`${path}/cards/${at}/enrollmentType`]: "bank-feed",
    });
    const isNew = memberOf(one, "id") !== card.cardId;
    const expected = "a card that the completion created, not one enrolled before";
    const breach = breachAt(delivery, `${path}/cards/${at}/id`, expected);
    assertions.of("BLK-03.created-cards").check(isNew, breach);
  });
}

/** The announcements of the cards that a completion created for an account. */
function createdFor(deliveries: readonly Delivery[], bankAccountId: string): Delivery[] {
  const values = { "/enrollmentType": "bank-feed", "/bankAccountId": bankAccountId };
  return findEvents(deliveries, CREATED, values);
}
