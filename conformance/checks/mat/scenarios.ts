import type { Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { amountsDiffer } from "../../../src/contract/rules/sum.ts";
import {
  Assertions,
  bodyOf,
  breachAt,
  ClaimAssertions,
  differences,
  type Message,
} from "../../assert.ts";
import { type Check, type Session, Skip } from "../../check.ts";
import { situationsOf } from "../../observe/situations.ts";
import { hasVerbs, POSTED, runScenarios, STANDALONE } from "../../scenarios/act.ts";
import {
  findEvents,
  findMatches,
  listAt,
  messageIdsOf,
  textAt,
} from "../../scenarios/find-deliveries.ts";
import { type InterleavedStep, interleaved, partsIn } from "../../scenarios/interleaved.ts";
import { lives } from "../../scenarios/lifecycles.ts";
import {
  bankMessageOf,
  type PostedPurchase,
  type PurchaseInParts,
  purchaseInParts,
  settled,
} from "../../scenarios/purchases.ts";
import { lateMatchOf, lateTwice } from "../../scenarios/standalones.ts";
import { Unmet } from "../../skip.ts";
import type { Delivery } from "../../wire/exchange.ts";

/** Checks matches of a purchase in parts. */
export const matchChecks: readonly Check[] = [
  // MAT-08: A purchase that clears in parts matches each bank debit to its own leg: one
  // transaction.match.created per debit, each with its own cardTransaction.id.
  {
    claims: ["MAT-08.one-each", "MAT-08.own-leg"],
    title: "each debit of a purchase in parts is matched to its own leg",
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const assertions = new ClaimAssertions();
      const { completed, missing } = await runScenarios<readonly SplitPurchase[]>(
        async () => [splitOf(await purchaseInParts(session))],
        // Without "verb:settle", a match may arrive after the next step.
        ...(hasVerbs(session, "settle") ? [() => splitInTurn(session)] : []),
      );
      for (const purchase of completed.flat()) matchEach(assertions, purchase);
      return assertions.result("the bank posted no parts", missing);
    },
  },
  {
    claims: ["MAT-08.leg-by-leg"],
    title: "each part of a purchase settles once, in any order of events",
    // Without "verb:settle", a match may arrive after the next step and change its result.
    requires: [...POSTED, "verb:clear", "verb:settle"],
    run: async (session) => {
      const { completed: purchases, missing } = await interleaved(session);
      const assertions = new Assertions();
      for (const { posted, ...one } of purchases.flatMap(withPosted)) {
        const { event, amounts, views, messages, step } = one;
        for (const id of bankMessagesSince(one)) {
          const updates = views.filter((view) => view !== step.resource);
          const isTold = updates.some((update) => messageIdsOf(bodyOf(update)).includes(id));
          assertions.of("MAT-08.leg-by-leg", ...posted).check(isTold, {
            expected: `a transaction.updated that lists the bank's message ${id} after ${event}`,
            actual: `${updates.length} updates without it`,
            evidence: [step.resource, ...updates],
          });
        }
        for (const view of views) {
          const parts = [...partsIn(view, messages).keys()];
          const amount = memberOf(bodyOf(view), "transactionSettledAmount");
          if (typeof amount !== "number" || parts.length === 0) continue;
          const settled = parts.reduce((sum, part) => sum + amounts[part], 0);
          const expected = `${settled.toFixed(2)} after ${event}: each part once`;
          const isRight = !amountsDiffer(amount, settled);
          const legs = assertions.of("MAT-08.leg-by-leg", ...posted);
          legs.check(isRight, breachAt(view, "/transactionSettledAmount", expected));
        }
      }
      return assertions.result("no part of a purchase was posted and cleared", missing);
    },
  },
];

