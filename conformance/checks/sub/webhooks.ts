import type { ClaimId } from "../../../generated/requirements.ts";
import { each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import {
  differencesOf,
  pick,
  referencedResources,
  unexplained,
} from "../../observe/deliveries/api-lookups.ts";
import { allNamed, isNamed } from "../../observe/deliveries/reading.ts";
import { byId } from "../shared/histories.ts";

const EVENTS = ["cardsubscription.created", "cardsubscription.updated"] as const;
const NONE = "no subscription was delivered";

/** The fields whose changes are announced. */
const FIELDS = [
  ...["id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"],
  ...["bankAccountId", "customerReferenceId", "createdAt"],
];

export const subscriptionDeliveryChecks: readonly Check[] = [
  // SUB-01: A card subscription has the fields of its table; enrollmentType is cardholder-single,
  // network-bulk or bank-feed.
  servedAsAnnounced("SUB-01.same-as-event", "GET of a subscription equals its last event", {
    view: (body) => pick(body, FIELDS),
    // The API may lag behind its events, but each change is announced.
    isComparable: (served, announced) => served >= announced,
  }),
];

/**
 * Creates a check that a GET of a subscription equals its last event.
 *
 * @param compared.view The part to compare.
 * @param compared.isComparable Whether to compare a resource with an event, by their `updatedAt`.
 */
export function servedAsAnnounced(
  claim: ClaimId,
  title: string,
  compared: {
    readonly view: (body: unknown) => unknown;
    readonly isComparable: (served: string, announced: string) => boolean;
  },
): Check {
  const { view, isComparable } = compared;
  return {
    claims: [claim],
    title,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const { history, at } = await referencedResources(session);
      const requested = byId(allNamed(history.reading.typed, ...EVENTS)).flatMap((all) => {
        const latest = all.reduce((one, other) =>
          other.body.updatedAt >= one.body.updatedAt ? other : one,
        );
        const { exchange, response } = at(latest.body._links.self.href) ?? {};
        if (!exchange || !response?.isJson) return [];
        // Other checks report an invalid shape.
        const served = exchange.response?.json as typeof latest.body;
        const isBroken = response.findings.some(({ level }) => level === "error");
        if (isBroken || !isComparable(served.updatedAt, latest.body.updatedAt)) return [];
        const differences = all
          .filter(({ body }) => body.updatedAt === latest.body.updatedAt)
          .map(({ body }) => differencesOf(view(body), view(served)));
        const isAnnounced = differences.some((found) => found.length === 0);
        const evidence = [exchange, latest.delivery] as const;
        const found = isAnnounced ? [] : (differences.at(-1) ?? []);
        const breaches = found.map((one) => ({ ...one, evidence }));
        return [{ id: latest.body.id, type: latest.body.enrollmentType, breaches }];
      });
      const wrong = requested.filter(({ breaches }) => breaches.length > 0);
      const remaining = new Set(
        await unexplained(session, wrong, ({ id }, later) =>
          later.some((one) => isNamed(one, ...EVENTS) && one.body.id === id),
        ),
      );
      return each(
        requested,
        new Skip(NONE),
        (one) => (remaining.has(one) ? one.breaches : []),
        ({ type }) => [type],
      );
    },
  };
}
