import { example } from "./examples.ts";
import { template } from "./template.ts";
import type { MeasuredEvent } from "./validation/libraries/library.ts";
import { replaceAt } from "./validation/variants.ts";

/** A payload that is measured. */
export interface MeasuredPayload {
  readonly title: string;
  readonly body: unknown;
  /** Where the broken ones carry an amount as a string: as deep inside as there is one. */
  readonly invalidPath: string;
}

/** The payloads of the bench, all of them examples of the contract. */
export const measuredPayloads: Readonly<Record<MeasuredEvent, MeasuredPayload>> = {
  "transaction.updated": {
    title: "transaction",
    body: example("transaction.updated", "superseded-after-clearing"),
    invalidPath: "/_embedded/messages/2/transactionAmount",
  },
  "banktransaction.created": {
    title: "bank transaction",
    body: example("banktransaction.created", "debit"),
    invalidPath: "/amount",
  },
  "transaction.match.created": {
    title: "match",
    body: example("transaction.match.created", "high"),
    invalidPath: "/matches/0/amount",
  },
};

/** The kinds of body that the bench makes. */
export type Kind = "sound" | "broken" | "broken by a rule" | "broken in five places";

/** What is wrong with a transaction of each kind, by its place. */
const TRANSACTION_FAULTS: Partial<Record<Kind, Record<string, unknown>>> = {
  // MSG-04: only NETWORK_C has one.
  "broken by a rule": { "/_embedded/messages/2/traceId": "000734120056" },
  "broken in five places": {
    "/status": null,
    "/acceptor/mcc": 5812,
    "/createdAt": "2025-02-30T12:30:16.120Z",
    "/_links/messages/1/href": "https://feed.example/transaction-messages/1",
    "/_embedded/messages/2/transactionAmount": "42.50",
  },
};

/**
 * Makes texts of one payload, alike in size and different in every id, so that nothing that
 * remembers a string is flattered.
 */
export function payloadTexts(event: MeasuredEvent, kind: Kind, count: number): string[] {
  const { body, invalidPath: faultAt } = measuredPayloads[event];
  const faults = TRANSACTION_FAULTS[kind] ?? (kind === "broken" ? { [faultAt]: "42.50" } : {});
  const made = Object.entries(faults).reduce<unknown>(
    (varied, [path, value]) => replaceAt(varied, path, value),
    body,
  );
  const text = template(JSON.stringify(made));
  return Array.from({ length: count }, (_, n) => text(n));
}
