import type { EventName } from "../../generated/events.ts";
import { example } from "../examples.ts";
import { type Template, template } from "../template.ts";

/** An event and the template of its body. */
interface Line {
  readonly event: EventName;
  readonly body: Template;
}

/** Ids that all deliveries of a capture share. */
const PRESERVED = new Set([
  "f678bb6e-060c-4f39-9c5b-d68c290fb2d6", // the subaccount
  "4d966fbe-1ef3-4162-bac0-d979e687ac4c", // the account
  "12e0b1e3-2b25-467f-a416-dccfae2dd971", // the bank account
]);

function line(event: EventName, name: string): Line {
  return { event, body: template(JSON.stringify(example(event, name)), PRESERVED) };
}

/** A bank account is linked. */
const LINKING = [line("banklink.completed", "cards-matched-by-last-four-digits")];

/** A card is enrolled, and a purchase is settled by the bank and cleared by the network. */
const PURCHASE = [
  line("cardsubscription.created", "cardholder-single"),
  line("cardsubscription.updated", "cardholder-single-sca-cleared"),
  line("transactionmessage.created", "authorization-network-a"),
  line("transaction.created", "pending-network-a"),
  line("banktransaction.created", "debit"),
  line("transaction.match.created", "high"),
  line("transactionmessage.created", "settlement-by-bank-posting"),
  line("transaction.updated", "settled-by-bank-posting"),
  line("transactionmessage.created", "clearing-network-a"),
  line("transaction.updated", "superseded-after-clearing"),
];

/** A bank transaction is created and deleted. */
const DELETED = [
  line("banktransaction.created", "pending-to-be-removed"),
  line("banktransaction.deleted", "provider-removed"),
];

const CONNECTION = [
  line("bankaccount.state_changed", "consent-expiring"),
  line("bankaccount.state_changed", "recovered"),
];

const CLEARED = line("transaction.updated", "superseded-after-clearing");
const LAST_UPDATE_MS = Date.parse("2025-03-06T05:44:31.009Z");

function asLine({ event, body }: Line, n: number): string {
  return `{"headers":{"webhook-event-type":"${event}"},"body":${body(n)}}`;
}

/** Returns the nth update of a cleared transaction: only `updatedAt` changes. */
function updateOf(transaction: number, n: number): string {
  const updatedAt = new Date(LAST_UPDATE_MS + n * 1000).toISOString();
  return asLine(CLEARED, transaction).replace(/"updatedAt":"[^"]+"/, `"updatedAt":"${updatedAt}"`);
}

/** New purchases, with bank transactions that are created and deleted between them. */
function* mixed(): Generator<string> {
  for (const each of LINKING) yield asLine(each, 0);
  for (let n = 1; ; n += 1) {
    for (const each of PURCHASE) yield asLine(each, n);
    for (const each of DELETED) yield asLine(each, n);
  }
}

const LIVE_PURCHASES = 1000;

function* thousandPurchases(): Generator<string> {
  for (const each of LINKING) yield asLine(each, 0);
  for (let n = 1; n <= LIVE_PURCHASES; n += 1) {
    for (const each of PURCHASE) yield asLine(each, n);
  }
}

/** A thousand purchases, followed by changes of the same resources. */
function* steady(): Generator<string> {
  yield* thousandPurchases();
  for (let n = 1; ; n += 1) {
    yield updateOf((n % LIVE_PURCHASES) + 1, n);
    if (n % 50 === 0) for (const each of CONNECTION) yield asLine(each, 0);
  }
}

/** The same thousand purchases, followed by bank transactions that are created and deleted. */
function* passing(): Generator<string> {
  yield* thousandPurchases();
  for (let n = 1; ; n += 1) for (const each of DELETED) yield asLine(each, n);
}

/** Endless captures, as lines of NDJSON. */
export const captures = { mixed, steady, passing };

export type CaptureName = keyof typeof captures;

/** Yields the first lines of a capture. */
export function* captureLines(name: CaptureName, count: number): Generator<string> {
  let left = count;
  for (const text of captures[name]()) {
    if (left === 0) return;
    left -= 1;
    yield text;
  }
}
