import type { Cents } from "./money.ts";

/** The fields of a transaction's message that settlement and matching use. */
export interface MessageNote {
  readonly id: string;
  readonly messageType: "AUTH_REQU" | "FINL_ADVC";
  readonly cents: Cents;
  /** YYYY-MM-DD */
  readonly day: string;
  /** The bank transaction that the message was made from; null for a card-sourced message. */
  readonly bankTransactionId: string | null;
  /**
   * MAT-08: the part of the purchase that the message settles: the transaction's own id for the
   * whole, otherwise the id of the first message that settled the part.
   */
  readonly legId: string;
  superseded: boolean;
}

/** A part of a transaction that a match has taken. */
interface MatchedLeg {
  readonly matchId: string;
  /** `cardTransaction.id` of the match. */
  readonly legId: string;
  readonly bankTransactionId: string;
  /** In minor units of the billing currency. */
  readonly billingCents: number;
}

/** The state of a transaction from which its amounts are computed. */
export interface TransactionState {
  /** null for a bank-only transaction. */
  authorized: Cents | null;
  declined: boolean;
  /** The network has cleared the whole purchase, so nothing is held. */
  cleared: boolean;
  /** TXN-14: the movement of this bank-only transaction belongs to a card transaction. */
  netted: boolean;
  messages: MessageNote[];
  taken: MatchedLeg[];
}

const NOTHING: Cents = { transaction: 0, billing: 0 };

/** The state of a purchase after its authorization. */
export function purchaseState(authorization: MessageNote, declined: boolean): TransactionState {
  const { cents: authorized } = authorization;
  const messages = [authorization];
  return { authorized, declined, cleared: false, netted: false, messages, taken: [] };
}

/** TXN-15: the state of a bank-only transaction. */
export function bankOnlyState(message: MessageNote): TransactionState {
  const messages = [message];
  return { authorized: null, declined: false, cleared: true, netted: false, messages, taken: [] };
}

/** The settling messages that are not superseded (TXN-09). */
export function activeSettlements({ messages }: TransactionState): MessageNote[] {
  return messages.filter(({ messageType, superseded }) => {
    return messageType === "FINL_ADVC" && !superseded;
  });
}

/** The authorized amounts; 0 for a bank-only transaction. */
function authorizedOf({ authorized }: TransactionState): Cents {
  return authorized ?? NOTHING;
}

/** The sum of messages. */
export function sumOf(notes: readonly MessageNote[]): Cents {
  return {
    transaction: notes.reduce((sum, { cents }) => sum + cents.transaction, 0),
    billing: notes.reduce((sum, { cents }) => sum + cents.billing, 0),
  };
}

/** The settled amounts (TXN-09); 0 for a netted transaction (TXN-14). */
export function settledOf(state: TransactionState): Cents {
  return sumOf(state.netted ? [] : activeSettlements(state));
}

/** The held amounts: what was authorized and is not settled, until the whole is settled. */
export function holdAmountOf(transactionId: string, state: TransactionState): Cents {
  const { authorized, declined } = state;
  if (!authorized || declined || isWholeSettled(transactionId, state)) return NOTHING;
  const settled = settledOf(state);
  return {
    transaction: Math.max(0, authorized.transaction - settled.transaction),
    billing: Math.max(0, authorized.billing - settled.billing),
  };
}

/** Whether the network cleared the whole purchase, or one message settles it. */
export function isWholeSettled(transactionId: string, state: TransactionState): boolean {
  return state.cleared || activeSettlements(state).some(({ legId }) => legId === transactionId);
}

/** TXN-08: the ids of the superseded messages. */
export function supersededIdsOf({ messages }: TransactionState): string[] {
  return messages.filter(({ superseded }) => superseded).map(({ id }) => id);
}

/**
 * A part is known in one currency. Its amount in the other is its share of the authorized amount,
 * rounded together with the earlier parts, so that all parts add up to the authorized amount.
 */
function partOf(
  state: TransactionState,
  earlier: readonly MessageNote[],
  known: keyof Cents,
  cents: number,
): Cents {
  const [authorized, sum] = [authorizedOf(state), sumOf(earlier)];
  const share = (sum[known] + cents) / authorized[known];
  const partIn = (unit: keyof Cents) =>
    unit === known ? cents : Math.round(authorized[unit] * share) - sum[unit];
  return { transaction: partIn("transaction"), billing: partIn("billing") };
}

/** A message that settles a purchase, before it has an id. */
export interface Settlement {
  readonly cents: Cents;
  /** The part that the message settles; the message's own id if undefined. */
  readonly legId: string | undefined;
  readonly superseded: boolean;
}

/** A bank transaction that settles a purchase or a part of it. */
export interface BankSettlement {
  readonly bankTransactionId: string;
  readonly legId: string;
  /** Minor units of the billing currency. */
  readonly billing: number;
}

/**
 * TXN-12: settles a purchase by a posting that was matched with high confidence. If the network has
 * cleared that part, the new message is superseded from the start. If another posting settled it,
 * that posting's message is superseded.
 *
 * @returns undefined if the posting's message exists; only its part may have changed
 */
