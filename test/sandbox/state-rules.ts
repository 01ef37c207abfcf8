import { type OperationWithResponse, validateResponse } from "../../src/contract/index.ts";
import { centsOf } from "../../src/model/money.ts";
import type { MessageNote } from "../../src/model/settlement.ts";
import type { LoggedEvent } from "../../src/sandbox/control/control.ts";
import type { Kind, Resource } from "../../src/world/resources.ts";
import type { TestSandbox } from "./test-sandbox.ts";

// Invariants of every sandbox state, in addition to the contract's payload and history rules.
// Each violation is one line.

const GETS: Partial<Record<Kind, OperationWithResponse>> = {
  subaccounts: "GET /subaccounts/{id}",
  cards: "GET /cards/{id}",
  "card-subscriptions": "GET /card-subscriptions/{id}",
  "network-bulk-feeds": "GET /network-bulk-feeds/{id}",
  "bank-accounts": "GET /bank-accounts/{id}",
  "bank-transactions": "GET /bank-transactions/{subaccountId}/{id}",
  transactions: "GET /transactions/{transactionId}",
  "transaction-messages": "GET /transaction-messages/{id}",
  "transaction-matches": "GET /transaction-matches/{subaccountId}/{matchId}",
};

/** Returns the violations of a state and of the events that led to it. */
export function problemsOf(sandbox: TestSandbox): string[] {
  return [
    ...brokenResources(sandbox),
    ...differences(sandbox),
    ...deadLinks(sandbox),
    ...sandbox.engine.store.latest("transactions").flatMap(wrongAmounts),
    ...sandbox.engine.store.latest("bank-transactions").flatMap((one) => miscounted(sandbox, one)),
    ...wrongMatches(sandbox),
    ...oneSidedLinks(sandbox),
    ...repetitions(sandbox),
    ...wrongSyncs(sandbox),
    ...wrongTimes(sandbox),
    ...missingFields(sandbox),
  ];
}

/** Contract findings of the served resources. */
function brokenResources({ engine }: TestSandbox): string[] {
  return Object.entries(GETS).flatMap(([kind, operation]) =>
    engine.store.latest(kind as Kind).flatMap(({ id, body }) =>
      validateResponse(operation, 200, body)
        .findings.filter(({ level }) => level !== "notice")
        .map(({ requirement, message }) => `${kind} ${id}: ${requirement} ${message}`),
    ),
  );
}

/** Resources that differ from the last or only announced version (MSG-09, TXN-11). */
function differences(sandbox: TestSandbox): string[] {
  const { store } = sandbox.engine;
  const last = new Map<string, unknown>();
  for (const { name, body } of sandbox.events()) {
    const { id } = body as { id: string };
    if (name === "transactionmessage.created") last.set(`transaction-messages/${id}`, body);
    if (name.startsWith("transaction.") && !name.includes("match")) {
      last.set(`transactions/${id}`, body);
    }
    if (name.startsWith("cardsubscription.")) last.set(`card-subscriptions/${id}`, body);
  }
  return [...last].flatMap(([path, body]) => {
    const [kind = "", id = ""] = path.split("/");
    const served = { ...(store.find(kind as Kind, id).body as Embedding) };
    const sent = { ...(body as Embedding) };
    // TXN-10: switching the projection on or off sends no event.
    if (!served._embedded || !sent._embedded) for (const one of [served, sent]) one._embedded = 0;
    return JSON.stringify(served) === JSON.stringify(sent)
      ? []
      : [`${path} differs from its last event`];
  });
}

interface Embedding {
  _embedded?: unknown;
}