/** Checks matches that settle a purchase. */
export const settlingMatchChecks: readonly Check[] = [
  // MAT-01: transaction.match.created has matchId, confidence, score, cardTransaction, reasons[]
  // and matches[] with the fields given.
  {
    claims: ["MAT-01.owed"],
    title: "a match that settles a purchase is announced",
    requires: POSTED,
    run: async (session) => {
      const assertions = new Assertions();
      const { completed, missing } = await runScenarios<readonly Posted[]>(
        async () => [await settled(session)],
        ...(hasVerbs(session, "clear") ? [() => postedOnEachNetwork(session)] : []),
      );
      const { networks } = session.capabilities;
      for (const posting of completed.flat()) {
        const { bankTransactionId, bankAccountId, cardId, deliveries, resource } = posting;
        const message = bankMessageOf(posting, bankTransactionId);
        if (!message) continue;
        assertions
          .of("MAT-01.owed", ...situationsOf(bodyOf(resource), networks))
          .wasDelivered(
            findMatches(deliveries, bankTransactionId),
            `transaction.match.created of ${bankTransactionId}`,
            message,
            (match) => [
              ...differences(match, { "/cardTransaction/cardId": cardId }, [message]),
              ...(bankAccountIn(match.json, bankTransactionId) === bankAccountId
                ? []
                : [breachAt(match, "/matches/0/bankAccountId", `"${bankAccountId}"`, message)]),
            ],
          );
      }
      return assertions.result("the bank's posting settled no purchase: see TXN-12", missing);
    },
  },
];

/** Checks whether and when late card data is matched. */
export const lateMatchChecks: readonly Check[] = [
  // MAT-02: confidence follows score: HIGH from 0.70, MEDIUM from 0.50, LOW from 0.20; nothing
  // below 0.20 is announced.
  {
    claims: ["MAT-02.none-below"],
    title: "late card data without a similar posting is not matched",
    requires: [...STANDALONE, "verb:tellLate"],
    run: async (session) => {
      const { matches, result } = await lateMatchOf(session, "NONE");
      const isExpected = result.confidence === "NONE";
      const undue = matches.filter(({ json }) => Number(memberOf(json, "score")) < LOWEST_SCORE);
      if (undue.length === 0 && matches.length > 0) {
        if (isExpected) throw new Unmet("tellLate promised no match, but one came");
        return new Skip("tellLate ignored that no match is wanted");
      }
      if (!isExpected && matches.length === 0) return new Skip("tellLate does not say NONE");
      const assertions = new Assertions();
      assertions.atMost(0, undue, "no transaction.match.created with a score below 0.20");
      return assertions.result("no card data arrived late");
    },
  },
  // MAT-09: Late card data triggers re-matching on a schedule dense at first and then sparser,
  // restarted by newer card data.
  {
    claims: ["MAT-09.restarted"],
    title: "newer card data is matched as soon as the card data before it",
    requires: [...STANDALONE, ...(["verb:tellLate", "verb:advance", "verb:settle"] as const)],
    run: async (session) => {
      const { first, second } = await lateTwice(session);
      if (!first.match || !second.match) return new Skip("late card data was not matched");
      if (first.within === 0) return new Skip("late card data was matched at once, not by a retry");
      // Retries may vary a little. Days after the first card data, its own retries are sparse.
      const longest = 4 * first.within + MINUTE_S;
      const assertions = new Assertions();
      assertions.check(second.after < longest, {
        expected: `a match within ${longest} s: the first came within ${first.within} s`,
        actual: `a match after more than ${second.after} s`,
        evidence: [second.match, first.match],
      });
      return assertions.result("late card data was not matched");
    },
  },
];

const MINUTE_S = 60;
const LOWEST_SCORE = 0.2;

type Posted = Pick<
  PostedPurchase,
  "deliveries" | "resource" | "messages" | "bankTransactionId" | "bankAccountId" | "cardId"
>;

async function postedOnEachNetwork(session: Session): Promise<readonly Posted[]> {
  const { completed } = await lives(session);
  return completed.flatMap(({ steps, cardId, bankAccountId }) =>
    steps.flatMap(({ bankTransactionId, ...step }) =>
      bankTransactionId === undefined
        ? []
        : [{ ...step, bankTransactionId, cardId, bankAccountId }],
    ),
  );
}

