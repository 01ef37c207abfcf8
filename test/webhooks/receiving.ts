/** What the tests of the receiver share: bodies, and a receiver that records its reports. */
import { vi } from "vitest";
import { make } from "../../src/fixtures/index.ts";
import {
  createReceiver,
  type DeliveryReport,
  type Outcome,
  type ReceiverOptions,
} from "../../src/webhooks/index.ts";
import type { SqliteTransaction } from "../../src/webhooks/sqlite/index.ts";
import { onFinished } from "../support/on-finished.ts";
import { deliver } from "../support/payloads.ts";

export type Tx = SqliteTransaction;
export type Options = Partial<ReceiverOptions<Tx>>;

export const NAME = "transaction.updated";
export const updated = make(NAME);
/** A version of the same transaction. */
export const version = (n: number) => ({ ...updated, metadata: { n } });
/** A transaction of its own. */
export const another = (n = 0) => ({ ...version(n), id: crypto.randomUUID() });
/** The number of a version, in its event. */
export const numberOf = ({ body }: { body: { metadata: { n: number } } }) => body.metadata.n;

export const until = (check: () => unknown) => vi.waitFor(check, { timeout: 10_000, interval: 5 });
export const endless = () => new Promise<never>(() => {});

/** A receiver with a handler of updated transactions. It is closed after the test. */
export function startReceiver(handler: (...args: never[]) => unknown, options: Options = {}) {
  const reports: DeliveryReport[] = [];
  const receiver = createReceiver<Tx>({
    on: { [NAME]: handler as () => unknown },
    onDelivery: (report) => reports.push(report),
    ...options,
  });
  onFinished(() => receiver.close({ graceMs: 0 }));
  const outcomes = () => reports.map(({ outcome }) => outcome);
  const count = (outcome: Outcome) => outcomes().filter((each) => each === outcome).length;
  const send = async (...bodies: object[]) => {
    for (const body of bodies) await receiver(deliver(NAME, body));
  };
  return { receiver, reports, outcomes, count, send };
}
