import type { Situation } from "../../../generated/requirements.ts";
import { DEFAULT_NETWORKS } from "../../../src/contract/networks.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { OPEN_BANKING, SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import { Assertions, bodyOf, breachAt, differences, type Message } from "../../assert.ts";
import { type Breach, type Check, type Found, Skip } from "../../check.ts";
import { projectedMessages } from "../../observe/feed.ts";
import { situationsOf } from "../../observe/situations.ts";
import type { Session } from "../../run/session.ts";
import { driverHint } from "../../run/skip.ts";
import { allDeliveries, hasVerb, runScenarios, type Scenarios } from "../../scenarios/act.ts";
import { areInverted, findEvents, messageIdsOf, textAt } from "../../scenarios/find-deliveries.ts";
import { readTransaction } from "../../scenarios/read.ts";
import { rematched } from "../../scenarios/rematches.ts";
import {
  cardless,
  type LateMatch,
  lateMatch,
  lateMatchOf,
  type OfCards,
  ofDeactivatedCard,
  ofOneCard,
  type Standalone,
  standalone,
  uncertainLateMatch,
} from "../../scenarios/standalones.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { LINKED, POSTED, STANDALONE } from "../shared/scenario-capabilities.ts";

const NOTHING = "no transaction of a bank-only movement was announced: see TXN-15";
const NETTED = { "/transactionSettledAmount": 0, "/cardholderBillingSettledAmount": 0 };

