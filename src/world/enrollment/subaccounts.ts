import * as z from "zod";
import { bareBody } from "../../model/links.ts";
import { accountFor } from "../accounts.ts";
import { Text, verbParams } from "../fields.ts";
import { type Given, namedOrLatest } from "../lookup.ts";
import type { Of } from "../schema.ts";
import type { UnitOfWork } from "../unit-of-work.ts";
import { verb } from "../verbs/verb.ts";

export const OpenSubaccountParams = verbParams({ name: Text.optional() }).describe(
  "A new subaccount.",
);
export type OpenSubaccountParams = Of<typeof OpenSubaccountParams>;

/** Opens a subaccount. */
export const openSubaccount = verb({
  name: "open-subaccount",
  summary: "Opens a subaccount",
  requirements: [],
  params: OpenSubaccountParams,
  result: z.object({ subaccountId: z.string() }),
  example: { name: "Travel" },
  run: (work, { accountId, name }) => {
    return { subaccountId: addSubaccount(work, accountFor(work.store, accountId), name) };
  },
});

/**
 * Adds a subaccount.
 *
 * @param name shown only by the control API
 * @returns its id
 */
function addSubaccount(work: UnitOfWork, accountId: string, name?: string): string {
  const id = work.random.id("subaccount");
  const place = work.store.latest("subaccounts", accountId).length + 1;
  work.insert({
    kind: "subaccounts",
    id,
    accountId,
    subaccountId: id,
    parent: accountId,
    body: bareBody("subaccounts", id),
    internal: { name: name ?? `Subaccount ${place}` },
  });
  return id;
}

/** A subaccount, with its account. */
export interface SubaccountRef {
  readonly accountId: string;
  readonly subaccountId: string;
}

/** The given subaccount, the account's latest, or a new one. */
export function subaccountFor(
  work: UnitOfWork,
  { subaccountId, accountId }: Given<"subaccountId">,
): SubaccountRef {
  const which = { id: subaccountId, accountId };
  const found = namedOrLatest(work.store, "subaccounts", which, () => true);
  if (found) return { accountId: found.accountId, subaccountId: found.id };
  const owner = accountFor(work.store, accountId);
  return { accountId: owner, subaccountId: addSubaccount(work, owner) };
}
