import type { ClaimId, Situation } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { amountsDiffer } from "../../../src/contract/rules/sum.ts";
import {
  type Assertions,
  bodyOf,
  breachAt,
  ClaimAssertions,
  differences,
  type Message,
} from "../../assert.ts";
import type { Check, Session, SeveralClaims } from "../../check.ts";
import {
  findEvents,
  findEventsOf,
  findMatches,
  hidesSource,
  messagesIn,
  textAt,
} from "../../observe/deliveries/find.ts";
import { bankTransactionIn, messageIdsOf, supersededIn } from "../../observe/feed.ts";
import { CLEARED_PARTS, PARTS_IN_TURN } from "../../scripts/money.ts";
import type { TransactionChange } from "../../verbs/changes.ts";
import { allDeliveries, hasVerbs, MONTH_S } from "../../verbs/drive.ts";
import { cents } from "../../verbs/model.ts";
import {
  type ConformanceScript,
  type PlayedScript,
  playedScripts,
  requiredBy,
} from "../../verbs/script-checks.ts";
import type { Step } from "../../verbs/step.ts";
import type { Delivery } from "../../wire/exchange.ts";

/**
 * Purchases whose parts are posted and cleared in turn. No row of the table of verbs can say which
 * part a match or a clearing is about.
 */
export const partChecks: readonly Check[] = [
  // MAT-08: A purchase that clears in parts matches each bank debit to its own leg: one
  // transaction.match.created per debit, each with its own cardTransaction.id.
  ofPurchases(
    ["MAT-08.one-each", "MAT-08.own-leg"],
    "each debit of a purchase in parts is matched to its own leg",
    matchEach,
    CLEARED_PARTS,
  ),
  ofPurchases(
    ["MAT-08.leg-by-leg"],
    "each part of a purchase settles once, in any order of events",
    settleEach,
  ),
  // TXN-13: When the network's own clearing arrives on a SETTLED transaction it stays SETTLED, the
  // settled amounts may be revised, and the provisional bank message becomes superseded; the
  // transaction.updated that announces the duplicate also marks it.
  ofPurchases(
    ["TXN-13.supersedes", "TXN-13.marks-in-same-event"],
    "the clearing of a part supersedes only the posting of that part",
    supersedeEach,
  ),
  ofPurchases(
    ["TXN-13.stays-settled", "TXN-13.updated"],
    "the clearing of each part of a posted purchase is announced",
    announceEach,
  ),
];

/** A purchase in parts, after each of its steps. */
type Purchase = readonly PartStep[];

/** A message that settles a part, or all of a purchase. */
interface PartMessage {
  readonly id: string;
  /** Its amount in cents, which tells its part. */
  readonly part: number;
  readonly by: "post" | "clear";
  /** Whether the purchase listed the bank's message before the network cleared the part. */
  readonly isProvisional: boolean;
}

/** A purchase after a posting or a clearing. */
interface PartStep {
  readonly change: TransactionChange;
  /** The part of the step in cents. */
  readonly part: number;
  /** The purchase's updates since the step, and the API's response after it. */
  readonly views: readonly Message[];
  /** The messages of its parts so far. */
  readonly messages: readonly PartMessage[];
  /** When the bank posts each part: before, between or after the clearings. */
  readonly posted: ReadonlyMap<number, Situation>;
  readonly whole: number;
}

function ofPurchases(
  claims: readonly [ClaimId, ...ClaimId[]],
  title: string,
  check: (purchase: Purchase, assertions: Pick<Assertions, "of">, all: readonly Delivery[]) => void,
  needed: ConformanceScript = PARTS_IN_TURN,
): Check {
  return {
    claims: claims as SeveralClaims,
    title,
    requires: requiredBy(needed),
    run: async (session) => {
      const played = await playedScripts(session, [CLEARED_PARTS, PARTS_IN_TURN]);
      const purchases = played.flatMap(purchasesIn);
      const all = await matchesOf(session, purchases);
      const assertions = new ClaimAssertions();
      for (const one of purchases) check(one, assertions, all);
      const missing = played.find((one) => one.missing)?.missing;
      return assertions.result("no part of a purchase was posted and cleared", missing);
    },
  };
}

