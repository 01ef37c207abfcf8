import type { RequirementId } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { each } from "../../assert.ts";
import {
  type Breach,
  type Check,
  type Decides,
  decides,
  requirementOf,
  Skip,
} from "../../check.ts";
import {
  bankTransactionDifferences,
  type ReferencedResource,
  type ReferencedResources,
  referencedResources,
  unexplained,
} from "../../observe/deliveries/api-lookups.ts";
import {
  allNamed,
  postingIdsOf,
  removedBy,
  type TypedDelivery,
} from "../../observe/deliveries/reading.ts";
import { situationsOf } from "../../observe/situations.ts";
import { outcomeOf } from "../../wire/exchange.ts";

/** A bank transaction that a delivery names, and the API's response for it. */
interface Named {
  readonly id: string;
  readonly by: TypedDelivery;
  readonly lookup: ReferencedResource;
}

/** Selects the ids of bank transactions in deliveries, by requirement. */
const NAMING: Partial<
  Record<RequirementId, (typed: readonly TypedDelivery[]) => Pick<Named, "id" | "by">[]>
> = {
  "MSG-11": (typed: readonly TypedDelivery[]) =>
    typed.flatMap((by) => postingIdsOf(by).map((id) => ({ id, by }))),
  "MAT-04": (typed: readonly TypedDelivery[]) =>
    allNamed(typed, "transaction.match.created").flatMap((by) =>
      by.body.matches.map(({ id }) => ({ id, by })),
    ),
};

/**
 * Creates a check that the API finds bank transactions by the join key in deliveries. Bank
 * transactions that were announced as deleted may be missing.
 */
export function resolves(what: Decides, title: string): Check {
  const names = NAMING[requirementOf(what)] ?? (() => []);
  return {
    ...decides(what),
    title,
    requires: ["deliveries", "state"],
    run: async (session) => {
      const referenced = await referencedResources(session);
      const { typed, mayMention } = referenced.history.reading;
      const named = askedFor(names(typed), referenced, removedBy(typed));
      const missing = await unexplained(
        session,
        named.filter(isMissing),
        ({ id }, later) => removedBy(later).has(id) || mayMention(id),
      );
      const isBreach = new Set(missing);
      const skip = new Skip("no delivery names a bank transaction that can be fetched");
      const { networks } = session.capabilities;
      const find = (one: Named): Breach[] => {
        const { id, by, lookup } = one;
        if (!isBreach.has(one)) return [];
        const expected = `200 with id ${id}`;
        const { exchange, response } = lookup;
        const actual = response?.isJson
          ? `id ${memberOf(exchange.response?.json, "id")}`
          : outcomeOf(exchange);
        return [{ expected, actual, evidence: [exchange, by.delivery] }];
      };
      return each(named, skip, find, ({ by }) => situationsOf(by.body, networks));
    },
  };
}

/** The requested bank transactions, without duplicates and removed ones. */
function askedFor(
  named: readonly Pick<Named, "id" | "by">[],
  { at, postingPath }: ReferencedResources,
  removed: ReadonlySet<string>,
): Named[] {
  const first = new Map<string, Named>();
  for (const { id, by } of named) {
    const lookup = at(postingPath(id));
    if (lookup && !first.has(id) && !removed.has(id)) first.set(id, { id, by, lookup });
  }
  return [...first.values()];
}

function isMissing({ id, lookup: { exchange, response } }: Named): boolean {
  return !response?.isJson || memberOf(exchange.response?.json, "id") !== id;
}

/** Compares a bank transaction's event with the API, in the fields that both have (EP-10). */
export const agreesWithEvent: Check = {
  claims: ["EP-10.same-as-event"],
  title: "GET of a bank transaction equals its event",
  requires: ["deliveries", "state"],
  run: async (session) => {
    const referenced = await referencedResources(session);
    const { typed } = referenced.history.reading;
    const announced = allNamed(typed, "banktransaction.created").map((by) => ({
      id: by.body.id,
      by,
    }));
    const named = askedFor(announced, referenced, removedBy(typed));
    const different = named.map((one) => ({ id: one.id, breaches: breachesOf(one) }));
    const remaining = await unexplained(
      session,
      different.filter(({ breaches }) => breaches.length > 0),
      ({ id }, later) => removedBy(later).has(id),
    );
    const found = new Map(remaining.map(({ id, breaches }) => [id, breaches]));
    const skip = new Skip("no bank transaction with a known subaccount was delivered");
    return each(named, skip, ({ id }) => found.get(id) ?? []);
  },
};

function breachesOf({ by, lookup: { exchange, response } }: Named): Breach[] {
  const { delivery, body } = by as TypedDelivery<"banktransaction.created">;
  const evidence = [exchange, delivery] as const;
  if (!response?.isJson) {
    return [{ expected: "200 with JSON", actual: outcomeOf(exchange), evidence }];
  }
  const differences = bankTransactionDifferences(body, exchange.response?.json);
  return differences.map((one) => ({ ...one, evidence }));
}