/** CONV-09, MSG-11: broken links and links to another account, in events and resources. */
function deadLinks(sandbox: TestSandbox): string[] {
  const { store } = sandbox.engine;
  const owners = [
    ...sandbox.events(),
    ...(Object.keys(GETS) as Kind[]).flatMap((kind) => store.latest(kind)),
  ];
  const seen = new Set<string>();
  for (const { accountId, body } of owners) {
    for (const path of pathsIn(body)) seen.add(`${accountId} ${path}`);
  }
  return [...seen].filter((link) => {
    const [accountId, path = ""] = link.split(" ");
    const [, kind, ...ids] = path.split("/");
    const found = store.get(kind as Kind, ids.at(-1) ?? "");
    const isInPlace = ids.length === 1 || found?.subaccountId === ids[0];
    return found?.accountId !== accountId || !isInPlace;
  });
}

function pathsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { href, bankTransactionId } = value as { href?: string; bankTransactionId?: string };
  const { subaccountId } = value as { subaccountId?: string };
  const { bankData } = value as { bankData?: { bankTransactionId: string } | null };
  const posting = bankData && subaccountId ? [bankData.bankTransactionId] : [];
  return [
    ...(href?.startsWith("/") ? [href] : []),
    ...posting.map((id) => `/bank-transactions/${subaccountId}/${id}`),
    ...(bankTransactionId ? [`/bank-transactions/${bankTransactionId}`] : []),
    ...Object.values(value).flatMap(pathsIn),
  ];
}

/** TXN-09: sums are whole minor units; the hold is the remainder and never below 0. */
function wrongAmounts({ id, body, internal }: Resource<"transactions">): string[] {
  const { authorized, declined, cleared, netted, messages } = internal;
  const finals = messages.filter(({ messageType }) => messageType === "FINL_ADVC");
  const inForce = finals.filter(({ superseded }) => !superseded);
  const problems: string[] = [];
  for (const side of ["transaction", "billing"] as const) {
    const [held, settled] = amountsOf(body, side);
    const sum = netted ? 0 : sumOf(inForce, side);
    if (settled !== sum) problems.push(`has ${settled} settled, but its messages add up to ${sum}`);
    const left = declined || cleared ? 0 : Math.max(0, (authorized?.[side] ?? 0) - sum);
    const isWhole = inForce.some(({ legId }) => legId === id);
    const holds = authorized && !isWhole ? left : 0;
    if (held !== holds) problems.push(`has a hold of ${held} instead of ${holds}`);
  }
  const isSettled = body.status === "SETTLED";
  if (isSettled !== finals.length > 0) problems.push(`is ${body.status}`);
  const legs = new Set(inForce.map(({ legId }) => legId));
  if (legs.size < inForce.length) problems.push("has a part settled twice");
  const isByBank = authorized && inForce.some((note) => note.bankTransactionId !== null);
  if (cleared && isByBank) problems.push("is both cleared and settled by the bank");
  if (authorized && !declined) problems.push(...wrongSums(internal, inForce));
  return problems.map((problem) => `transaction ${id} ${problem}`);
}

/** A purchase settled as authorized in one currency must be so in the other. */
function wrongSums({ authorized }: Resource<"transactions">["internal"], inForce: MessageNote[]) {
  const [settled, billed] = [sumOf(inForce, "transaction"), sumOf(inForce, "billing")];
  const isWhole = settled === authorized?.transaction;
  const isByNetwork = inForce.every(({ bankTransactionId }) => bankTransactionId === null);
  if (!isWhole || !isByNetwork || billed === authorized?.billing) return [];
  return [`settles the whole for ${billed} instead of ${authorized?.billing}`];
}

function amountsOf(body: Resource<"transactions">["body"], side: "transaction" | "billing") {
  const isSpent = side === "transaction";
  const currency = isSpent ? body.transactionCurrency : body.cardholderBillingCurrency;
  const amounts = isSpent
    ? [body.transactionHoldAmount, body.transactionSettledAmount]
    : [body.cardholderBillingHoldAmount, body.cardholderBillingSettledAmount];
  return amounts.map((amount) => centsOf(amount, currency));
}

function sumOf(notes: readonly MessageNote[], side: "transaction" | "billing"): number {
  return notes.reduce((sum, { cents }) => sum + cents[side], 0);
}