/**
 * The deliveries of the run, once each debit of a cleared part is matched. A clearing is newer card
 * data, which may be matched later (MAT-09).
 */
function matchesOf(session: Session, purchases: readonly Purchase[]): Promise<readonly Delivery[]> {
  return session.share("parts are matched", async (own) => {
    const isMatched = (all: readonly Delivery[]) =>
      purchases.every((purchase) => {
        const matches = debitsOf(purchase).map(({ id }) => findMatches(all, id));
        // After an uncertain match, it is open which debits are matched.
        return matches.every(({ length }) => length > 0) || !matches.flat().every(isCertain);
      });
    for (const seconds of hasVerbs(own, "advance", "settle") ? MONTH_S : []) {
      if (isMatched(await allDeliveries(own))) break;
      await own.drive("advance", { seconds });
      await own.drive("settle", undefined);
    }
    return allDeliveries(own, hasVerbs(own, "settle") ? undefined : isMatched);
  });
}

/** A debit is matched to its clearing leg, so it may wait until the network clears its part. */
function debitsOf(steps: Purchase) {
  const cleared = new Set(
    steps.filter(({ change }) => change.step.verb === "clear").map(({ part }) => part),
  );
  return steps.flatMap(({ change, part, posted }) => {
    const id = change.step.verb === "postAtBank" && cleared.has(part) && debitOf(change, part);
    return id ? [{ id, when: posted.get(part), shown: change.resource }] : [];
  });
}

function purchasesIn({ script, steps, world }: PlayedScript): Purchase[] {
  const own = script.steps.filter(({ verb }) => verb === "authorize");
  return own.flatMap((begun): Purchase[] => {
    const { as } = begun as Step & { readonly as: string };
    const { transactionId } = world.idsOf(as);
    const changes = steps.flatMap((step) =>
      step.changes.filter((change) => change.transactionId === transactionId),
    );
    const partSteps = stepsOf(changes, world.deliveries);
    return partSteps ? [partSteps] : [];
  });
}

/** The steps of a purchase; undefined if no view shows which of its messages are the bank's. */
function stepsOf(
  changes: readonly TransactionChange[],
  deliveries: readonly Delivery[],
): Purchase | undefined {
  const [begun, ...others] = changes.filter(({ step }) => isPartStep(step));
  const whole = begun && cents((begun.step as { readonly amount: number }).amount);
  if (whole === undefined) return undefined;
  let left = whole;
  const parts = others.map(({ step }) => {
    const { amount } = step as { readonly amount?: number };
    const part = amount === undefined ? left : cents(amount);
    if (step.verb === "clear") left -= part;
    return part;
  });
  const posted = postedIn(others.map(({ step }, at) => ({ step, part: parts[at] as number })));
  const known = new Map<string, PartMessage>();
  const steps: PartStep[] = [];
  for (const [at, change] of others.entries()) {
    const { transactionId, step, messageId, resource, messages } = change;
    const bodies = messagesIn([...deliveries, ...messages, resource].map(bodyOf));
    const clearing = { by: "clear", part: parts[at] as number, isProvisional: false } as const;
    if (step.verb === "clear" && messageId) known.set(messageId, { id: messageId, ...clearing });
    for (const id of messageIdsOf(bodyOf(resource))) {
      const body = bodies.get(id);
      if (known.has(id)) continue;
      if (hidesSource(body)) return undefined;
      if (bankTransactionIn(body) === undefined) continue;
      const part = cents(Number(memberOf(body, "transactionAmount")));
      const isCleared = [...known.values()].some((one) => one.by === "clear" && one.part === part);
      known.set(id, { id, part, by: "post", isProvisional: !isCleared });
    }
    const updates = findEventsOf(change.deliveries, "transaction.updated", transactionId);
    steps.push({
      ...{ change, part: parts[at] as number, views: [...updates, resource] },
      ...{ messages: [...known.values()], posted, whole },
    });
  }
  return steps;
}