/** The debits of a purchase, and all deliveries since the first. */
interface SplitPurchase {
  readonly postings: readonly {
    readonly bankTransactionId: string;
    readonly when: Situation;
    readonly resource: Message;
  }[];
  readonly deliveries: readonly Delivery[];
}

/** All parts of this purchase are posted after it was cleared. */
function splitOf({ postings, deliveries }: PurchaseInParts): SplitPurchase {
  const when = "posted-last";
  return { postings: postings.map((one) => ({ ...one, when })), deliveries };
}

async function splitInTurn(session: Session): Promise<readonly SplitPurchase[]> {
  const { completed } = await interleaved(session);
  return completed.map((steps) => {
    const messages = [...(steps.at(-1)?.messages.values() ?? [])];
    // A debit is matched to its clearing leg, so it may wait until the network clears its part.
    const isCleared = (part: unknown) =>
      messages.some((one) => one.by === "clear" && one.part === part);
    return {
      postings: steps.flatMap(({ posting, views }) => {
        const resource = views.at(-1);
        return posting && resource && isCleared(posting.part) ? [{ ...posting, resource }] : [];
      }),
      deliveries: steps.flatMap(({ step }) => step.deliveries),
    };
  });
}

function matchEach(
  assertions: Pick<Assertions, "of">,
  { postings, deliveries }: SplitPurchase,
): void {
  const retracted = new Set(
    findEvents(deliveries, "transaction.match.deleted").map((one) => textAt(one.json, "/matchId")),
  );
  const matched = postings.map((posting) => ({
    ...posting,
    matches: findMatches(deliveries, posting.bankTransactionId),
  }));
  const levels = matched.flatMap(({ matches }) => matches.map(confidenceOf));
  // A debit that is uncertain to be a part may be matched with the whole purchase.
  if (levels.some((level) => level !== "HIGH")) return;
  const legs = new Map<unknown, Delivery>();
  for (const { bankTransactionId, when, resource, matches } of matched) {
    const what = `one transaction.match.created of ${bankTransactionId}`;
    const owed = assertions.of("MAT-08.one-each", when);
    owed.wasDelivered(matches, what, resource);
    // A clearing may replace a match.
    const live = matches.filter(({ json }) => !retracted.has(textAt(json, "/matchId")));
    const ids = new Map(live.map((one) => [memberOf(one.json, "matchId"), one]));
    owed.atMost(1, [...ids.values()], what);
    const [match] = live;
    if (!match) continue;
    const leg = textAt(match.json, "/cardTransaction/id");
    const other = legs.get(leg);
    const isOwn = other === undefined || other === match;
    const expected = "a different cardTransaction.id than the other debit";
    const breach = breachAt(match, "/cardTransaction/id", expected, ...(other ? [other] : []));
    assertions.of("MAT-08.own-leg", when).check(isOwn, breach);
    legs.set(leg, match);
  }
}

function confidenceOf({ json }: Delivery): unknown {
  return memberOf(json, "confidence");
}

/** Adds `when` of all postings up to and including each step. */
function withPosted(steps: readonly InterleavedStep[]) {
  return steps.map((step, at) => {
    const posted = steps.slice(0, at + 1).flatMap(({ posting }) => (posting ? [posting.when] : []));
    return { ...step, posted };
  });
}

/** The ids of the bank's messages that the API lists since a step. */
function bankMessagesSince({
  before,
  messages,
  step,
}: Pick<InterleavedStep, "before" | "messages" | "step">): string[] {
  const known = messageIdsOf(bodyOf(before));
  const listed = messageIdsOf(bodyOf(step.resource)).filter((id) => !known.includes(id));
  return bodyOf(before) === undefined ? [] : listed.filter((id) => messages.get(id)?.by === "post");
}

function bankAccountIn(match: unknown, bankTransactionId: string): unknown {
  const own = listAt(match, "matches").find((one) => memberOf(one, "id") === bankTransactionId);
  return memberOf(own, "bankAccountId");
}
