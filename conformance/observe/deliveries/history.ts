import type { ClaimId } from "../../../generated/requirements.ts";
import { contentHash } from "../../../src/contract/history/content-hash.ts";
import type { HistoryFinding } from "../../../src/contract/history/delivery.ts";
import { HistoryCheck } from "../../../src/contract/history/history-check.ts";
import { checkEvent } from "../../../src/contract/validate.ts";
import type { ClaimBreach, Session } from "../../check.ts";
import type { Capabilities } from "../../target.ts";
import type { Delivery } from "../../wire/exchange.ts";
import { feedOf } from "../crawl.ts";
import type { Feed } from "../feed.ts";
import { type ValidatedDelivery, validatedDelivery } from "../validation.ts";
import { type ArrivalOrder, checkStateChanges, inBestOrder, isShuffled } from "./order.ts";
import {
  allNamed,
  type Correlation,
  correlationsOf,
  isDeliveryAttempt,
  isForSecondSubscription,
  isNamed,
  type Reading,
  readDeliveries,
  type TypedDelivery,
} from "./reading.ts";

/** What several deliveries of a run show together. */
export interface History {
  readonly deliveries: readonly Delivery[];
  readonly reading: Reading;
  /**
   * The claims that the deliveries could have violated, each with the deliveries that were a case;
   * none if only the end of the history was.
   */
  readonly cases: ReadonlyMap<ClaimId, ReadonlySet<Delivery>>;
  readonly breaches: readonly ClaimBreach[];
  /** What would be a breach if the run had every delivery; only without a driver. */
  readonly notices: readonly ClaimBreach[];
  /** Whether a later delivery may still resolve a breach. */
  readonly isOpen: boolean;
}

/**
 * Checks the run's history once, when no event is missing or the run stops waiting. Call
 * it only from checks that run at the end of a run.
 */
export function historyOf(session: Session): Promise<History> {
  return session.share("history", async (shared) => {
    const feed = await feedOf(shared);
    const { capabilities } = shared;
    let checked: { count: number; history: History } | undefined;
    const readHistory = (deliveries: readonly Delivery[]) => {
      if (checked?.count !== deliveries.length) {
        const history = checkHistory(deliveries, feed, capabilities);
        checked = { count: deliveries.length, history };
      }
      return checked.history;
    };
    return readHistory(await shared.deliveries((now) => !readHistory(now).isOpen));
  });
}

/** Checks deliveries against each other. */
export function checkHistory(
  deliveries: readonly Delivery[],
  feed: Feed,
  capabilities: Capabilities,
): History {
  const inOrder = deliveries
    .filter((one) => !isForSecondSubscription(one))
    .toSorted((one, other) => one.nr - other.nr);
  const all = inOrder.filter(isDeliveryAttempt);
  const reading = readDeliveries(inOrder, capabilities);
  const typed = withoutRepeats(reading.typed);
  const arrival = arrivalIn(typed, capabilities);
  const correlations = correlationsOf(typed, feed).filter(({ isComplete }) => isComplete);
  // An event that a complete correlation lacks was never sent, unless a delivery is unreadable.
  const complete = reading.hasUnreadable
    ? []
    : inBestOrder(
        correlations.flatMap((correlation) => correlation.deliveries).toSorted(byArrival),
        arrival,
      );

  const byNr = new Map(all.map((delivery) => [delivery.nr, delivery]));
  const found = new Map<string, Finding>();
  const keyOf = ({ finding }: Finding) => `${finding.claim} ${finding.lines.join()}`;
  const add = (findings: readonly Finding[]) => {
    for (const one of findings) {
      if (one.finding.level !== "notice" && !found.has(keyOf(one))) found.set(keyOf(one), one);
    }
    return found.size;
  };
  const cases = new Map<ClaimId, Set<Delivery>>();
  const certain = findingsOf(all, { capabilities, complete: false, cases });
  const contradictions = add(certain);
  const readable = [...reading.invalid, ...complete.map(({ delivery }) => delivery)];
  const missing = findingsOf(readable, { capabilities, complete: true, cases });
  const { excused = [], owed = [] } = Object.groupBy(missing, ({ finding }) =>
    isExcused(finding, correlations, byNr) ? "excused" : "owed",
  );
  let isOpen = add(owed) > contradictions;
  // An excuse does not show that the claim holds.
  for (const { finding } of excused) if (finding.claim) cases.delete(finding.claim);

  const breaches = [...found.values()].flatMap((one) => breachOf(one, byNr) ?? []);
  if (!reading.hasUnreadable) {
    const changes = allNamed(reading.typed, "bankaccount.state_changed");
    const accounts = new Set(changes.map(({ body }) => body.bankAccountId));
    if (changes.length > accounts.size) cases.set("BAC-03.chain", new Set());
    for (const breach of checkStateChanges(changes, arrival)) {
      breaches.push({ claim: "BAC-03.chain", ...breach });
      isOpen = true;
    }
  }
  const uncertain = new Map(
    certain
      .filter((one) => one.finding.level === "notice" && !found.has(keyOf(one)))
      .map((one) => [keyOf(one), one]),
  );
  // A driver has made a complete history: what is missing elsewhere was sent before the run.
  const notices = capabilities.verbs.length === 0 ? [...uncertain.values()] : [];
  return {
    ...{ deliveries, reading, cases, breaches, isOpen },
    notices: notices.flatMap((one) => breachOf(one, byNr) ?? []),
  };
}

/** Without a driver, events may happen and be sent concurrently. */
function arrivalIn(typed: readonly TypedDelivery[], { verbs }: Capabilities): ArrivalOrder {
  if (verbs.length === 0 || isShuffled(typed)) return "nothing";
  return verbs.includes("settle") ? "all" : "most";
}

