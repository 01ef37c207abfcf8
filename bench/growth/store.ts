import type { FeedReceiver, Verify, WorkOptions } from "../../src/webhooks/index.ts";
import { measuredPayloads } from "../payloads.ts";
import { EVENT } from "../receiver/delivery.ts";
import { template } from "../template.ts";

/** What is stored before the measurement. */
export interface Fill {
  /** In lanes of their own: half wait for a retry in a year, half are in quarantine. */
  readonly others: number;
  /** In the lane of the first transaction, before those that are measured. */
  readonly waiting: number;
  /** In the same lane, before those. */
  readonly quarantined: number;
}

/** An inbox that is measured, with a table for effects. */
export interface GrowthStore {
  fill(fill: Fill): Promise<void>;
  /** Starts a receiver, whose handler writes an effect. Call `end` afterwards. */
  start(work: WorkOptions | false): { readonly receiver: FeedReceiver; end(): Promise<void> };
  countEffects(): Promise<number>;
  clearEffects(): Promise<void>;
  close(): Promise<void>;
}

export const YEAR_MS = 31_536_000_000;

/** Accepts every delivery with its id. */
export const verify: Verify = ({ headers }) => ({
  verified: true,
  deliveryId: headers.get("webhook-id"),
});

/** The body of a delivery of the nth transaction. */
export const bodyText = template(JSON.stringify(measuredPayloads[EVENT].body));

/** The lane of the nth transaction. */
export const laneOf = (n: number) => `transactions:${JSON.parse(bodyText(n)).id}`;