/** Checks bank-only movements and their matches with late card data. */
export const bankOnlyChecks: readonly Check[] = [
  // TXN-14: A standalone bank-only transaction whose movement later matches a card, whatever the
  // confidence, stays SETTLED with its settled amounts revised to 0, and transaction.updated is
  // sent.
  {
    claims: ["TXN-14.netted", "TXN-14.stays-settled", "TXN-14.updated"],
    title: "a later card match revises a bank-only transaction to 0",
    requires: [...STANDALONE, "verb:tellLate"],
    run: async (session) => netting(await lateMatch(session)),
  },
  {
    claims: ["TXN-14.netted", "TXN-14.stays-settled", "TXN-14.updated"],
    title: "a later match of any confidence revises a bank-only transaction to 0",
    requires: [...STANDALONE, "verb:tellLate"],
    run: async (session) => {
      const { completed, missing } = await runScenarios<LateMatch>(
        () => uncertainLateMatch(session),
        () => lateMatchOf(session, "HIGH"),
        () => lateMatchOf(session, "MEDIUM"),
        () => lateMatchOf(session, "LOW"),
      );
      const found = netting(...completed);
      const isBroken = !(found instanceof Skip) && found.breaches.length > 0;
      return missing && !isBroken ? missing : found;
    },
  },
  {
    claims: ["TXN-14.netted"],
    title: "a movement that is matched again is not counted twice",
    // Without "verb:settle", the revision may follow later.
    requires: [...POSTED, "verb:rematch", "verb:settle"],
    run: async (session) => {
      const { completed, missing } = await rematched(session);
      const assertions = new Assertions();
      for (const { live, deliveries, purchase } of completed) {
        if (!live) continue;
        const breaches: Breach[] = [];
        for (const id of bankOnlyIn(deliveries, purchase.bankTransactionId)) {
          const view = await readTransaction(session, id);
          if (bodyOf(view) !== undefined) breaches.push(...differences(view, NETTED, [live]));
        }
        assertions.of("TXN-14.netted").all(breaches);
      }
      return assertions.result("no movement was matched again", missing);
    },
  },
  // TXN-15: A bank-only movement that is synced yields transactionmessage.created (a synthetic
  // FINL_ADVC), then transaction.created for a SETTLED transaction.
  {
    claims: ["TXN-15.message-event", "TXN-15.is-finl-advc", "TXN-15.transaction-event"],
    title: "a bank-only movement creates a message and a SETTLED transaction",
    requires: STANDALONE,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: movements, missing } = await standalones(session);
      for (const standalone of movements) {
        const { bankTransactionId, created, message, resource } = standalone;
        const owed = message ?? resource;
        const of = `of bank transaction ${bankTransactionId}`;
        const messageId = textAt(message?.json, "/id");
        const where = situationsOf(bodyOf(resource), session.capabilities.networks);
        const sent = assertions.of("TXN-15.message-event", ...where);
        sent.wasDelivered(message ? [message] : [], `transactionmessage.created ${of}`, resource);
        if (message) {
          const isFinal = assertions.of("TXN-15.is-finl-advc", ...where);
          isFinal.hasValues(message, { "/messageType": SETTLEMENT });
        }
        const settled = assertions.of("TXN-15.transaction-event", ...where);
        settled.wasDelivered(created ? [created] : [], `transaction.created ${of}`, owed, (one) => [
          ...differences(one, { "/status": "SETTLED" }),
          ...(messageId === undefined || messageIdsOf(one.json).includes(messageId)
            ? []
            : [breachAt(one, "/_links/messages", `a link to ${messageId}`, owed)]),
        ]);
        if (created) settled.hasValues(resource, { "/status": "SETTLED" }, created);
      }
      return assertions.result(NOTHING, missing);
    },
  },
  {
    claims: ["TXN-15.message-first"],
    title: "a bank-only message is announced before its transaction",
    requires: STANDALONE,
    run: async (session) => {
      const late = [
        () => uncertainLateMatch(session),
        ...(["HIGH", "MEDIUM", "LOW"] as const).map((level) => () => lateMatchOf(session, level)),
      ].map((scenario) => async () => (await scenario()).standalone);
      const { completed: standalone } = await standalones(
        session,
        () => ofOneCard(session),
        ...(hasVerb(session, "tellLate") ? late : []),
      );
      const pairs = standalone.flatMap(({ message, created }) => {
        return message && created ? ([[message, created]] as const) : [];
      });
      const [pair] = pairs;
      if (!pair) return new Skip(NOTHING);
      const [message, created] = pair;
      const assertions = new Assertions();
      assertions.check(!areInverted(pairs), {
        expected: "transactionmessage.created, then transaction.created",
        actual: `the opposite order, ${pairs.length} of ${pairs.length} times`,
        evidence: [created, message],
      });
      return assertions.result(NOTHING);
    },
  },
  // TXN-16: A bank-only transaction has network OPEN_BANKING and its message has no approvalCode
  // (absent or null), a transactionReference that starts with bank_, and a bankData block.
  {
    claims: ["TXN-16.network", "TXN-16.no-approval-code", "TXN-16.reference", "TXN-16.bank-data"],
    title: "a bank-only transaction and its message have bank-only field values",
    requires: STANDALONE,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed: movements, missing } = await standalones(session);
      for (const standalone of movements) checkBankOnlyFields(assertions, standalone);
      return assertions.result(NOTHING, missing);
    },
  },
  // TXN-17: With linked cards, a bank-only transaction's cardId is that of the account's oldest
  // linked card, while network stays OPEN_BANKING; on a card-less link it is null.
  {
    claims: ["TXN-17.oldest-card", "TXN-17.keeps-network"],
    title: "a bank-only transaction has its account's oldest linked card",
    requires: STANDALONE,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed } = await runScenarios<OfCards>(
        () => standalone(session),
        () => ofOneCard(session),
        ...(hasVerb(session, "linkCard") && hasVerb(session, "deactivate")
          ? [() => ofDeactivatedCard(session)]
          : []),
      );
      const all = await allDeliveries(session);
      for (const { created, resource, cardIds, bankAccountId, situation } of completed) {
        if (!created) continue;
        const isBefore = (delivery: Delivery) => all.indexOf(delivery) < all.indexOf(created);
        const where = situation ?? situationOfCards(all.filter(isBefore), bankAccountId);
        for (const view of [created, resource]) {
          if (bodyOf(view) === undefined) continue;
          const cardId = memberOf(bodyOf(view), "cardId");
          const isOldest = cardIds.some((one) => one === cardId);
          const breach = breachAt(view, "/cardId", cardIds.join(" or "));
          assertions.of("TXN-17.oldest-card", ...where).check(isOldest, breach);
          const keeps = assertions.of("TXN-17.keeps-network", ...where);
          keeps.hasValues(view, { "/network": OPEN_BANKING });
        }
      }
      return assertions.result(NOTHING);
    },
  },
  {
    claims: ["TXN-17.null-cardless"],
    title: "a bank-only transaction on a link without cards has no card",
    requires: STANDALONE,
    run: async (session) => {
      const { created, resource } = await cardless(session);
      if (!created) return new Skip(NOTHING);
      const assertions = new Assertions();
      for (const view of [created, resource]) {
        assertions.hasValues(view, {
          "/cardId": null,
          "/_links/card": undefined,
          "/network": OPEN_BANKING,
        });
      }
      return assertions.result(NOTHING);
    },
  },
  // MAT-09: Late card data triggers re-matching on a schedule dense at first and then sparser,
  // restarted by newer card data.
  {
    claims: ["MAT-09.rematched"],
    title: "late card data is matched within 30 days",
    requires: [...LINKED, "verb:postAtBank", "verb:tellLate"],
    run: async (session) => {
      const { matches, standalone, resource } = await lateMatch(session);
      if (matches.length === 0 && !hasVerb(session, "advance")) {
        const hint = driverHint("advance");
        return new Skip("no match was announced while the run waited; it may follow later", hint);
      }
      const assertions = new Assertions();
      const what = `transaction.match.created of ${standalone.bankTransactionId} within 30 days`;
      assertions.wasDelivered(matches, what, resource);
      return assertions.result(NOTHING);
    },
  },
];