/** Money counted twice or not at all: a movement settles a card, is standalone or is gone. */
function miscounted(
  { engine: { store } }: TestSandbox,
  { id, internal, parent }: Resource<"bank-transactions">,
): string[] {
  const { posting, matchId, standaloneId, deleted } = internal;
  const standalone = standaloneId === null ? undefined : store.find("transactions", standaloneId);
  const isAlone = standalone !== undefined && !standalone.internal.netted;
  const settling = store
    .latest("transactions")
    .filter((one) => one.internal.authorized !== null)
    .flatMap((one) => one.internal.messages)
    .filter((note) => note.bankTransactionId === id && !note.superseded);
  const problems: string[] = [];
  if (posting.pending && (matchId !== null || standalone)) problems.push("is pending, but counted");
  if (posting.transactionType === "credit" && matchId !== null)
    problems.push("is a matched credit");
  if (!posting.pending && !deleted && (matchId !== null) === isAlone) {
    problems.push(isAlone ? "is both matched and standalone" : "is not counted");
  }
  if (deleted && (isAlone || matchId !== null)) problems.push("is deleted, but counted");
  if (isAlone && settling.length > 0) problems.push("is standalone, but settles a purchase");
  if (settling.length > 1) problems.push("settles twice");
  // TXN-17
  const { cardIds } = store.find("bank-accounts", parent).internal;
  const cardId = standalone?.body.cardId ?? null;
  if (cardId !== null && cardId !== cardIds[0]) problems.push("is not the oldest card's");
  return problems.map((problem) => `bank transaction ${id} ${problem}`);
}

/** Matches that differ from their announcement or exceed the purchase. */
function wrongMatches(sandbox: TestSandbox): string[] {
  const { store } = sandbox.engine;
  const live = new Set<string>();
  for (const { name, body } of sandbox.events()) {
    const { matchId } = body as { matchId: string };
    if (name === "transaction.match.created") live.add(matchId);
    if (name === "transaction.match.deleted") live.delete(matchId);
  }
  const served = store.latest("transaction-matches");
  const problems = served
    .filter(({ id, parent }) => {
      const { internal, listed } = store.find("bank-transactions", parent);
      return !live.delete(id) || internal.matchId !== id || !listed;
    })
    .map(({ id }) => `match ${id} differs from its announcement`);
  for (const { id, internal } of store.latest("transactions")) {
    const { taken, authorized, messages } = internal;
    const legs = new Set(taken.map(({ legId }) => legId));
    if (legs.size < taken.length) problems.push(`transaction ${id} has a leg matched twice`);
    const matches = served.filter((match) => match.internal.transactionId === id);
    const ids = taken.map(({ matchId }) => matchId).toSorted();
    if (`${ids}` !== `${matches.map((match) => match.id).toSorted()}`) {
      problems.push(`transaction ${id} disagrees with its matches`);
    }
    const inForce = messages.filter((one) => one.messageType === "FINL_ADVC" && !one.superseded);
    const most = Math.max(
      authorized?.billing ?? 0,
      sumOf(inForce, "billing"),
      ...messages.map(({ cents }) => cents.billing),
    );
    const explained = taken.reduce((sum, { billingCents }) => sum + billingCents, 0);
    if (explained > most * 1.05)
      problems.push(`transaction ${id} is matched with more than its amount`);
    // TXN-12
    const isHigh = matches.some((match) => match.internal.confidence === "HIGH");
    const isFromBank = messages.some(({ bankTransactionId }) => bankTransactionId !== null);
    if (isHigh && !isFromBank) problems.push(`transaction ${id} is matched, but not settled`);
  }
  return [...problems, ...[...live].map((id) => `match ${id} is announced, but does not exist`)];
}

/** Cards and bank accounts of which only one names the other. */
function oneSidedLinks({ engine: { store } }: TestSandbox): string[] {
  const named = store.latest("bank-accounts").flatMap(({ id, internal }) => {
    return internal.cardIds.map((cardId) => `${cardId} on ${id}`);
  });
  const naming = store.latest("card-subscriptions").flatMap(({ body }) => {
    return body.bankAccountId === undefined ? [] : [`${body.cardId} on ${body.bankAccountId}`];
  });
  const oneSided = [...named, ...naming].filter((link) => {
    return !named.includes(link) || !naming.includes(link);
  });
  return oneSided.map((link) => `card ${link} is linked on one side`);
}

