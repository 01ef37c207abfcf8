import { resources } from "../../generated/resources.ts";
import { BANK_TRANSACTION, MATCH, pathTo } from "../observe/subaccounts.ts";
import type { Session } from "../run/session.ts";
import { deliveriesSince, drive } from "./act.ts";
import { findMatches, isAnnounced, textAt } from "./find-deliveries.ts";
import { cardWithBank } from "./links.ts";

/** A resource that no request has named yet, and where to request it. */
export interface FreshResource {
  readonly id: string;
  readonly path: string;
}

const PRICE = { amount: 23.89, merchant: "BUCHBINDEREI KOLB" };

/** Creates resources of several kinds, and requests none of them. */
export function freshResources(session: Session): Promise<readonly FreshResource[]> {
  return session.share("scenario: resources are created but not requested", async (own) => {
    const { cardId, bankAccountId } = await cardWithBank(own);
    const since = (await own.deliveries()).length;
    const { cardId: newCardId, subscriptionId } = await drive(own, "enroll", undefined);
    const link = await drive(own, "startLink", { accounts: [{ type: "depository" }] });
    const { transactionId, messageId } = await drive(own, "authorize", { cardId, ...PRICE });
    const posting = { bankAccountId, transactionId, ...PRICE };
    const { bankTransactionId } = await drive(own, "postAtBank", posting);
    const deliveries = await deliveriesSince(own, since, (all) => {
      const isMatched = findMatches(all, bankTransactionId).length > 0;
      return isMatched && isAnnounced(all, "transaction.created", transactionId);
    });
    const created = deliveries.find(({ json }) => textAt(json, "/id") === transactionId);
    const subaccountId = textAt(created?.json, "/subaccountId");
    const [match] = findMatches(deliveries, bankTransactionId);
    const matchId = textAt(match?.json, "/matchId");
    const below = ({ path }: { readonly path: string }, id: string) => ({
      id,
      path: `${path}/${encodeURIComponent(id)}`,
    });
    const within = (operation: typeof MATCH | typeof BANK_TRANSACTION, id: string | undefined) =>
      subaccountId === undefined || id === undefined
        ? []
        : [{ id, path: pathTo(operation, subaccountId, id) }];
    return [
      below(resources.transactions, transactionId),
      below(resources.transactionMessages, messageId),
      below(resources.cards, newCardId),
      below(resources.cardSubscriptions, subscriptionId),
      ...within(BANK_TRANSACTION, bankTransactionId),
      ...within(MATCH, matchId),
      // The interface shows no GET of a single link.
      { id: link.bankLinkId, path: `${resources.bankLinks.path}?limit=100` },
    ];
  });
}