interface Finding {
  readonly finding: HistoryFinding;
  /** The delivery that showed it; undefined for findings at the end of the history. */
  readonly at?: Delivery;
}

/** How the history check reads deliveries, and where it notes the cases of claims. */
interface HistoryPass {
  readonly capabilities: Capabilities;
  readonly complete: boolean;
  readonly cases: Map<ClaimId, Set<Delivery>>;
}

/** Runs the history check. Omits the findings that a single body shows. */
function findingsOf(
  deliveries: readonly Delivery[],
  { capabilities: { networks }, complete, cases }: HistoryPass,
): Finding[] {
  let current: Delivery | undefined;
  const check = new HistoryCheck({ networks, complete }, (claim) => {
    const known = cases.get(claim) ?? new Set();
    cases.set(claim, current ? known.add(current) : known);
  });
  const found: Finding[] = [];
  // `HistoryCheck` orders deliveries by line number.
  const nrOf = (line: number) => deliveries[line - 1]?.nr ?? 0;
  const add = (finding: HistoryFinding, at?: Delivery) => {
    const lines = finding.lines.map(nrOf).sort((one, other) => one - other);
    const expected = finding.expected?.replace(
      /on line (\d+)/,
      (_, line) => `in delivery ${nrOf(Number(line))}`,
    );
    const numbered = { ...finding, lines, ...(expected !== undefined && { expected }) };
    found.push({ finding: numbered, ...(at && { at }) });
  };
  deliveries.forEach((delivery, at) => {
    const { name, json: body } = delivery;
    if (body === undefined) return;
    const own = checkEvent(name, body, { networks }).findings.length;
    const headers = { "webhook-event-type": name };
    current = delivery;
    const findings = check.add({ headers, body, line: at + 1 });
    for (const finding of findings.slice(own)) add(finding, delivery);
  });
  current = undefined;
  for (const finding of check.end()) add(finding);
  return found;
}

function breachOf(
  { finding, at }: Finding,
  byNr: ReadonlyMap<number, Delivery>,
): ClaimBreach | undefined {
  const { claim, path, expected = "", actual = "", level, lines, message } = finding;
  if (claim === undefined) return undefined;
  const involved = lines.flatMap((line) => byNr.get(line) ?? []);
  // A missing event is reported at the latest delivery that requires it.
  const first =
    at ?? involved.findLast(({ name }) => message.startsWith(`${name} `)) ?? involved[0];
  if (!first) throw new Error(`a finding without a delivery: ${message}`);
  const others = involved.filter((delivery) => delivery !== first);
  const isWarning = level === "warning" && { isWarning: true as const };
  return { claim, path, expected, actual, ...isWarning, evidence: [first, ...others] };
}

/** Whether a finding about missing events is valid for a full capture but not for a run. */
function isExcused(
  { requirement, path, lines }: HistoryFinding,
  correlations: readonly Correlation[],
  byNr: ReadonlyMap<number, Delivery>,
): boolean {
  // If the account was linked before the run, there is no completion. Its link is followed instead.
  if (requirement === "CONV-09") return path.startsWith("/_links/bankAccount");
  const involved = new Set(lines.map((line) => byNr.get(line)));
  const typed = correlations
    .filter((correlation) => correlation.deliveries.some(({ delivery }) => involved.has(delivery)))
    .flatMap((correlation) => correlation.deliveries);
  if (requirement === "MAT-07" || requirement === "MAT-08") {
    return areCandidates(
      allNamed(typed, "transaction.match.created").filter(({ delivery }) => involved.has(delivery)),
      requirement,
    );
  }
  // The interface does not specify whether retracting a match un-settles its purchase. The order of
  // the two is then unknown too.
  if (requirement !== "TXN-20") return false;
  return typed.some((one) => isNamed(one, "transaction.match.deleted"));
}

/**
 * Whether two matches may coexist because at least one is a candidate (not `HIGH`). The limit of
 * one match per purchase, and one purchase per posting, covers settling and re-matching only.
 */
function areCandidates(
  matches: readonly TypedDelivery<"transaction.match.created">[],
  requirement: "MAT-07" | "MAT-08",
): boolean {
  if (matches.length < 2 || matches.every(({ body }) => body.confidence === "HIGH")) return false;
  const cards = new Set(matches.map(({ body }) => body.cardTransaction.id));
  return requirement === "MAT-08" || cards.size > 1;
}

/**
 * Removes duplicates, which may arrive at any time. Drops bank account state changes too, because
 * an account may repeat one.
 */
function withoutRepeats(typed: readonly TypedDelivery[]): TypedDelivery[] {
  const seen = new Set<string>();
  return typed.filter((one) => {
    if (isNamed(one, "bankaccount.state_changed")) return false;
    const id = "id" in one.body ? one.body.id : "";
    const key = `${one.name} ${id} ${contentHash(one.body)}`;
    return !seen.has(key) && seen.add(key);
  });
}

function byArrival(one: TypedDelivery, other: TypedDelivery): number {
  return one.delivery.nr - other.delivery.nr;
}

/**
 * Validates every delivery of the run. Call it only from checks that run at the end of a run and
 * require `deliveries`.
 */
export function validatedDeliveriesOf(session: Session): Promise<readonly ValidatedDelivery[]> {
  return session.share("arrivals", async (shared) => {
    const { deliveries } = await historyOf(shared);
    return deliveries
      .filter(isDeliveryAttempt)
      .map((delivery) => validatedDelivery(delivery, shared.capabilities));
  });
}
