import type { ClaimId, Situation } from "../../generated/requirements.ts";
import { resourceFields } from "../../generated/resources.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf, breachAt, differences } from "../assert.ts";
import type { Breach } from "../check.ts";
import { breachesOf } from "../observe/bodies.ts";
import {
  contentOf,
  findEventsOf,
  isAnnounced,
  messagesIn,
  textAt,
} from "../observe/deliveries/find.ts";
import { type Fields, fieldDifferences, fieldsOf } from "../observe/differences.ts";
import {
  bankTransactionIn,
  isBankOnly,
  linkedMessages,
  messageIdsOf,
  projectedMessages,
  supersededIn,
} from "../observe/feed.ts";
import { ordinalAt, situationsOf } from "../observe/situations.ts";
import { validatedBody } from "../observe/validation.ts";
import type { Capabilities } from "../target.ts";
import { type Delivery, type Exchange, outcomeOf } from "../wire/exchange.ts";
import { type Decision, violation } from "./judge.ts";
import type { Step } from "./step.ts";

/** A transaction before and after a step, as the API shows it. */
export interface TransactionChange {
  readonly transactionId: string;
  readonly step: Step;
  /** The message that the step added, by the driver's result. */
  readonly messageId?: string;
  /** Undefined if the step created it. */
  readonly before?: Exchange;
  readonly resource: Exchange;
  /** Its messages in link order. */
  readonly messages: readonly Exchange[];
  /** The step's deliveries about the script. */
  readonly deliveries: readonly Delivery[];
  /** What the step was for this transaction, such as `first-clearing`. */
  readonly kinds: readonly Situation[];
  /** How many steps have changed it since its creation: 0 for the creation. */
  readonly at: number;
}

/** A change, with what its rules read of it. */
interface Seen extends TransactionChange {
  /** The deliveries of the script so far. */
  readonly sent: readonly Delivery[];
  readonly capabilities: Capabilities;
  /** The transaction before and after the step. */
  readonly was: unknown;
  readonly body: unknown;
  /** The ids of its messages before and after the step. */
  readonly known: readonly string[];
  readonly linked: readonly string[];
  readonly superseded: readonly unknown[];
  /** The step's events of the transaction. */
  readonly updates: readonly Delivery[];
}

/**
 * Judges what holds for every change of a transaction, whatever caused it: it is announced as it
 * is, and nothing that was there is lost.
 *
 * @param sent The deliveries of the script so far.
 * @param capabilities Without `settle`, an event may follow later: then its lack proves nothing.
 */
export function judgeChange(
  change: TransactionChange,
  sent: readonly Delivery[],
  capabilities: Capabilities,
): Decision[] {
  const { before, resource, kinds, step, deliveries, transactionId: id } = change;
  const [was, body] = [before && bodyOf(before), bodyOf(resource)];
  if (body === undefined) return [];
  const seen: Seen = {
    ...{ ...change, sent, capabilities, was, body, superseded: supersededIn(body) },
    ...{ known: messageIdsOf(was), linked: messageIdsOf(body) },
    updates: findEventsOf(deliveries, "transaction.updated", id),
  };
  // What the end of a match does to its purchase is open.
  const isOpen = ["removeAtProvider", "retireDuplicate", "rematch"].includes(step.verb);
  if (isOpen) return supersededKept(seen);
  const canSettle = capabilities.verbs.includes("settle");
  const shown = situationsOf(body, capabilities.networks);
  return [
    ...[linksKept, supersededKept, bankDataShown],
    ...(canSettle ? [messagesAnnounced, changeAnnounced] : []),
    ...[projected, ruled, fullSet, timesKept],
  ]
    .flatMap((rule) => rule(seen))
    .map((decision) => ({ ...decision, in: [...kinds, ...shown, ...(decision.in ?? [])] }));
}

function decide(claim: ClaimId, breaches: readonly Breach[], ...own: Situation[]): Decision {
  const violations = breaches.map((breach) => violation(claim, breach));
  return own.length > 0 ? { claim, violations, in: own } : { claim, violations };
}

function decideIf(isTrue: boolean, claim: ClaimId, breach: Breach, ...own: Situation[]): Decision {
  return decide(claim, isTrue ? [] : [breach], ...own);
}

