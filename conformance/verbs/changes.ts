import type { Situation } from "../../generated/requirements.ts";
import { resourceFields } from "../../generated/resources.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { bodyOf, breachAt, differences } from "../assert.ts";
import type { Breach } from "../check.ts";
import { breachesOf } from "../observe/bodies.ts";
import { contentOf, findEvents, messagesIn, textAt } from "../observe/deliveries/find.ts";
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
  const { resource, kinds, step } = change;
  if (bodyOf(resource) === undefined) return [];
  // What the end of a match does to its purchase is open.
  const isOpen = ["removeAtProvider", "retireDuplicate", "rematch"].includes(step.verb);
  if (isOpen) return supersededKept(change);
  const canSettle = capabilities.verbs.includes("settle");
  const shown = situationsOf(bodyOf(resource), capabilities.networks);
  return [
    ...linksKept(change, sent),
    ...supersededKept(change),
    ...bankDataShown(change, sent),
    ...(canSettle ? messagesAnnounced(change, sent, capabilities) : []),
    ...(canSettle ? changeAnnounced(change) : []),
    ...projected(change),
    ...ruled(change, capabilities),
    ...fullSet(change, sent),
    ...timesKept(change),
  ].map((decision) => ({ ...decision, in: [...kinds, ...shown, ...(decision.in ?? [])] }));
}

function decide(claim: Decision["claim"], breaches: readonly Breach[]): Decision {
  return { claim, violations: breaches.map((breach) => violation(claim, breach)) };
}

/** TXN-07: each message of the transaction is linked once. */
function linksKept(
  { before, resource, messageId }: TransactionChange,
  sent: readonly Delivery[],
): Decision[] {
  const linked = messageIdsOf(bodyOf(resource));
  const known = messageIdsOf(before && bodyOf(before));
  const named = messageId === undefined ? [] : [messageId];
  const owed = [...new Set([...known, ...ownMessages(resource, sent), ...named])];
  return owed.map((id) => {
    const isOnce = linked.filter((one) => one === id).length === 1;
    const breach = breachAt(resource, "/_links/messages", `one link to ${id}`);
    return decide("TXN-07.links-all", isOnce ? [] : [breach]);
  });
}

/** The messages that events of a transaction link to. */
function ownMessages(resource: Exchange, sent: readonly Delivery[]): string[] {
  const id = textAt(bodyOf(resource), "/id");
  return sent
    .filter(({ name, json }) => name.startsWith("transaction.") && textAt(json, "/id") === id)
    .flatMap(({ json }) => messageIdsOf(json));
}

/** MSG-03: a superseded message stays linked and fetchable. */
function supersededKept({ resource, messages }: TransactionChange): Decision[] {
  const linked = messageIdsOf(bodyOf(resource));
  return supersededIn(bodyOf(resource)).flatMap((id): Decision[] => {
    const at = linked.indexOf(String(id));
    const link = `a link to ${id}, superseded`;
    if (at < 0) {
      return [decide("MSG-03.linked", [breachAt(resource, "/_links/messages", link)])];
    }
    const message = messages[at];
    if (!message) return [];
    const breach = {
      expected: "200, because a superseded message stays fetchable",
      ...{ actual: outcomeOf(message), evidence: [message, resource] as const },
    };
    return [
      decide("MSG-03.linked", []),
      decide("MSG-03.fetchable", bodyOf(message) === undefined ? [breach] : []),
    ];
  });
}

/** MSG-08: a projection has the bankData that another view of its message shows. */
function bankDataShown(
  { resource, messages }: TransactionChange,
  sent: readonly Delivery[],
): Decision[] {
  const shown = messagesIn([...sent, ...messages].map(bodyOf));
  return (projectedMessages(bodyOf(resource)) ?? []).flatMap((body, index): Decision[] => {
    if (bankTransactionIn(shown.get(textAt(body, "/id") ?? "")) === undefined) return [];
    const expected = "bankData: another view shows that it is bank-sourced";
    const breach = breachAt(resource, `/_embedded/messages/${index}/bankData`, expected);
    return [decide("MSG-08.provider", (memberOf(body, "bankData") ?? null) ? [] : [breach])];
  });
}

/** WHK-05: each new message is announced. */
function messagesAnnounced(
  { before, messages }: TransactionChange,
  sent: readonly Delivery[],
  { networks }: Capabilities,
): Decision[] {
  const known = messageIdsOf(before && bodyOf(before));
  return messages.flatMap((message): Decision[] => {
    const id = textAt(bodyOf(message), "/id") ?? "";
    if (bodyOf(message) === undefined || known.includes(id)) return [];
    const isSent = findEvents(sent, "transactionmessage.created", { "/id": id }).length > 0;
    const breach = {
      ...{ expected: `transactionmessage.created of ${id}`, actual: "it was not delivered" },
      evidence: [message] as const,
    };
    const own = decide("WHK-05.message-owed", isSent ? [] : [breach]);
    return [{ ...own, in: situationsOf(bodyOf(message), networks) }];
  });
}

