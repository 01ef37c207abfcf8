import { DEFAULT_NETWORKS } from "../../src/contract/networks.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { contentOf, textAt } from "../observe/deliveries/find.ts";
import { listAt } from "../observe/feed.ts";
import { situationsOf } from "../observe/situations.ts";
import type { Delivery } from "../wire/exchange.ts";
import { owedByCreatedCards } from "./completions.ts";
import { about, retractionIn, values } from "./owed.ts";
import type { Owed } from "./row.ts";
import type { World } from "./world.ts";

/**
 * The events that are owed because of other events, whatever step has caused these.
 *
 * @param before The state before the deliveries.
 * @param world The state with them.
 */
export function consequencesOf(
  before: World,
  world: World,
  deliveries: readonly Delivery[],
): Owed[] {
  const known = new Set(before.deliveries.map(contentOf));
  // A repeated delivery causes nothing.
  const fresh = deliveries.filter((one) => !known.has(contentOf(one)));
  return fresh.flatMap((delivery) => {
    if (delivery.name === "banklink.completed") return owedByCreatedCards(delivery.json);
    if (delivery.name === "transaction.match.created") return nettings(world, delivery);
    if (delivery.name === "transaction.match.deleted") return retractionIn(before, delivery);
    return [];
  });
}

const NETTED = { "/transactionSettledAmount": 0, "/cardholderBillingSettledAmount": 0 };

/**
 * Transaction, row 3: a match of any confidence revises the standalone transaction of its movement
 * to 0, unless an earlier match has.
 */
function nettings(world: World, { json, nr }: Delivery): Owed[] {
  if (!world.matches.has(textAt(json, "/matchId") ?? "")) return [];
  const standalones = listAt(json, "matches").flatMap((one) =>
    world.standalonesOf(textAt(one, "/id") ?? ""),
  );
  return standalones.flatMap((standalone): Owed[] => {
    const id = textAt(standalone.json, "/id") ?? "";
    const earlier = world.deliveries.findLast((one) => {
      return one.nr < nr && one.name.startsWith("transaction.") && textAt(one.json, "/id") === id;
    });
    if (memberOf(earlier?.json, "transactionSettledAmount") === 0) return [];
    const confidence = textAt(json, "/confidence") ?? "";
    return [
      {
        claims: ["TXN-14.updated", "TXN-14.netted"],
        ...about("transaction.updated", "/id", id, " with its settled amounts revised to 0"),
        wants: [
          values("TXN-14.netted", NETTED),
          values("TXN-14.stays-settled", { "/status": "SETTLED" }),
        ],
        in: situationsOf({ confidence }, DEFAULT_NETWORKS),
        row: { table: "transaction", row: 3, case: confidence },
      },
    ];
  });
}