/** Messages that repeat a posting only to be superseded. */
function repetitions(sandbox: TestSandbox): string[] {
  const { store } = sandbox.engine;
  const known = new Map<string, Set<string>>();
  return sandbox.events().flatMap(({ name, body }) => {
    if (name !== "transaction.created" && name !== "transaction.updated") return [];
    const { id, supersededMessageIds, _links } = body as Resource<"transactions">["body"];
    const postings = known.get(id) ?? new Set();
    known.set(id, postings);
    const ids = _links.messages.map(({ href }) => href.slice(href.lastIndexOf("/") + 1));
    return ids.flatMap((messageId) => {
      if (postings.has(messageId)) return [];
      postings.add(messageId);
      const posting = store.find("transaction-messages", messageId).body.bankData;
      if (!posting) return [];
      const isKnown = postings.has(posting.bankTransactionId);
      postings.add(posting.bankTransactionId);
      const isVain = isKnown && supersededMessageIds.includes(messageId);
      return isVain ? [`message ${messageId} repeats ${posting.bankTransactionId}`] : [];
    });
  });
}

/** Postings synced over a lost connection (BAC-04). */
function wrongSyncs(sandbox: TestSandbox): string[] {
  const states = new Map<string, string>();
  return sandbox.events().flatMap(({ name, body }: LoggedEvent) => {
    const { bankAccountId, state, id } = body as Record<string, string>;
    if (name === "bankaccount.state_changed") states.set(bankAccountId ?? "", state ?? "");
    if (name !== "banktransaction.created") return [];
    const now = states.get(bankAccountId ?? "") ?? "active";
    return now === "active" ? [] : [`bank transaction ${id} is synced while its account is ${now}`];
  });
}

/** Updates with no later time than the previous state, and changed creation times. */
function wrongTimes(sandbox: TestSandbox): string[] {
  const known = new Map<string, { readonly createdAt: string; readonly updatedAt: string }>();
  return sandbox.events().flatMap(({ name, body }: LoggedEvent) => {
    const { id, createdAt, updatedAt } = body as Record<string, string>;
    if (!id || !createdAt || !updatedAt) return [];
    const before = known.get(id);
    known.set(id, { createdAt, updatedAt });
    if (before && before.createdAt !== createdAt) return [`${name} changes createdAt of ${id}`];
    const isLater = before ? updatedAt > before.updatedAt : updatedAt >= createdAt;
    return isLater ? [] : [`${name} of ${id} has updatedAt ${updatedAt}`];
  });
}

/** Events that omit null members, and retractions that do not name their resource. */
function missingFields(sandbox: TestSandbox): string[] {
  return sandbox.events().flatMap(({ name, body }: LoggedEvent) => {
    const { traceId, id, bankTransactionId, metadata, _embedded } = body as RetractionOrMessage;
    const complete = {
      // MSG-04
      "transactionmessage.created": traceId !== undefined,
      // BTX-06, MAT-06
      "banktransaction.deleted": metadata?.resourceId === id,
      "transaction.match.deleted": metadata?.resourceId === bankTransactionId,
    }[name as string];
    const messages = _embedded?.messages ?? [];
    const isShown = messages.every(
      (one) => one.bankData !== undefined && one.traceId !== undefined,
    );
    return complete !== false && isShown ? [] : [`${name} of ${id} lacks a field`];
  });
}

interface RetractionOrMessage {
  readonly id: string;
  readonly traceId?: unknown;
  readonly bankTransactionId?: string;
  readonly metadata?: { readonly resourceId?: string };
  readonly _embedded?: { readonly messages?: { bankData?: unknown; traceId?: unknown }[] };
}
