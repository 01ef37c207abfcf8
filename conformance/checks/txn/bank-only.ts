import type { Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { OPEN_BANKING, SETTLEMENT } from "../../../src/contract/rules/vocabulary.ts";
import {
  Assertions,
  bodyOf,
  breachAt,
  ClaimAssertions,
  differences,
  type Message,
} from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import { projectedMessages } from "../../observe/feed.ts";
import { situationsOf } from "../../observe/situations.ts";
import {
  allDeliveries,
  hasVerbs,
  LINKED,
  runScenarios,
  type Scenarios,
  STANDALONE,
} from "../../scenarios/act.ts";
import {
  areInOneOrder,
  areInverted,
  findEvents,
  messageIdsOf,
  textAt,
} from "../../scenarios/find-deliveries.ts";
import { ifPossible } from "../../scenarios/lifecycles.ts";
import {
  type OfCards,
  type Standalone,
  specialPostings,
  syncedAfterRecovery,
} from "../../scenarios/postings.ts";
import {
  cardless,
  lateMatch,
  lateMatchOf,
  ofDeactivatedCard,
  ofOneCard,
  standalone,
  uncertainLateMatch,
} from "../../scenarios/standalones.ts";
import { driverHint } from "../../skip.ts";
import type { Delivery } from "../../wire/exchange.ts";

const NOTHING = "no transaction of a bank-only movement was announced: see TXN-15";
/** Further movements of an account without a card. */
const CARDLESS = [
  { amount: 61.35, merchant: "FJALLSTUGA ABISKO" },
  { amount: 118.09, merchant: "TERMAS DE CUNTIS" },
];

/** Checks bank-only movements and their matches with late card data. */
export const bankOnlyChecks: readonly Check[] = [
  // TXN-15: A bank-only movement that is synced yields transactionmessage.created (a synthetic
  // FINL_ADVC), then transaction.created for a SETTLED transaction.
  {
    claims: ["TXN-15.message-event", "TXN-15.is-finl-advc", "TXN-15.transaction-event"],
    title: "a bank-only movement creates a message and a SETTLED transaction",
    requires: STANDALONE,
    run: async (session) => {
      const assertions = new ClaimAssertions();
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
      const { completed } = await standalones(
        session,
        ...CARDLESS.map((posting) => () => cardless(session, posting)),
        () => ofOneCard(session),
        ...(hasVerbs(session, "tellLate") ? late : []),
      );
      const special = await ifPossible(() => specialPostings(session));
      const pairs = pairsOf(completed);
      const posted = special.flatMap(({ completed: own }) => own);
      const credits = pairsOf(posted.filter(({ situation }) => situation === "credit-posting"));
      // Deliveries may overtake each other (WHK-04): a group is conclusive only if each other group
      // arrived in one order too.
      const groups = [pairs, credits].flatMap((some) => [
        ...Map.groupBy(some, ([, { json }]) => memberOf(json, "cardId") === null).values(),
      ]);
      const isConclusive = groups.every(areInOneOrder);
      const assertions = new Assertions();
      for (const group of [pairs, ...groups]) {
        const [pair] = group;
        if (!pair) continue;
        const where: Situation[] = credits.includes(pair) ? ["credit-posting"] : [];
        const first = assertions.of("TXN-15.message-first", ...where);
        first.check(!(isConclusive && areInverted(group)), {
          expected: "transactionmessage.created, then transaction.created",
          actual: `the opposite order, ${group.length} of ${group.length} times`,
          evidence: pair.toReversed() as [Delivery, Delivery],
        });
      }
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
      const assertions = new ClaimAssertions();
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
      const assertions = new ClaimAssertions();
      const { completed } = await runScenarios<OfCards>(
        () => standalone(session),
        () => ofOneCard(session),
        ...(hasVerbs(session, "linkCard", "deactivate") ? [() => ofDeactivatedCard(session)] : []),
        ...(hasVerbs(session, "linkCard", "disconnect", "recover")
          ? [() => syncedAfterRecovery(session)]
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
      if (matches.length === 0 && !hasVerbs(session, "advance")) {
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

/** The events of movements that have both, in the order that the interface states. */
function pairsOf(movements: readonly Standalone[]): (readonly [Delivery, Delivery])[] {
  return movements.flatMap(({ message, created }) => {
    return message && created ? ([[message, created]] as const) : [];
  });
}

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

/** The claims on the fields of a bank-only message. */
const BANK_ONLY = {
  network: "TXN-16.network",
  approvalCode: "TXN-16.no-approval-code",
  transactionReference: "TXN-16.reference",
  bankData: "TXN-16.bank-data",
} as const;

function checkBankOnlyFields(assertions: Pick<Assertions, "of">, standalone: Standalone): void {
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
  const network = assertions.of("TXN-16.network");
  for (const view of [created, resource]) network.hasValues(view, { "/network": OPEN_BANKING });
  const expect = (
    view: Message,
    name: keyof typeof BANK_ONLY,
    isMet: boolean,
    expected: string,
    body: unknown,
  ) =>
    assertions.of(BANK_ONLY[name]).check(isMet, {
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
  // Without a projection, every view may be abridged.
  const isWhole = projections.length > 0;
  const hasBlock = views.some(({ body }) => names(body) !== undefined);
  const block = `a bankData of ${bankTransactionId}`;
  if (isWhole || hasBlock) expect(first.view, "bankData", hasBlock, block, first.body);
  const hasReference = views.some(({ body }) => textAt(body, "/transactionReference"));
  if (!isWhole && !hasReference) return;
  expect(first.view, "transactionReference", hasReference, "a transactionReference", first.body);
}
