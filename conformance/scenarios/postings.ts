import type { Situation } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Session } from "../check.ts";
import { Skip } from "../run/capabilities.ts";
import type { Exchange } from "../wire/exchange.ts";
import { driveAndWait, runScenarios, type Scenarios, type VerbOutcome } from "./act.ts";
import { findEvents, isAnnounced } from "./find-deliveries.ts";
import { itemsWithId, listedSoon } from "./listed.ts";
import { accountWithoutCard } from "./subscriptions.ts";

/** A posting that is no booked debit. */
export interface SpecialPosting extends VerbOutcome<unknown> {
  readonly situation: Situation;
  readonly bankAccountId: string;
  readonly bankTransactionId: string;
  /** The values that show what it is, by JSON pointer. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The page of GET /bank-transactions with it. */
  readonly resource: Exchange;
}

interface Special {
  readonly situation: Situation;
  readonly wish: { readonly type: "credit" } | { readonly pending: true };
  readonly amount: number;
  readonly merchant: string;
  /** The field that shows whether the target fulfilled the wish, with its value. */
  readonly shows: readonly [field: "transactionType" | "pending", value: unknown];
}

const SPECIAL: readonly Special[] = [
  {
    ...({ situation: "credit-posting", wish: { type: "credit" } } as const),
    ...{ amount: 38.29, merchant: "TUCHHAUS REIMERS", shows: ["transactionType", "credit"] },
  },
  {
    ...({ situation: "pending-posting", wish: { pending: true } } as const),
    ...{ amount: 56.41, merchant: "PENSION ALMBLICK", shows: ["pending", true] },
  },
];

/** Posts a credit and a pending debit. Skips those that the target posts as a booked debit. */
export function specialPostings(session: Session): Promise<Scenarios<SpecialPosting>> {
  return session.share("scenario: a credit and a pending debit are posted", (own) => {
    return runScenarios(...SPECIAL.map((special) => () => postSpecial(own, special)));
  });
}

async function postSpecial(session: Session, special: Special): Promise<SpecialPosting> {
  const { situation, wish, amount, merchant, shows } = special;
  const [field, value] = shows;
  const bankAccountId = await accountWithoutCard(session);
  const posting = { bankAccountId, amount, merchant, ...wish };
  const step = await driveAndWait(
    session,
    "postAtBank",
    posting,
    ({ bankTransactionId: id }) =>
      (deliveries) =>
        isAnnounced(deliveries, "banktransaction.created", id),
  );
  const { bankTransactionId } = step.result;
  const { items, page } = await listedSoon(
    session,
    () => itemsWithId(session, "GET /bank-transactions", bankTransactionId),
    (found) => found.items.length > 0 || !found.isWhole,
  );
  const sent = findEvents(step.deliveries, "banktransaction.created", { "/id": bankTransactionId });
  const isShown = [...items, ...sent.map(({ json }) => json)].some(
    (view) => memberOf(view, field) === value,
  );
  if (!isShown) throw new Skip(`the target posted nothing with ${field} ${value}`);
  const values = {
    ...{ "/bankAccountId": bankAccountId, "/amount": amount, "/currency": "EUR" },
    [`/${field}`]: value,
  };
  return { ...step, situation, bankAccountId, bankTransactionId, values, resource: page };
}