/** The situation of an account by the cards that events linked to it. */
function situationOfCards(deliveries: readonly Delivery[], bankAccountId: string): Situation[] {
  const linked = (["cardsubscription.created", "cardsubscription.updated"] as const).flatMap(
    (name) => findEvents(deliveries, name, { "/bankAccountId": bankAccountId }),
  );
  const cards = new Set(linked.map(({ json }) => memberOf(json, "cardId")));
  if (cards.size === 0) return [];
  return [cards.size === 1 ? "one-linked-card" : "two-linked-cards"];
}

function standalones(
  session: Session,
  ...more: (() => Promise<Standalone>)[]
): Promise<Scenarios<Standalone>> {
  return runScenarios<Standalone>(
    () => standalone(session),
    () => cardless(session),
    ...more,
  );
}

/** The ids of the bank-only transactions that were created for a movement. */
function bankOnlyIn(deliveries: readonly Delivery[], bankTransactionId: string): string[] {
  const values = { "/bankData/bankTransactionId": bankTransactionId };
  const messages = findEvents(deliveries, "transactionmessage.created", values);
  const ids = messages.map(({ json }) => textAt(json, "/id"));
  return findEvents(deliveries, "transaction.created", { "/network": OPEN_BANKING })
    .filter(({ json }) => messageIdsOf(json).some((id) => ids.includes(id)))
    .flatMap(({ json }) => textAt(json, "/id") ?? []);
}

function netting(...late: readonly LateMatch[]): Found | Skip {
  const assertions = new Assertions();
  for (const { standalone, matches, deliveries, resource } of late) {
    const { transactionId } = standalone;
    const [match] = matches;
    if (transactionId === undefined || !match) continue;
    const where = situationsOf(match.json, DEFAULT_NETWORKS);
    assertions.meets(...where);
    assertions.wasDelivered(
      findEvents(deliveries, "transaction.updated", { "/id": transactionId }),
      `transaction.updated of ${transactionId} with its settled amounts revised to 0`,
      match,
      (update) => differences(update, { ...NETTED, "/status": "SETTLED" }, [match]),
    );
    assertions.hasValues(resource, { ...NETTED, "/status": "SETTLED" }, match);
  }
  return assertions.result("late card data was not matched: see MAT-09");
}

function checkBankOnlyFields(assertions: Assertions, standalone: Standalone): void {
  const { bankTransactionId, created, message, resource, messages } = standalone;
  if (!created) return;
  const ids = messageIdsOf(created.json);
  const projections = [created, resource].flatMap((view) =>
    (projectedMessages(bodyOf(view)) ?? [])
      .filter((one) => ids.includes(textAt(one, "/id") ?? ""))
      .map((body) => ({ view: view as Message, body })),
  );
  const whole = [...(message ? [message] : []), ...messages].map((view) => ({
    view: view as Message,
    body: bodyOf(view),
  }));
  const views = [...whole, ...projections].filter(({ body }) => body !== undefined);
  for (const view of [created, resource]) assertions.hasValues(view, { "/network": OPEN_BANKING });
  const expect = (view: Message, name: string, isMet: boolean, expected: string, body: unknown) =>
    assertions.check(isMet, {
      path: `/${name}`,
      expected: `${expected}, as on a bank-only message`,
      actual: JSON.stringify(memberOf(body, name)) ?? "nothing",
      evidence: [view],
    });
  for (const { view, body } of views) {
    const network = memberOf(body, "network");
    expect(view, "network", network === OPEN_BANKING, OPEN_BANKING, body);
    const code = memberOf(body, "approvalCode") ?? null;
    expect(view, "approvalCode", code === null, "no approvalCode", body);
    // A standalone message may be abridged. Below, at least one view must have the reference.
    const reference = memberOf(body, "transactionReference") ?? "bank_";
    const isBanks = String(reference).startsWith("bank_");
    expect(view, "transactionReference", isBanks, "a transactionReference bank_...", body);
  }
  const [first] = views;
  if (!first) return;
  const names = (body: unknown) => textAt(body, "/bankData/bankTransactionId");
  const hasBlock = views.some(({ body }) => names(body) !== undefined);
  const block = `a bankData of ${bankTransactionId}`;
  expect(first.view, "bankData", hasBlock, block, first.body);
  const hasReference = views.some(({ body }) => textAt(body, "/transactionReference"));
  expect(first.view, "transactionReference", hasReference, "a transactionReference", first.body);
}