/** WHK-05: each change is announced, as it is. */
function changeAnnounced({ before, resource, deliveries, at }: TransactionChange): Decision[] {
  const was = before && bodyOf(before);
  if (was === undefined) return [];
  const changed = fieldDifferences(stateOf(was), stateOf(bodyOf(resource)));
  if (changed.length === 0) return [];
  const id = textAt(was, "/id") ?? "";
  const updates = findEvents(deliveries, "transaction.updated", { "/id": id });
  const names = changed.map(({ path }) => path.slice(1)).join(", ");
  const missing: Breach = {
    expected: `transaction.updated of ${id} with its new ${names}`,
    ...{ actual: "it was not delivered", evidence: [resource] },
  };
  const best = updates
    .map((update) => unlike(update, resource))
    .toSorted((one, other) => one.length - other.length)[0] ?? [missing];
  return [{ ...decide("WHK-05.every-change", best), in: ordinalAt(at - 1) }];
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
function projected({ transactionId, resource, deliveries }: TransactionChange): Decision[] {
  if (projectedMessages(bodyOf(resource)) === undefined) return [];
  const own = (["transaction.created", "transaction.updated"] as const).flatMap((name) =>
    findEvents(deliveries, name, { "/id": transactionId }),
  );
  return own.map((event) => {
    const isThere = projectedMessages(event.json) !== undefined;
    const breach = breachAt(event, "/_embedded/messages", "messages, as in the API", resource);
    return { ...decide("TXN-10.consistent", isThere ? [] : [breach]), in: ["delivered"] };
  });
}

const RULED = [
  ...(["TXN-09.sums", "TXN-09.excludes-superseded", "TXN-09.billing"] as const),
  ...(["TXN-16.no-approval-code", "TXN-16.reference", "TXN-16.bank-data"] as const),
];

/** The contract's rules on a transaction with its messages, although the projection may be off. */
function ruled({ resource, messages }: TransactionChange, capabilities: Capabilities): Decision[] {
  const body = Object(bodyOf(resource));
  const superseded = supersededIn(body);
  const whole =
    projectedMessages(body) ??
    messages.map((one) => {
      const id = textAt(bodyOf(one), "/id");
      return { ...Object(bodyOf(one)), superseded: superseded.includes(id) };
    });
  const transaction = { ...body, _embedded: { messages: whole } };
  const single = "GET /transactions/{transactionId}";
  const { findings, resources } = validatedBody(single, transaction, capabilities);
  const breaches = breachesOf(findings, resource);
  return RULED.filter((claim) => resources.get("")?.decided.has(claim)).map((claim) =>
    decide(
      claim,
      breaches.filter((one) => one.claim === claim),
    ),
  );
}

/** TXN-11: an update has the complete set. */
function fullSet(
  { transactionId, resource, deliveries }: TransactionChange,
  sent: readonly Delivery[],
): Decision[] {
  const earlier = new Set(sent.filter((one) => !deliveries.includes(one)).map(contentOf));
  // A delivery of an earlier update may be repeated.
  const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId }).filter(
    (one) => !earlier.has(contentOf(one)),
  );
  const last = updates.at(-1);
  if (!last) return [];
  const all = setOf(bodyOf(resource));
  const isWhole = updates.some(({ json }) => setOf(json) === all);
  const expected = `the set that the API has: ${all || "none"}`;
  const breach = breachAt(last, "/supersededMessageIds", expected, resource);
  const breaches = isWhole ? [] : [breach];
  return [decide("TXN-11.full-set", breaches), decide("TXN-11.same-as-get", breaches)];
}

function setOf(transaction: unknown): string {
  return supersededIn(transaction).map(String).sort().join(", ");
}

/** TXN-18 and TXN-20: createdAt stays, updatedAt never goes back, and neither does SETTLED. */
function timesKept({ before, resource, at }: TransactionChange): Decision[] {
  const was = before && bodyOf(before);
  if (!before || was === undefined) return [];
  const order = ordinalAt(at - 1);
  const updatedAt = textAt(was, "/updatedAt") ?? "";
  const isBack = (textAt(bodyOf(resource), "/updatedAt") ?? updatedAt) < updatedAt;
  const forward = isBack ? [breachAt(resource, "/updatedAt", `${updatedAt} or later`, before)] : [];
  const created = differences(resource, { "/createdAt": memberOf(was, "createdAt") }, [before]);
  const times = [decide("TXN-18.created-at", created), decide("TXN-18.updated-at", forward)];
  const ordered = times.map((one) => ({ ...one, in: order }));
  if (memberOf(was, "status") !== "SETTLED") return ordered;
  const isReopened = memberOf(bodyOf(resource), "status") === "PENDING";
  const reopened = isReopened ? [breachAt(resource, "/status", "SETTLED, as before", before)] : [];
  return [...ordered, decide("TXN-20.no-return", reopened)];
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
