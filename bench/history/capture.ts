import type { EventName } from "../../generated/events.ts";
import { example } from "../examples.ts";
import { type Template, template } from "../template.ts";

/** A delivery's event and the text of its body. */
interface Line {
  readonly event: EventName;
  readonly body: Template;
}

/** What all that happens in a capture has in common; stays the same from one story to the next. */
const KEPT = new Set([
  "f678bb6e-060c-4f39-9c5b-d68c290fb2d6", // the subaccount
  "4d966fbe-1ef3-4162-bac0-d979e687ac4c", // the account
  "12e0b1e3-2b25-467f-a416-dccfae2dd971", // the bank account
]);

function line(event: EventName, name: string): Line {
  return { event, body: template(JSON.stringify(example(event, name)), KEPT) };
}

/** A bank account is linked: what every story builds on. */
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

/** A bank transaction comes and goes: no resource is left behind. */
const PASSING = [
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

/** The nth update of a transaction that has been through everything: only its time moves on. */
function updateOf(transaction: number, n: number): string {
  const updatedAt = new Date(LAST_UPDATE_MS + n * 1000).toISOString();
  return asLine(CLEARED, transaction).replace(/"updatedAt":"[^"]+"/, `"updatedAt":"${updatedAt}"`);
}

/** Ever new purchases, and bank transactions that come and go between them. */
function* mixed(): Generator<string> {
  for (const each of LINKING) yield asLine(each, 0);
  for (let n = 1; ; n += 1) {
    for (const each of PURCHASE) yield asLine(each, n);
    for (const each of PASSING) yield asLine(each, n);
  }
}

const LIVE_PURCHASES = 1000;

function* lived(): Generator<string> {
  for (const each of LINKING) yield asLine(each, 0);
  for (let n = 1; n <= LIVE_PURCHASES; n += 1) {
    for (const each of PURCHASE) yield asLine(each, n);
  }
}

/** A thousand purchases, and then only changes of what they left: no new resource. */
function* steady(): Generator<string> {
  yield* lived();
  for (let n = 1; ; n += 1) {
    yield updateOf((n % LIVE_PURCHASES) + 1, n);
    if (n % 50 === 0) for (const each of CONNECTION) yield asLine(each, 0);
  }
}

/** The same thousand purchases, and then bank transactions that come and go. */
function* passing(): Generator<string> {
  yield* lived();
  for (let n = 1; ; n += 1) for (const each of PASSING) yield asLine(each, n);
}

/** The captures that the bench makes, each without an end; lines of NDJSON. */
export const captures = { mixed, steady, passing };

export type CaptureName = keyof typeof captures;

/** The first lines of a capture. */
export function* captureLines(name: CaptureName, count: number): Generator<string> {
  let left = count;
  for (const text of captures[name]()) {
    if (left === 0) return;
    left -= 1;
    yield text;
  }
}
