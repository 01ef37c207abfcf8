import type { Kind } from "../../../world/resources.ts";
import type { VerbName } from "../../../world/verbs/names.ts";
import { control, type Params } from "./api.ts";
import { labelOf } from "./kinds.tsx";
import { page } from "./model.ts";

/** A value that a field takes. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The kind of resource whose id a parameter takes. */
const KIND_OF_ID: Readonly<Record<string, Kind>> = {
  subaccountId: "subaccounts",
  cardId: "cards",
  subscriptionId: "card-subscriptions",
  feedId: "network-bulk-feeds",
  bankLinkId: "bank-links",
  bankAccountId: "bank-accounts",
  bankTransactionId: "bank-transactions",
  transactionId: "transactions",
  messageId: "transaction-messages",
};

/** The most resources that a picker tries. */
const MAX_TRIED = 50;

/**
 * The choices of a verb's parameter; undefined if it takes any value. An id is one of the resources
 * with which the verb is possible.
 *
 * @param given the parameters that are given already
 */
export function choicesOf(
  name: string,
  verb: VerbName,
  given: Params,
): (() => Promise<readonly Choice[]>) | undefined {
  if (name === "network") {
    const networks = Object.values(page.view.status.networks);
    return async () => networks.map((value) => ({ value, label: value }));
  }
  if (name === "accountId") return accountChoices;
  const kind = KIND_OF_ID[name];
  return kind && (() => applicable(kind, (id) => ({ verb, params: { ...given, [name]: id } })));
}

async function applicable<K extends Kind>(
  kind: K,
  callWith: (id: string) => { verb: VerbName; params: Params },
): Promise<readonly Choice[]> {
  const found = await control.resources(kind, { limit: MAX_TRIED });
  const runs = await control.dryRun({ calls: found.map(({ id }) => callWith(id)) });
  const possible = found.filter((_, at) => runs[at]?.refusal === null);
  return possible.map((resource) => ({ value: resource.id, label: labelOf(kind, resource) }));
}

export async function accountChoices(): Promise<readonly Choice[]> {
  const { accounts } = page.view.status;
  return accounts.map(({ accountId }, at) => ({ value: accountId, label: `account ${at + 1}` }));
}
