import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import { Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  deliveriesSince,
  drive,
  driveAndWait,
  hasVerbs,
  readMessage,
  readTransaction,
  unlessRefused,
  type VerbOutcome,
} from "./act.ts";
import { whileLost } from "./connections.ts";
import { findEvents, findMatches, isAnnounced, listAt, textAt } from "./find-deliveries.ts";
import { cardWithBank } from "./links.ts";
import { isThere, itemsWithId, type Listed, listedSoon } from "./listed.ts";
import { postStandalone, type Standalone } from "./postings.ts";
import { authorize, bankMessageOf, clear, post } from "./purchases.ts";
import { LATE_PRICES, lateMatchOf } from "./standalones.ts";

/** A bank transaction that is removed. */
export interface Removal extends VerbOutcome<unknown> {
  readonly bankTransactionId: string;
  readonly bankAccountId: string;
  readonly reason: "provider_removed" | "duplicate_retired";
  /** The announcement of its match, if there was one. */
  readonly match?: Delivery;
  /** The API's response for its purchase or its bank account. */
  readonly resource: Exchange;
  /** The bank transaction and its match in their collections, before and after. */
  readonly transactions: Listed;
  readonly matches?: Listed;
}

/** Removes the posting of a purchase at the provider. */
export function removed(session: Session): Promise<Removal> {
  return session.share("scenario: the provider removes a posting", async (own) => {
    const price = { amount: 211.63, merchant: "GAERTNEREI HALM" };
    const posted = await post(own, await authorize(own, price), price);
    const { bankAccountId, bankTransactionId, resource } = posted;
    const [match] = findMatches(posted.deliveries, bankTransactionId);
    const subject = { bankAccountId, bankTransactionId, resource, ...(match && { match }) };
    return remove(own, "removeAtProvider", subject);
  });
}

/** A superseded message of the bank whose bank transaction the provider removed. */
export interface Orphaned {
  /** The API's responses after the removal: for the purchase, and for the message. */
  readonly resource: Exchange;
  readonly message: Exchange;
}

/**
 * Removes the posting of a purchase that the network has cleared since.
 *
 * @throws {Skip} if the bank's message is not superseded then: a removal may detach it
 */
export function orphaned(session: Session): Promise<Orphaned> {
  return session.share("scenario: the posting of a cleared purchase is removed", async (own) => {
    const price = { amount: 134.57, merchant: "FISCHHALLE HAMM" };
    const posted = await post(own, await authorize(own, price), price);
    const { bankTransactionId, transactionId } = posted;
    const provisional = bankMessageOf(posted, bankTransactionId);
    const messageId = textAt(provisional && bodyOf(provisional), "/id");
    await clear(own, posted);
    await driveAndWait(own, "removeAtProvider", { bankTransactionId }, () => (deliveries) => {
      return isAnnounced(deliveries, "banktransaction.deleted", bankTransactionId);
    });
    const resource = await readTransaction(own, transactionId);
    const superseded = listAt(bodyOf(resource), "supersededMessageIds");
    if (messageId === undefined || !superseded.includes(messageId)) {
      throw new Skip("the purchase has no superseded message of a removed posting");
    }
    return { resource, message: await readMessage(own, messageId) };
  });
}

/** Posts a purchase twice and retires one of the two postings. */
export function retired(session: Session): Promise<Removal> {
  return session.share("scenario: a duplicate posting is retired", async (own) => {
    const price = { amount: 19.43, merchant: "OPTIK LINDQVIST" };
    const posted = await post(own, await authorize(own, price), price);
    const { bankAccountId, bankTransactionId, resource } = posted;
    await postStandalone(own, { bankAccountId, ...price });
    const [match] = findMatches(posted.deliveries, bankTransactionId);
    const subject = { bankAccountId, bankTransactionId, resource, ...(match && { match }) };
    return remove(own, "retireDuplicate", subject);
  });
}

/** Removes a movement without a purchase at the provider. */
export function removedUnmatched(session: Session): Promise<Removal> {
  return session.share("scenario: the provider removes a movement", async (own) => {
    const { bankAccountId } = await cardWithBank(own);
    const price = { amount: 27.71, merchant: "SAUNA KAJAANI" };
    const movement = await postStandalone(own, { bankAccountId, ...price });
    return remove(own, "removeAtProvider", subjectOf(movement));
  });
}

