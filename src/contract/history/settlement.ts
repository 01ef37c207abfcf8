import type { components } from "../../../generated/types.ts";
import { OPEN_BANKING } from "../rules/txn.ts";
import type { MatchState, SharedMessageFields, TransactionState, World } from "./world.ts";

type Transaction = components["schemas"]["TransactionEvent"];
type Listed = { readonly id: string; readonly fields: SharedMessageFields };

const AUTHORIZATION = "AUTH_REQU";
const SETTLEMENT = "FINL_ADVC";

/**
 * TXN-12: the message that a bank posting adds to a purchase inherits from its authorization. On
 * NETWORK_C the reference means nothing.
 */
export function checkInheritance(
  { network }: Transaction,
  messageIds: readonly string[],
  added: readonly string[],
  world: World,
): void {
  if (network === OPEN_BANKING) return;
  const listed = listedBy(messageIds, world);
  const authorizations = listed.filter(({ fields }) => fields.messageType === AUTHORIZATION);
  if (authorizations.length === 0) return;
  for (const { id, fields } of listed) {
    if (!added.includes(id) || fields.messageType !== SETTLEMENT || !fields.bankData) continue;
    const wrong = authorizations.map((from) => differenceOf(from.fields, fields, world));
    if (wrong.includes(undefined)) continue;
    const name = wrong[0] ?? "network";
    const [authorization] = authorizations;
    world.chronicle.doubt("TXN-12", {
      path: `/_links/messages/${messageIds.indexOf(id)}/href`,
      expected: `${name} ${JSON.stringify(authorization?.fields[name])} of its authorization`,
      value: fields[name],
    });
  }
}

type Inherited = "transactionReference" | "approvalCode" | "network";

function differenceOf(
  from: SharedMessageFields,
  to: SharedMessageFields,
  { networks }: World,
): Inherited | undefined {
  if (from.network !== to.network) return "network";
  if ((from.approvalCode ?? null) !== (to.approvalCode ?? null)) return "approvalCode";
  if (from.network === networks.c) return undefined;
  const [ref, other] = [from.transactionReference, to.transactionReference];
  return ref !== undefined && other !== undefined && ref !== other
    ? "transactionReference"
    : undefined;
}

/**
 * TXN-13: the update that announces the network's clearing of what a bank posting settled marks one
 * of both as superseded. It is a duplicate where more is settled than was authorized; a part of the
 * purchase that no bank message settled has none.
 */
export function checkDuplicateIsMarked(
  body: Transaction,
  before: TransactionState,
  messageIds: readonly string[],
  added: readonly string[],
  world: World,
): void {
  if (before.status !== "SETTLED" || body.network === OPEN_BANKING) return;
  const listed = listedBy(messageIds, world);
  const inForce = listed.filter(
    ({ id, fields }) =>
      fields.messageType === SETTLEMENT && !body.supersededMessageIds.includes(id),
  );
  const clearing = inForce.find(({ id, fields }) => added.includes(id) && !fields.bankData);
  const provisional = inForce.find(({ id, fields }) => !added.includes(id) && fields.bankData);
  if (!clearing || !provisional) return;
  const authorized = sumOf(listed.filter(({ fields }) => fields.messageType === AUTHORIZATION));
  const isDuplicate = clearing.fields.transactionAmount === provisional.fields.transactionAmount;
  const isTooMuch = authorized > 0 && sumOf(inForce) > authorized + 0.005;
  if (!isTooMuch && !(isDuplicate && authorized === 0)) return;
  world.chronicle.doubt("TXN-13", {
    path: "/supersededMessageIds",
    expected: `${provisional.id} in it, as the network's clearing ${clearing.id} takes its place`,
    value: body.supersededMessageIds,
    lines: [before.line],
  });
}

/** At the end: a match of high confidence settles its purchase, and any match nets the standalone. */
export function judgeMatches(world: World): void {
  for (const match of world.matches.live.values()) {
    if (match.owedSince !== undefined) continue;
    judgeSettlement(match, world);
    for (const id of match.bankTransactionIds) judgeNetting(id, match.line, world);
  }
}

function judgeSettlement(match: MatchState, world: World): void {
  const transaction = world.transactions.get(match.cardTransactionId);
  if (match.confidence !== "HIGH" || transaction?.status !== "PENDING") return;
  const isPosted = match.bankTransactionIds.some((id) => {
    const posting = world.bankTransactions.get(id);
    return posting && !posting.isPending && !posting.isCredit;
  });
  // A part of the purchase may have settled while the rest is pending.
  if (!isPosted || transaction.settledAmount !== 0) return;
  world.chronicle.doubt("TXN-12", {
    event: "transaction.match.created",
    path: "/cardTransaction/id",
    expected: `transaction.updated that settles ${match.cardTransactionId}`,
    lines: [match.line, transaction.line],
  });
}

function judgeNetting(bankTransactionId: string, matchLine: number, world: World): void {
  const id = world.standalones.get(bankTransactionId);
  const standalone = id === undefined ? undefined : world.transactions.get(id);
  if (!standalone || standalone.wasNetted || (standalone.createdLine ?? matchLine) >= matchLine) {
    return;
  }
  world.chronicle.doubt("TXN-14", {
    event: "transaction.match.created",
    path: "/matches",
    expected: `transaction.updated of ${id} with its settled amounts revised to 0`,
    lines: [matchLine, standalone.line],
  });
}

function listedBy(messageIds: readonly string[], world: World): Listed[] {
  return messageIds.flatMap((id) => {
    const message = world.messages.get(id);
    return message ? [{ id, fields: message.fields }] : [];
  });
}

function sumOf(listed: readonly Listed[]): number {
  return listed.reduce((sum, { fields }) => sum + (fields.transactionAmount ?? 0), 0);
}