function isPartStep({ verb }: Step): boolean {
  return verb === "authorize" || verb === "postAtBank" || verb === "clear";
}

function postedIn(
  steps: readonly { readonly step: Step; readonly part: number }[],
): ReadonlyMap<number, Situation> {
  const isClearing = ({ step }: (typeof steps)[number]) => step.verb === "clear";
  const all = steps.filter(isClearing).length;
  const posts = [...steps.entries()].filter(([, { step }]) => step.verb === "postAtBank");
  return new Map(
    posts.map(([at, { part }]) => {
      const before = steps.slice(0, at).filter(isClearing).length;
      const isBetween = before > 0 && before < all;
      return [part, isBetween ? "posted-between" : before === 0 ? "posted-first" : "posted-last"];
    }),
  );
}

/** The settling messages that a view lists, by part. */
function partsIn(view: Message, messages: readonly PartMessage[]): Map<number, PartMessage[]> {
  const linked = messageIdsOf(bodyOf(view));
  return Map.groupBy(
    messages.filter(({ id }) => linked.includes(id)),
    ({ part }) => part,
  );
}

/** Each debit has one match, with a leg of its own. */
function matchEach(
  purchase: Purchase,
  assertions: Pick<Assertions, "of">,
  all: readonly Delivery[],
): void {
  const retracted = new Set(
    findEvents(all, "transaction.match.deleted").map(({ json }) => textAt(json, "/matchId")),
  );
  const debits = debitsOf(purchase);
  const matches = debits.map(({ id }) => findMatches(all, id));
  // A debit that is uncertain to be a part may be matched with the whole purchase.
  if (!matches.flat().every(isCertain)) return;
  const legs = new Map<unknown, Delivery>();
  for (const [at, { id, when, shown }] of debits.entries()) {
    const own = matches[at] ?? [];
    const situations = when ? [when] : [];
    const what = `one transaction.match.created of ${id}`;
    const owed = assertions.of("MAT-08.one-each", ...situations);
    owed.wasDelivered(own, what, shown);
    // A clearing may replace a match.
    const live = own.filter(({ json }) => !retracted.has(textAt(json, "/matchId")));
    const distinct = new Map(live.map((one) => [textAt(one.json, "/matchId"), one]));
    owed.atMost(1, [...distinct.values()], what);
    const [match] = live;
    if (!match) continue;
    const leg = textAt(match.json, "/cardTransaction/id");
    const other = legs.get(leg);
    const expected = "a different cardTransaction.id than the other debit";
    const breach = breachAt(match, "/cardTransaction/id", expected, ...(other ? [other] : []));
    assertions.of("MAT-08.own-leg", ...situations).check(other === undefined, breach);
    legs.set(leg, match);
  }
}

function isCertain({ json }: Delivery): boolean {
  return memberOf(json, "confidence") === "HIGH";
}

/** The bank transaction of a step, by its announcement. */
function debitOf({ deliveries }: TransactionChange, part: number): string | undefined {
  const [own] = findEvents(deliveries, "banktransaction.created").filter(
    ({ json }) => cents(Number(memberOf(json, "amount"))) === part,
  );
  return textAt(own?.json, "/id");
}

