import type { Verb } from "../../../../conformance/driver.ts";
import { checkHistory } from "../../../../conformance/observe/deliveries/history.ts";
import type { Feed } from "../../../../conformance/observe/feed.ts";
import type { Capabilities } from "../../../../conformance/target.ts";
import type { Delivery } from "../../../../conformance/wire/exchange.ts";
import { claims } from "../../../../generated/requirements.ts";
import { DEFAULT_NETWORKS } from "../../../../src/contract/networks.ts";

/** A delivery as in a scenario or an example. */
export interface Sent {
  readonly headers: { readonly "webhook-event-type": string };
  readonly body: unknown;
}

/** Deliveries as recorded by the receiver: sequential or concurrent. */
export function captured(sent: readonly Sent[], { atOnce = false } = {}): Delivery[] {
  return sent.map(({ headers, body }, at) => {
    const from = Date.UTC(2026, 0, 1) + (atOnce ? 0 : at * 10);
    return {
      nr: 1000 + at,
      receivedAt: new Date(from).toISOString(),
      answeredAt: new Date(from + 4).toISOString(),
      request: { method: "POST", path: "/", headers, body: JSON.stringify(body) },
      name: headers["webhook-event-type"],
      json: body,
    };
  });
}

/** A feed of an empty server. */
export function emptyFeed(responses: Feed["responses"] = []): Feed {
  const lists = [
    ...(["GET /cards", "GET /transactions"] as const),
    ...(["GET /bank-transactions", "GET /transaction-matches"] as const),
  ];
  const walks = new Map(
    lists.map((operation) => [operation, { operation, pages: [], end: { kind: "last" } as const }]),
  );
  return { walks, responses, links: [], of: () => [] } as unknown as Feed;
}

export function capabilitiesWith(verbs: readonly Verb[] = []): Capabilities {
  return {
    profile: "full",
    networks: DEFAULT_NETWORKS,
    sdkCredentials: false,
    secondAccount: false,
    writes: false,
    deliveries: true,
    verbs,
  };
}

/** The requirements that a history breaks, with the evidence in readable form. */
export function brokenBy(
  deliveries: readonly Delivery[],
  { verbs = [], feed = emptyFeed() }: { verbs?: readonly Verb[]; feed?: Feed } = {},
): string[] {
  const { breaches } = checkHistory(deliveries, feed, capabilitiesWith(verbs));
  return breaches.map(
    ({ claim, path, expected, actual }) =>
      `${claims[claim].requirement} ${path}: ${expected}, not ${actual}`,
  );
}

/** The ids of the broken requirements only. */
export function requirementsBrokenBy(...params: Parameters<typeof brokenBy>): string[] {
  return [...new Set(brokenBy(...params).map((line) => line.split(" ")[0] as string))].sort();
}
