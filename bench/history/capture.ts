import type { EventName } from "../../generated/events.ts";
import { make, scenario } from "../../src/fixtures/index.ts";
import { type Template, template } from "../template.ts";

/** An event and the template of its body. */
interface Line {
  readonly event: EventName;
  readonly body: Template;
}

const SETTLEMENT = scenario("purchase-cleared-by-network");
const DELETED_ID = "f2bd9d14-0b1b-4f1c-9bd3-54c3d5c1a7e6";

/** Ids that all deliveries of a capture share: the account, the subaccount, the bank account. */
const PRESERVED = new Set(
  SETTLEMENT.flatMap(({ body }) => {
    const ids = new Map(Object.entries(body));
    return ["accountId", "subaccountId", "bankAccountId"].flatMap((name) => ids.get(name) ?? []);
  }),
);

function line(event: EventName, body: object): Line {
  return { event, body: template(JSON.stringify(body), PRESERVED) };
}

/** A bank account is linked, and a purchase is settled by the bank and cleared by the network. */
const [LINKING, ...PURCHASE] = SETTLEMENT.map(({ headers, body }) =>
  line(headers["webhook-event-type"], body),
) as [Line, ...Line[]];

/** A bank transaction is created and deleted. */
const DELETED = [
  line("banktransaction.created", make("banktransaction.created", { id: DELETED_ID })),
  line("banktransaction.deleted", make("banktransaction.deleted", { id: DELETED_ID })),
];

const CONNECTION = [
  line("bankaccount.state_changed", make("bankaccount.state_changed")),
  line(
    "bankaccount.state_changed",
    make("bankaccount.state_changed", {}, { variant: "recovered" }),
  ),
];

const CLEARED = PURCHASE.at(-1) as Line;
const LAST_UPDATE_MS = Date.parse(SETTLEMENT.at(-1)?.receivedAt ?? "");

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
  yield asLine(LINKING, 0);
  for (let n = 1; ; n += 1) {
    for (const each of PURCHASE) yield asLine(each, n);
    for (const each of DELETED) yield asLine(each, n);
  }
}

const LIVE_PURCHASES = 1000;

function* thousandPurchases(): Generator<string> {
  yield asLine(LINKING, 0);
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
