import { make } from "../src/fixtures/index.ts";
import { template } from "./template.ts";
import type { MeasuredEvent } from "./validation/libraries/library.ts";
import { replaceAt } from "./validation/variants.ts";

/** A payload to measure. */
export interface MeasuredPayload {
  readonly title: string;
  readonly body: unknown;
  /** JSON pointer of the amount that invalid payloads have as a string: the deepest one. */
  readonly invalidPath: string;
}

/** The payloads of the benchmark: fixtures. */
export const measuredPayloads: Readonly<Record<MeasuredEvent, MeasuredPayload>> = {
  "transaction.updated": {
    title: "transaction",
    body: make("transaction.updated", {}, { variant: "settled-by-network" }),
    invalidPath: "/_embedded/messages/2/transactionAmount",
  },
  "banktransaction.created": {
    title: "bank transaction",
    body: make("banktransaction.created"),
    invalidPath: "/amount",
  },
  "transaction.match.created": {
    title: "match",
    body: make("transaction.match.created"),
    invalidPath: "/matches/0/amount",
  },
};

/** The kinds of payload that the benchmark generates. */
export type Kind = "valid" | "invalid" | "invalid by a rule" | "invalid in five fields";

/** The invalid values of a transaction of each kind, by JSON pointer. */
const INVALID_TRANSACTIONS: Partial<Record<Kind, Record<string, unknown>>> = {
  // MSG-04: only NETWORK_C has a traceId.
  "invalid by a rule": { "/_embedded/messages/2/traceId": "000734120056" },
  "invalid in five fields": {
    "/status": null,
    "/acceptor/mcc": 5812,
    "/createdAt": "2025-02-30T12:30:16.120Z",
    "/_links/messages/1/href": "https://feed.example/transaction-messages/1",
    "/_embedded/messages/2/transactionAmount": "42.50",
  },
};

/**
 * Generates texts of one payload with equal size and different ids, so that caching strings brings
 * no advantage.
 */
export function payloadTexts(event: MeasuredEvent, kind: Kind, count: number): string[] {
  const { body, invalidPath: faultAt } = measuredPayloads[event];
  const values = INVALID_TRANSACTIONS[kind] ?? (kind === "invalid" ? { [faultAt]: "42.50" } : {});
  const varied = Object.entries(values).reduce<unknown>(
    (copy, [path, value]) => replaceAt(copy, path, value),
    body,
  );
  const text = template(JSON.stringify(varied));
  return Array.from({ length: count }, (_, n) => text(n));
}
