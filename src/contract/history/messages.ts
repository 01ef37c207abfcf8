import type { components } from "../../../generated/types.ts";
import { OPEN_BANKING } from "../rules/vocabulary.ts";
import { contentsWith, type SharedMessageFields, type World } from "./world.ts";

type Schemas = components["schemas"];
type Message = Schemas["TransactionMessageEvent"];
type Transaction = Schemas["TransactionEvent"];

/** The fields that a message alone and its projection share, besides bankData (MSG-12). */
const SHARED = [
  "messageType",
  "network",
  "result",
  "approvalCode",
  "transactionReference",
  "transactionAmount",
  "transactionCurrency",
  "cardholderBillingAmount",
  "cardholderBillingCurrency",
  "dateTime",
  "traceId",
  "accountId",
  "subaccountId",
  "cardId",
] as const satisfies readonly (keyof SharedMessageFields)[];

/** Reads `transactionmessage.created`. */
export function onMessageCreated(body: Message, content: number, world: World): void {
  const { chronicle } = world;
  const { line } = chronicle;
  const before = world.messages.get(body.id);
  if (before?.contents.isRepeat(content)) return;
  if (before?.createdLine !== undefined) {
    chronicle.breach("MSG-09", {
      path: "",
      expected: `message ${body.id} as it was announced`,
      value: body,
      lines: [before.createdLine],
    });
    return;
  }
  if (before) compare(before.fields, body, "", before.line, world);
  const contents = before?.contents ?? contentsWith(content);
  const fields = fieldsOf(body);
  const isListed = before?.isListed ?? false;
  const isWhole = false;
  world.messages.set(body.id, { contents, createdLine: line, line, fields, isListed, isWhole });
  noteBankTransaction(body.bankData, "/bankData/bankTransactionId", world);

  const named = world.unannouncedMessages.get(body.id);
  world.unannouncedMessages.delete(body.id);
  if (named?.isBankOnly) {
    chronicle.doubt("TXN-15", {
      path: "",
      expected: `message ${body.id} before the transaction.created that lists it`,
      value: body,
      lines: [named.line],
    });
  }
}

/** Reads what a transaction lists and projects of its messages. */
export function noteProjections(
  body: Transaction,
  messageIds: readonly string[],
  world: World,
): void {
  const { line, event } = world.chronicle;
  const isBankOnly = event === "transaction.created" && body.network === OPEN_BANKING;
  messageIds.forEach((id, index) => {
    const known = world.messages.get(id);
    if (known) known.isListed = true;
    const isAnnounced = known?.createdLine !== undefined || world.unreadable.has(id);
    const named = world.unannouncedMessages.get(id);
    if (isAnnounced || (named && !(isBankOnly && !named.isBankOnly))) return;
    const path = `/_links/messages/${index}/href`;
    world.unannouncedMessages.set(id, { ...world.debt(path), isBankOnly });
  });
  body._embedded?.messages?.forEach((projected, index) => {
    const at = `/_embedded/messages/${index}`;
    const known = world.messages.get(projected.id);
    if (known) {
      // Two projections are not compared: the message alone is what a projection agrees with.
      if (known.createdLine !== undefined) {
        compare(known.fields, projected, at, known.createdLine, world);
      }
      if (!known.isWhole) complete(known.fields, projected, at, world);
      known.isWhole = true;
      return;
    }
    const contents = contentsWith(Number.NaN);
    const fields = fieldsOf(projected);
    const state = { contents, createdLine: undefined, line, fields, isListed: true, isWhole: true };
    world.messages.set(projected.id, state);
    noteBankTransaction(projected.bankData, `${at}/bankData/bankTransactionId`, world);
  });
}

/** MSG-11: the posting of a message is one that was announced, before or after. */
function noteBankTransaction(
  bankData: Schemas["BankData"] | null | undefined,
  path: string,
  world: World,
): void {
  if (!bankData) return;
  const id = bankData.bankTransactionId;
  if (world.bankTransactions.get(id) || world.unreadable.has(id)) return;
  if (world.unannouncedBankTransactions.has(id)) return;
  world.unannouncedBankTransactions.set(id, { ...world.debt(path), requirement: "MSG-11" });
}

/** MSG-12, judged on every field that both have; one that is absent here or there says nothing. */
function compare(
  known: SharedMessageFields,
  other: SharedMessageFields,
  at: string,
  line: number,
  { chronicle }: World,
): void {
  for (const name of SHARED) {
    const [one, two] = [known[name], other[name]];
    if (one === undefined || two === undefined || one === two) continue;
    const expected = `${JSON.stringify(one)}, as on line ${line}`;
    chronicle.breach("MSG-12", { path: `${at}/${name}`, expected, value: two, lines: [line] });
  }
  if (known.bankData === undefined || other.bankData === undefined) return;
  if (saysTheSame(known.bankData, other.bankData)) return;
  chronicle.breach("MSG-12", {
    path: `${at}/bankData`,
    expected: `bankData as on line ${line}`,
    value: other.bankData,
    lines: [line],
  });
}

/** What an abridged announcement left out, its projection tells. */
function complete(
  known: SharedMessageFields,
  projected: Schemas["ProjectedTransactionMessage"],
  at: string,
  world: World,
): void {
  for (const name of SHARED) {
    if (known[name] === undefined && projected[name] !== undefined) {
      Object.assign(known, { [name]: projected[name] });
    }
  }
  if (known.bankData !== undefined) return;
  known.bankData = projected.bankData;
  noteBankTransaction(projected.bankData, `${at}/bankData/bankTransactionId`, world);
}

function saysTheSame(one: Schemas["BankData"] | null, two: Schemas["BankData"] | null): boolean {
  if (!one || !two) return one === two;
  return (
    one.provider === two.provider &&
    one.bankTransactionId === two.bankTransactionId &&
    one.personalFinanceCategory.primary === two.personalFinanceCategory.primary &&
    one.personalFinanceCategory.detailed === two.personalFinanceCategory.detailed
  );
}

function fieldsOf(body: SharedMessageFields): SharedMessageFields {
  const fields: Record<string, unknown> = {};
  for (const name of SHARED) if (body[name] !== undefined) fields[name] = body[name];
  if (body.bankData !== undefined) fields.bankData = body.bankData;
  return fields;
}

/** At the end: TXN-15, a bank-only message belongs to a transaction that was announced. */
export function judgeUnlistedMessages(world: World): void {
  for (const [id, { fields, isListed, line }] of world.messages) {
    if (isListed || fields.network !== OPEN_BANKING || world.unreadable.has(id)) continue;
    world.chronicle.doubt("TXN-15", {
      event: "transactionmessage.created",
      path: "/id",
      expected: `transaction.created that lists message ${id}`,
      lines: [line],
    });
  }
}
