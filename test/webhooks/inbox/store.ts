import { expect } from "vitest";
import type { LeaseLostError } from "../../../src/errors.ts";
import { type Delivery, NOT_STORED } from "../../../src/webhooks/delivery.ts";
import type { Inbox, Lease, Settlement } from "../../../src/webhooks/inbox.ts";

/** An inbox that the tests of the suite may change. */
export interface TestInbox<Tx> {
  readonly inbox: Inbox<Tx>;
  /** Opens the same inbox as another process would; an inbox in memory is returned as it is. */
  readonly again: () => Inbox<Tx> | Promise<Inbox<Tx>>;
  /** Advances the clock of the inbox. Times of the tests have 10 s to spare for real clocks. */
  readonly advance: (ms: number) => void | Promise<void>;
  /** Set if `advance` moves the times of the rows instead, so that those of leases differ. */
  readonly movesTimes?: true;
  /** The rows of lanes. */
  readonly lanes: {
    readonly delete: () => unknown;
    readonly count: () => number | Promise<number>;
  };
  /** The user's own statements. */
  readonly effects: {
    /** Inserts a text. */
    readonly insert: (tx: Tx, text: string) => void | Promise<void>;
    /** Runs a statement that fails, now or at the commit. */
    readonly fail: (tx: Tx) => void | Promise<void>;
    /** Returns the committed texts, sorted. */
    readonly list: () => readonly string[] | Promise<readonly string[]>;
  };
}

/** The options that every inbox of the suite takes. */
export interface TestOptions {
  readonly keepMs?: number;
}

/** Opens an empty inbox, and closes it and its other handles after the test. */
export type OpenInbox<Tx> = (options?: TestOptions) => TestInbox<Tx> | Promise<TestInbox<Tx>>;

export const MINUTE = 60_000;
const RECEIVED_AT = "2025-03-04T12:30:16.120Z";

/** A delivery with a key in a lane. */
export function delivery(
  key: string | null,
  lane: string | null = null,
  changes: Partial<Delivery> = {},
): Delivery {
  return {
    key,
    lane,
    event: "transaction.updated",
    body: `{"id":"${key}"}`,
    headers: {},
    deliveryId: null,
    receivedAt: RECEIVED_AT,
    ...NOT_STORED,
    ...changes,
  };
}

/** The error of a lease that was lost. */
export const LOST = expect.objectContaining({
  code: "lease-lost" satisfies LeaseLostError["code"],
  message: expect.stringMatching(/^.{20,}$/),
});

/** Adds deliveries one after another. */
export async function addAll<Tx>(inbox: Inbox<Tx>, deliveries: readonly Delivery[]) {
  for (const each of deliveries) await inbox.add(each);
}

/** Takes one lane. */
export async function takeOne<Tx>(inbox: Inbox<Tx>, leaseMs = MINUTE): Promise<Lease> {
  const [lease] = await inbox.take(1, leaseMs);
  if (!lease) throw new Error("no lane is due");
  return lease;
}

/** The keys of the deliveries of a lease. */
export const keysOf = (lease: Lease | undefined) => lease?.deliveries.map(({ key }) => key);

/** Ends leases without running anything. */
export async function settle<Tx>(inbox: Inbox<Tx>, ...settlements: readonly Settlement[]) {
  await inbox.transaction(MINUTE, async () => settlements);
}

/** The settlement of a lease whose first deliveries were handled; default: all of them. */
export function handled(lease: Lease, count = lease.deliveries.length): Settlement {
  const ids = lease.deliveries.slice(0, count).map(({ id }) => id);
  return { lease, handled: ids, quarantined: [] };
}

/** The id of the first delivery of a lease. */
function firstId(lease: Lease): number {
  const [first] = lease.deliveries;
  if (!first) throw new Error("the lease has no deliveries");
  return first.id;
}

/** The settlement of a lease whose first delivery goes to quarantine. */
export function quarantined(lease: Lease, reason = "broken"): Settlement {
  return { lease, handled: [], quarantined: [{ id: firstId(lease), reason }] };
}

/** The settlement of a lease whose first delivery failed. */
export function retried(lease: Lease, delayMs = MINUTE): Settlement {
  const retry = { id: firstId(lease), delayMs, reason: "out of order", isFailure: true };
  return { lease, handled: [], quarantined: [], retry };
}

/** Handles what is due until nothing is, and returns the keys in order. */
export async function drain<Tx>(inbox: Inbox<Tx>): Promise<(string | null)[]> {
  const keys: (string | null)[] = [];
  for (;;) {
    const leases = await inbox.take(10, MINUTE);
    if (leases.length === 0) return keys;
    keys.push(...leases.flatMap((lease) => keysOf(lease) ?? []));
    await settle(inbox, ...leases.map((lease) => handled(lease)));
  }
}