/** The settled amount is the sum of the parts that have a message, each once. */
function settleEach(steps: Purchase, assertions: Pick<Assertions, "of">): void {
  const situations: Situation[] = [];
  for (const { change, part, views, messages, posted, whole } of steps) {
    const when = posted.get(part);
    if (change.step.verb === "postAtBank" && when) situations.push(when);
    const legs = assertions.of("MAT-08.leg-by-leg", ...situations);
    for (const id of bankMessagesSince(change, messages)) {
      const updates = views.filter((view) => view !== change.resource);
      legs.check(
        updates.some((update) => messageIdsOf(bodyOf(update)).includes(id)),
        {
          expected: `a transaction.updated that lists the bank's message ${id}`,
          actual: `${updates.length} updates without it`,
          evidence: [change.resource, ...updates],
        },
      );
    }
    for (const view of views) {
      const parts = [...partsIn(view, messages).keys()];
      const amount = memberOf(bodyOf(view), "transactionSettledAmount");
      if (typeof amount !== "number" || parts.length === 0) continue;
      const sum = parts.includes(whole) ? whole : parts.reduce((all, one) => all + one, 0);
      const settled = sum / 100;
      const expected = `${settled.toFixed(2)}: each part once`;
      const breach = breachAt(view, "/transactionSettledAmount", expected);
      legs.check(!amountsDiffer(amount, settled), breach);
    }
  }
}

/** The bank's messages that the API lists since a step. */
function bankMessagesSince(
  { before, resource }: TransactionChange,
  messages: readonly PartMessage[],
): string[] {
  const known = messageIdsOf(before && bodyOf(before));
  const listed = messageIdsOf(bodyOf(resource)).filter((id) => !known.includes(id));
  const isBanks = (id: string) => messages.some((one) => one.id === id && one.by === "post");
  return before && bodyOf(before) !== undefined ? listed.filter(isBanks) : [];
}

/** One message of each part is in force: the network's, if it exists. */
function supersedeEach(steps: Purchase, assertions: Pick<Assertions, "of">): void {
  for (const { change, views, messages, posted, whole } of steps) {
    for (const view of views) {
      const linked = messageIdsOf(bodyOf(view));
      // TXN-07 reports a message that is not linked.
      if (messages.some(({ id }) => !linked.includes(id))) continue;
      const ids = supersededIn(bodyOf(view));
      const parts = partsIn(view, messages);
      const isAlone = view === change.resource;
      const claim = isAlone ? "TXN-13.supersedes" : "TXN-13.marks-in-same-event";
      for (const [part, own] of parts) {
        const inForce = own.filter(({ id }) => !ids.includes(id));
        const isCleared = own.some(({ by }) => by === "clear");
        const isAll = part !== whole && parts.has(whole);
        const isProvisional = isCleared && inForce.some((one) => one.isProvisional);
        const isRight = isAll ? inForce.length === 0 : inForce.length === 1 && !isProvisional;
        const expected = isAll
          ? `no message of part ${part / 100} in force, because all of it is cleared`
          : `one message of part ${part / 100} in force: the network's, if it exists`;
        const actual = `${inForce.length} in force`;
        const when = posted.get(part);
        const situations: readonly Situation[] = isAll
          ? ["posted-in-parts"]
          : isCleared && own.some(({ by }) => by === "post") && when
            ? [when]
            : [];
        const breach = { ...breachAt(view, "/supersededMessageIds", expected), actual };
        assertions.of(claim, ...situations).check(isRight, breach);
      }
    }
  }
}

/** The clearing of a part is announced, and the purchase stays settled. */
function announceEach(steps: Purchase, assertions: Pick<Assertions, "of">): void {
  for (const { change, views } of steps) {
    const { before, resource, step, kinds } = change;
    if (step.verb !== "clear" || textAt(before && bodyOf(before), "/status") !== "SETTLED")
      continue;
    const known = messageIdsOf(before && bodyOf(before));
    const added = messageIdsOf(bodyOf(resource)).filter((id) => !known.includes(id));
    const own = views.filter(
      (view) => view !== resource && added.every((id) => messageIdsOf(bodyOf(view)).includes(id)),
    ) as Delivery[];
    const what = `transaction.updated of ${change.transactionId} with the clearing`;
    assertions.of("TXN-13.updated", ...kinds).wasDelivered(own, what, resource);
    for (const view of [...own, resource]) {
      if (bodyOf(view) === undefined) continue;
      const breaches = differences(view, { "/status": "SETTLED" });
      assertions.of("TXN-13.stays-settled").all(breaches);
    }
  }
}