/** Posts a movement twice and retires the second one. */
export function retiredUnmatched(session: Session): Promise<Removal> {
  return session.share("scenario: a duplicate movement is retired", async (own) => {
    const { bankAccountId } = await cardWithBank(own);
    const posting = { bankAccountId, amount: 33.57, merchant: "MOLINO DE ARENAS" };
    await postStandalone(own, posting);
    return remove(own, "retireDuplicate", subjectOf(await postStandalone(own, posting)));
  });
}

/**
 * Removes a movement while the connection of its account is lost. The target may announce it after
 * the recovery. Meanwhile, the bank posts another one, which the target may refuse or hold back.
 */
export function removedWhileLost(session: Session): Promise<Removal> {
  return session.share("scenario: a movement is removed while disconnected", async (own) => {
    const posted = await whileLost(
      own,
      (bankAccountId) =>
        postStandalone(own, { bankAccountId, amount: 64.13, merchant: "BUVETTE GARENNE" }),
      async (movement) => {
        const { bankAccountId } = movement;
        const held = { bankAccountId, amount: 71.87, merchant: "RASTSTAETTE WALDAU" };
        await unlessRefused(() => drive(own, "postAtBank", held));
        return remove(own, "removeAtProvider", subjectOf(movement));
      },
    );
    const { bankTransactionId, since, transactions } = posted;
    const deliveries = await deliveriesSince(own, since, (all) => {
      return isAnnounced(all, "banktransaction.deleted", bankTransactionId);
    });
    const after = await itemsWithId(own, "GET /bank-transactions", bankTransactionId);
    return { ...posted, deliveries, transactions: { ...transactions, after } };
  });
}

function subjectOf({
  bankAccountId,
  bankTransactionId,
  resource,
  deliveries,
}: Standalone): RemovalSubject {
  const [match] = findMatches(deliveries, bankTransactionId);
  return { bankAccountId, bankTransactionId, resource, ...(match && { match }) };
}

/** Ends postings whose matches with late card data have a lower confidence, if there are any. */
export function endedLate(session: Session): Promise<readonly Removal[]> {
  return session.share("scenario: postings with uncertain matches end", async (own) => {
    const ended: Removal[] = [];
    for (const [confidence, verb] of UNCERTAIN) {
      if (!hasVerbs(own, verb, "tellLate")) continue;
      // Checks of TXN-14 report a refusal.
      await unlessRefused(async () => {
        const late = await lateMatchOf(own, confidence);
        const { bankAccountId, bankTransactionId } = late.standalone;
        const [match] = late.matches;
        if (!match) return;
        if (verb === "retireDuplicate") {
          await postStandalone(own, { bankAccountId, ...LATE_PRICES[confidence] });
        }
        const subject = { bankAccountId, bankTransactionId, resource: late.resource, match };
        ended.push(await remove(own, verb, subject));
      });
    }
    return ended;
  });
}

const UNCERTAIN = [
  ["MEDIUM", "retireDuplicate"],
  ["LOW", "removeAtProvider"],
] as const;

type RemovalSubject = Pick<Removal, "bankTransactionId" | "bankAccountId" | "match" | "resource">;

async function remove(
  session: Session,
  verb: "removeAtProvider" | "retireDuplicate",
  subject: RemovalSubject,
): Promise<Removal> {
  const { bankTransactionId, match } = subject;
  const matchId = textAt(match?.json, "/matchId");
  const list = async () => ({
    transactions: await itemsWithId(session, "GET /bank-transactions", bankTransactionId),
    matches: matchId && (await itemsWithId(session, "GET /transaction-matches", matchId)),
  });
  const before = await listedSoon(session, list, ({ matches }) => !matches || isThere(matches));
  const step = await driveAndWait(session, verb, { bankTransactionId }, () => (deliveries) => {
    const isDeleted = isAnnounced(deliveries, "banktransaction.deleted", bankTransactionId);
    const values = { "/bankTransactionId": bankTransactionId };
    return (
      isDeleted &&
      (!match || findEvents(deliveries, "transaction.match.deleted", values).length > 0)
    );
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