/** TXN-07: each message of the transaction is linked once. */
function linksKept({ body, resource, messageId, known, linked, sent }: Seen): Decision[] {
  const id = textAt(body, "/id");
  const announced = sent
    .filter(({ name, json }) => name.startsWith("transaction.") && textAt(json, "/id") === id)
    .flatMap(({ json }) => messageIdsOf(json));
  const owed = new Set([...known, ...announced, ...(messageId === undefined ? [] : [messageId])]);
  return [...owed].map((one) => {
    const isOnce = linked.filter((other) => other === one).length === 1;
    const breach = breachAt(resource, "/_links/messages", `one link to ${one}`);
    return decideIf(isOnce, "TXN-07.links-all", breach);
  });
}

/** MSG-03: a superseded message stays linked and fetchable. */
function supersededKept({ resource, messages, linked, superseded }: Seen): Decision[] {
  return superseded.flatMap((id): Decision[] => {
    const at = linked.indexOf(String(id));
    const link = breachAt(resource, "/_links/messages", `a link to ${id}, superseded`);
    if (at < 0) return [decide("MSG-03.linked", [link])];
    const message = messages[at];
    if (!message) return [];
    const breach = {
      expected: "200, because a superseded message stays fetchable",
      ...{ actual: outcomeOf(message), evidence: [message, resource] as const },
    };
    const isFound = bodyOf(message) !== undefined;
    return [decide("MSG-03.linked", []), decideIf(isFound, "MSG-03.fetchable", breach)];
  });
}

/** MSG-08: a projection has the bankData that another view of its message shows. */
function bankDataShown({ body, resource, messages, sent }: Seen): Decision[] {
  const shown = messagesIn([...sent, ...messages].map(bodyOf));
  return (projectedMessages(body) ?? []).flatMap((message, index): Decision[] => {
    if (bankTransactionIn(shown.get(textAt(message, "/id") ?? "")) === undefined) return [];
    const expected = "bankData: another view shows that it is bank-sourced";
    const breach = breachAt(resource, `/_embedded/messages/${index}/bankData`, expected);
    return [decideIf(Boolean(memberOf(message, "bankData")), "MSG-08.provider", breach)];
  });
}

/** WHK-05: each new message is announced. */
function messagesAnnounced({ messages, known, sent, capabilities }: Seen): Decision[] {
  return messages.flatMap((message): Decision[] => {
    const body = bodyOf(message);
    const id = textAt(body, "/id") ?? "";
    if (body === undefined || known.includes(id)) return [];
    const isSent = isAnnounced(sent, "transactionmessage.created", id);
    const expected = `transactionmessage.created of ${id}`;
    const breach = { expected, actual: "it was not delivered", evidence: [message] as const };
    const situations = situationsOf(body, capabilities.networks);
    return [decideIf(isSent, "WHK-05.message-owed", breach, ...situations)];
  });
}

/** WHK-05: each change is announced, as it is. */
function changeAnnounced({ was, body, resource, updates, at }: Seen): Decision[] {
  if (was === undefined) return [];
  const changed = fieldDifferences(stateOf(was), stateOf(body));
  if (changed.length === 0) return [];
  const names = changed.map(({ path }) => path.slice(1)).join(", ");
  const missing: Breach = {
    expected: `transaction.updated of ${textAt(was, "/id") ?? ""} with its new ${names}`,
    ...{ actual: "it was not delivered", evidence: [resource] },
  };
  const best = updates
    .map((update) => unlike(update, resource))
    .toSorted((one, other) => one.length - other.length)[0] ?? [missing];
  return [decide("WHK-05.every-change", best, ...ordinalAt(at - 1))];
}

/** The fields of a transaction that its steps change. */
function stateOf(transaction: unknown): Fields {
  const fields = new Map(fieldsOf(transaction, resourceFields.transactions.all));
  for (const path of ["/createdAt", "/updatedAt"]) fields.delete(path);
  return fields.set("/_links/messages", linkedMessages(transaction));
}

/** The differences between an update and the API's view; TXN-11 compares the superseded sets. */
function unlike(update: Delivery, resource: Exchange): Breach[] {
  return fieldDifferences(stateOf(update.json), stateOf(bodyOf(resource)))
    .filter(({ path }) => path !== "/supersededMessageIds")
    .map(({ path, other, one }) => ({
      ...{ path, expected: `${other}, as the API has it`, actual: one },
      evidence: [update, resource] as const,
    }));
}