export function settleByBank(
  state: TransactionState,
  { bankTransactionId, legId, billing }: BankSettlement,
): Settlement | undefined {
  const active = activeSettlements(state);
  const own = state.messages.filter((note) => note.bankTransactionId === bankTransactionId);
  const known = own.find(({ superseded }) => !superseded);
  if (known) {
    swapLegs(state, known.legId, legId);
    return undefined;
  }
  const ofLeg = active.filter((note) => note.legId === legId);
  const isCleared = state.cleared || ofLeg.some((note) => note.bankTransactionId === null);
  if (isCleared && own.length > 0) return undefined;
  for (const note of ofLeg) if (note.bankTransactionId !== null) note.superseded = true;
  const others = active.filter((note) => !ofLeg.includes(note));
  return { cents: partOf(state, others, "billing", billing), legId, superseded: isCleared };
}

/** A new matching pass may assign a posting to another part of the same amount. */
function swapLegs(state: TransactionState, one: string, other: string): void {
  if (one === other) return;
  const legs = new Map([
    [one, other],
    [other, one],
  ]);
  state.messages = state.messages.map((note) => {
    return note.superseded ? note : { ...note, legId: legs.get(note.legId) ?? note.legId };
  });
}

/**
 * Supersedes a posting's settlement, because the posting does not belong to the purchase.
 *
 * @returns whether anything changed
 */
export function unsettle(state: TransactionState, bankTransactionId: string): boolean {
  const notes = activeSettlements(state).filter((note) => {
    return note.bankTransactionId === bankTransactionId;
  });
  for (const note of notes) note.superseded = true;
  return notes.length > 0;
}

/** A part and a bank's message belong together if they differ by at most 1/20 of the part. */
const SAME_LEG = 20;

/** The amount that the network has not cleared, in minor units of the transaction's currency. */
export function unclearedOf(state: TransactionState): number {
  return authorizedOf(state).transaction - sumOf(networkClearings(state)).transaction;
}

/**
 * TXN-13: clears a purchase, or what is left of it. Supersedes all messages of the bank.
 *
 * @param spent in minor units of the transaction's currency
 */
export function clearRest(
  transactionId: string,
  state: TransactionState,
  spent: number,
): Settlement {
  const earlier = networkClearings(state);
  // If the bank has settled the rest as a part of its own, the clearing settles the same part.
  const legId = earlier.length === 0 ? transactionId : nearestPosting(spent, state)?.legId;
  for (const note of postings(state)) note.superseded = true;
  state.cleared = true;
  return { cents: partOf(state, earlier, "transaction", spent), legId, superseded: false };
}

/**
 * MAT-08: clears a part of a purchase. Supersedes the bank's message for the same part. Without
 * one, it supersedes the messages by which the settled amount would exceed the authorized amount.
 *
 * @param spent in minor units of the transaction's currency, less than {@link unclearedOf}
 */
export function clearPart(state: TransactionState, spent: number): Settlement {
  const nearest = nearestPosting(spent, state);
  const isSameLeg = nearest !== undefined && distance(nearest, spent) * SAME_LEG <= spent;
  const legId = isSameLeg ? nearest.legId : undefined;
  const cents = partOf(state, networkClearings(state), "transaction", spent);
  const replaced = isSameLeg
    ? postings(state).filter((note) => note.legId === legId)
    : excessPostings(unclearedOf(state) - spent, state);
  for (const note of replaced) note.superseded = true;
  return { cents, legId, superseded: false };
}

/** The bank's messages that do not fit into an amount; keeps as much of them as possible. */
function excessPostings(amount: number, state: TransactionState): MessageNote[] {
  const messages = postings(state);
  const subsetsBySum = new Map<number, readonly MessageNote[]>([[0, []]]);
  for (const note of messages) {
    for (const [sum, subset] of [...subsetsBySum]) {
      const total = sum + note.cents.transaction;
      if (total <= amount && !subsetsBySum.has(total)) subsetsBySum.set(total, [...subset, note]);
    }
  }
  const subset = subsetsBySum.get(Math.max(...subsetsBySum.keys())) ?? [];
  return messages.filter((note) => !subset.includes(note));
}

function nearestPosting(cents: number, state: TransactionState): MessageNote | undefined {
  return postings(state).sort((one, two) => distance(one, cents) - distance(two, cents))[0];
}

/** The active messages of the bank, largest first: their order of arrival makes no difference. */
function postings(state: TransactionState): MessageNote[] {
  return activeSettlements(state)
    .filter(({ bankTransactionId }) => bankTransactionId !== null)
    .sort((one, two) => two.cents.transaction - one.cents.transaction);
}

/** The active messages of the network. */
function networkClearings(state: TransactionState): MessageNote[] {
  return activeSettlements(state).filter(({ bankTransactionId }) => bankTransactionId === null);
}

function distance({ cents }: MessageNote, other: number): number {
  return Math.abs(cents.transaction - other);
}
