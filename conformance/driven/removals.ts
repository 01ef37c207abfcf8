import type { Delivery } from "../deliveries/delivery.ts";
import type { Session } from "../session.ts";
import type { Exchange } from "../transport/exchange.ts";
import { type Act, act } from "./act.ts";
import { cardWithBank } from "./links.ts";
import { itemsWithId, type Listed } from "./listed.ts";
import { authorize, post } from "./purchases.ts";
import { postAlone } from "./standalones.ts";
import { isTold, matchesOf, ofEvent, textAt } from "./told.ts";

/** A bank transaction that goes. */
export interface Removal extends Act<unknown> {
  readonly bankTransactionId: string;
  readonly bankAccountId: string;
  readonly reason: "provider_removed" | "duplicate_retired";
  /** What announced its match; left out where it had none. */
  readonly match?: Delivery;
  /** Its purchase, or its bank account, as the API shows it: what owes the deliveries. */
  readonly shown: Exchange;
  /** Whether collections list it and its match, before and after. */
  readonly transactions: Listed;
  readonly matches?: Listed;
}

/** The provider removes the posting of a purchase. */
export function removed(session: Session): Promise<Removal> {
  return session.share("scenario: the provider removes a posting", async (own) => {
    const price = { amount: 211.63, merchant: "GAERTNEREI HALM" };
    const posted = await post(own, await authorize(own, price), price);
    const { bankAccountId, bankTransactionId, shown } = posted;
    const [match] = matchesOf(posted.told, bankTransactionId);
    const subject = { bankAccountId, bankTransactionId, shown, ...(match && { match }) };
    return remove(own, "removeAtProvider", subject);
  });
}

/** A posting of a purchase comes twice, and one of the two is retired. */
export function retired(session: Session): Promise<Removal> {
  return session.share("scenario: a duplicate posting is retired", async (own) => {
    const price = { amount: 19.43, merchant: "OPTIK LINDQVIST" };
    const posted = await post(own, await authorize(own, price), price);
    const { bankAccountId, bankTransactionId, shown } = posted;
    await postAlone(own, { bankAccountId, ...price });
    const [match] = matchesOf(posted.told, bankTransactionId);
    const subject = { bankAccountId, bankTransactionId, shown, ...(match && { match }) };
    return remove(own, "retireDuplicate", subject);
  });
}

/** The provider removes a movement that was never matched. */
export function removedAlone(session: Session): Promise<Removal> {
  return session.share("scenario: the provider removes a movement", async (own) => {
    const { bankAccountId } = await cardWithBank(own);
    const price = { amount: 27.71, merchant: "SAUNA KAJAANI" };
    const { bankTransactionId, shown, told } = await postAlone(own, { bankAccountId, ...price });
    const [match] = matchesOf(told, bankTransactionId);
    const subject = { bankAccountId, bankTransactionId, shown, ...(match && { match }) };
    return remove(own, "removeAtProvider", subject);
  });
}

type Subject = Pick<Removal, "bankTransactionId" | "bankAccountId" | "match" | "shown">;

async function remove(
  session: Session,
  verb: "removeAtProvider" | "retireDuplicate",
  subject: Subject,
): Promise<Removal> {
  const { bankTransactionId, match } = subject;
  const matchId = textAt(match?.json, "/matchId");
  const list = async () => ({
    transactions: await itemsWithId(session, "GET /bank-transactions", bankTransactionId),
    matches: matchId && (await itemsWithId(session, "GET /transaction-matches", matchId)),
  });
  const before = await list();
  const step = await act(session, verb, { bankTransactionId }, () => (told) => {
    const isDeleted = isTold(told, "banktransaction.deleted", bankTransactionId);
    const values = { "/bankTransactionId": bankTransactionId };
    return isDeleted && (!match || ofEvent(told, "transaction.match.deleted", values).length > 0);
  });
  const after = await list();
  return {
    ...{ ...step, ...subject },
    reason: verb === "removeAtProvider" ? "provider_removed" : "duplicate_retired",
    transactions: { before: before.transactions, after: after.transactions },
    ...(before.matches &&
      after.matches && { matches: { before: before.matches, after: after.matches } }),
  };
}