/** TXN-10: an event has the projection if the API has it. */
function projected({ transactionId, body, resource, deliveries, updates }: Seen): Decision[] {
  if (projectedMessages(body) === undefined) return [];
  const created = findEventsOf(deliveries, "transaction.created", transactionId);
  return [...created, ...updates].map((event) => {
    const isThere = projectedMessages(event.json) !== undefined;
    const breach = breachAt(event, "/_embedded/messages", "messages, as in the API", resource);
    return decideIf(isThere, "TXN-10.consistent", breach, "delivered");
  });
}

const RULED = [
  ...(["TXN-09.sums", "TXN-09.excludes-superseded", "TXN-09.billing"] as const),
  ...(["TXN-16.no-approval-code", "TXN-16.reference", "TXN-16.bank-data"] as const),
];

/** The contract's rules on a transaction with its messages, although the projection may be off. */
function ruled({ body, resource, messages, superseded, capabilities }: Seen): Decision[] {
  const whole =
    projectedMessages(body) ??
    messages.map((one) => {
      const isSuperseded = superseded.includes(textAt(bodyOf(one), "/id"));
      return { ...Object(bodyOf(one)), superseded: isSuperseded };
    });
  const transaction = { ...Object(body), _embedded: { messages: whole } };
  const single = "GET /transactions/{transactionId}";
  const { findings, resources } = validatedBody(single, transaction, capabilities);
  const breaches = Map.groupBy(breachesOf(findings, resource), ({ claim }) => claim);
  return RULED.filter((claim) => resources.get("")?.decided.has(claim)).map((claim) => {
    return decide(claim, breaches.get(claim) ?? []);
  });
}

/** TXN-11: an update has the complete set. */
function fullSet({ superseded, resource, deliveries, updates, sent }: Seen): Decision[] {
  const earlier = new Set(sent.filter((one) => !deliveries.includes(one)).map(contentOf));
  // A delivery of an earlier update may be repeated.
  const fresh = updates.filter((one) => !earlier.has(contentOf(one)));
  const last = fresh.at(-1);
  if (!last) return [];
  const setOf = (ids: readonly unknown[]) => ids.map(String).sort().join(", ");
  const all = setOf(superseded);
  const isWhole = fresh.some(({ json }) => setOf(supersededIn(json)) === all);
  const expected = `the set that the API has: ${all || "none"}`;
  const breach = breachAt(last, "/supersededMessageIds", expected, resource);
  const claims = ["TXN-11.full-set", "TXN-11.same-as-get"] as const;
  return claims.map((claim) => decideIf(isWhole, claim, breach));
}

/** TXN-18 and TXN-20: createdAt stays, updatedAt never goes back, and neither does SETTLED. */
function timesKept({ before, was, body, resource, at }: Seen): Decision[] {
  if (!before || was === undefined) return [];
  const order = ordinalAt(at - 1);
  const updatedAt = textAt(was, "/updatedAt") ?? "";
  const isLater = (textAt(body, "/updatedAt") ?? updatedAt) >= updatedAt;
  const later = breachAt(resource, "/updatedAt", `${updatedAt} or later`, before);
  const created = differences(resource, { "/createdAt": memberOf(was, "createdAt") }, [before]);
  const isSettled = memberOf(body, "status") !== "PENDING";
  const settled = breachAt(resource, "/status", "SETTLED, as before", before);
  return [
    decide("TXN-18.created-at", created, ...order),
    decideIf(isLater, "TXN-18.updated-at", later, ...order),
    ...(memberOf(was, "status") === "SETTLED"
      ? [decideIf(isSettled, "TXN-20.no-return", settled)]
      : []),
  ];
}

/** What a step was for a transaction. */
export function kindsOf(
  step: Step,
  resource: Exchange,
  isNew: boolean,
  cleared: number,
): Situation[] {
  if (isBankOnly(bodyOf(resource))) return ["bank-only"];
  if (step.verb === "authorize") return ["authorization"];
  if (step.verb === "clear") return [cleared > 0 ? "second-clearing" : "first-clearing"];
  if (step.verb === "tellLate") return isNew ? ["late-card-data"] : [];
  return step.verb === "postAtBank" ? ["posted"] : [];
}
