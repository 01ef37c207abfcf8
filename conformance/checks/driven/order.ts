import { memberOf } from "../../../src/contract/pointer.ts";
import { type Check, type Found, Skip } from "../../check.ts";
import { activeAtOnce, clearedAtOnce, type Hurried } from "../../driven/hurried.ts";
import { Look } from "../../driven/look.ts";
import { areInverted, ofEvent } from "../../driven/told.ts";
import { AUTHORIZED, CLEARED } from "./needs.ts";

/** The aggregate table; what the projection has may be switched off (TXN-10). */
const TRANSACTION = [
  ...["id", "subaccountId", "cardId", "network", "status", "descriptor", "acceptor"],
  ...["transactionCurrency", "cardholderBillingCurrency", "transactionHoldAmount"],
  ...["transactionSettledAmount", "cardholderBillingHoldAmount", "transactionType"],
  ...["cardholderBillingSettledAmount", "supersededMessageIds", "createdAt", "updatedAt", "_links"],
];

const SUBSCRIPTION = [
  ...["id", "subaccountId", "cardId", "enrollmentType", "state", "networkBulkFeedId"],
  ...["customerReferenceId", "effectiveDate", "expirationDate", "createdAt", "updatedAt", "_links"],
];

const NOTHING = "nothing was announced as created and then as updated";

/** What changes as soon as it is there. */
export const orderChecks: readonly Check[] = [
  {
    requirement: "WHK-05",
    title: "a purchase that is cleared at once is created, then updated",
    requires: [...AUTHORIZED, "verb:clear"],
    alternative: true,
    run: async (session) => inOrder(await clearedAtOnce(session), "transaction", TRANSACTION),
  },
  {
    requirement: "SUB-09",
    title: "a subscription that changes at once is created, then updated",
    requires: CLEARED,
    alternative: true,
    run: async (session) => inOrder(await activeAtOnce(session), "cardsubscription", SUBSCRIPTION),
  },
];

/** The update comes later, and has the fields of the table that the creation has. */
function inOrder(
  { ids, told }: Hurried,
  kind: "transaction" | "cardsubscription",
  fields: readonly string[],
): Found | Skip {
  const pairs = ids.flatMap((id) => {
    const [created] = ofEvent(told, `${kind}.created`, { "/id": id });
    const [updated] = ofEvent(told, `${kind}.updated`, { "/id": id });
    return created && updated ? ([[created, updated]] as const) : [];
  });
  const [pair] = pairs;
  if (!pair) return new Skip(NOTHING);
  const look = new Look();
  look.that(!areInverted(pairs), {
    expected: `${kind}.created, then ${kind}.updated`,
    actual: `the other way round, ${pairs.length} times of ${pairs.length}`,
    shownBy: pair,
  });
  for (const [created, updated] of pairs) {
    const has = (one: typeof created, name: string) => memberOf(one.json, name) !== undefined;
    const missing = fields.filter((name) => has(created, name) && !has(updated, name));
    look.that(missing.length === 0, {
      expected: "the shape of the one created",
      actual: `the same without ${missing.join(", ")}`,
      shownBy: [updated, created],
    });
  }
  return look.found(NOTHING);
}
