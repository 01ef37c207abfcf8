import type { Session } from "../check.ts";
import { Skip } from "../run/capabilities.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  allDeliveries,
  deliveriesSince,
  drive,
  driveAndWait,
  hasVerb,
  runScenarios,
  type Scenarios,
  unlessRefused,
  type VerbOutcome,
} from "./act.ts";
import { whileLost } from "./connections.ts";
import { findEvents, findMatches, isAnnounced, textAt } from "./find-deliveries.ts";
import { cardWithBank } from "./links.ts";
import {
  isListedOn,
  isSeen,
  itemsWithId,
  itemsWithIds,
  type Listed,
  listedSoon,
} from "./listed.ts";
import { postStandalone, type Standalone } from "./postings.ts";
import { authorize, type PostedPurchase, post, purchaseInParts } from "./purchases.ts";
import { LATE_PRICES, lateMatchOf } from "./standalones.ts";

/** The skip reason of a retraction check. */
export const NO_MATCH = "no match of a posting was announced";

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
      if (!hasVerb(own, verb) || !hasVerb(own, "tellLate")) continue;
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

/** Whether an item is listed, or reading the list again would not show it. */
const isThere = ({ items, isWhole }: Listed["before"]) => items.length > 0 || !isWhole;

/** A matched purchase after a forced re-match. */
export interface Rematch extends VerbOutcome<unknown> {
  readonly order: "first" | "second";
  readonly purchase: PostedPurchase;
  /** The announcement of the match before. */
  readonly match: Delivery;
  /** The announcements of all earlier matches. */
  readonly earlier: readonly Delivery[];
  /** The announcements of matches of its posting since. */
  readonly fresh: readonly Delivery[];
  /** The one of them that was not retracted. */
  readonly live?: Delivery;
  /** The match in its collection, before and after. */
  readonly matches: Listed;
}

/** Rematches a purchase with several matches. Returns the matches that the target replaced. */
export function partsRematched(session: Session): Promise<readonly Rematch[]> {
  return session.share("scenario: a purchase in parts is matched again", async (own) => {
    const { purchase, postings, deliveries } = await purchaseInParts(own);
    const subjects = postings.flatMap((posting): RematchSubject[] => {
      const earlier = findMatches(deliveries, posting.bankTransactionId);
      const [match] = earlier.filter(({ json }) => {
        return retractionsOf(deliveries, textAt(json, "/matchId") ?? "").length === 0;
      });
      return match ? [{ order: "first", purchase: posting, match, earlier }] : [];
    });
    const [first] = subjects;
    if (!first || subjects.length < 2) throw new Skip("a purchase in parts has one match at most");
    const all = await rematch(own, purchase.transactionId, subjects);
    // A target may rematch only some of them.
    return all.filter(({ matches }) => isSeen(matches) && !isListedOn(matches));
  });
}

/** Rematches a purchase, and once more if it was matched again. */
export function rematched(session: Session): Promise<Scenarios<Rematch>> {
  return session.share("scenario: a purchase is matched again", async (own) => {
    const price = { amount: 307.09, merchant: "BRYGGERI NORDHAVN" };
    const purchase = await post(own, await authorize(own, price), price);
    const announced = findMatches(purchase.deliveries, purchase.bankTransactionId);
    const [match] = announced;
    if (!match) throw new Skip(NO_MATCH);
    const { transactionId } = purchase;
    const again = (subject: Pick<RematchSubject, "order" | "match" | "earlier">) =>
      rematch(own, transactionId, [{ purchase, ...subject }]);
    const first = await again({ order: "first", match, earlier: announced });
    const [{ live, fresh } = {}] = first;
    if (!live || !fresh) return { completed: first };
    const earlier = [...announced, ...fresh];
    const { completed, missing } = await runScenarios(
      async () => first,
      () => again({ order: "second", match: live, earlier }),
    );
    return { completed: completed.flat(), ...(missing && { missing }) };
  });
}

type RematchSubject = Pick<Rematch, "order" | "purchase" | "match" | "earlier">;

/** Rematches a purchase. Returns its matches, each with what replaced it. */
async function rematch(
  session: Session,
  transactionId: string,
  subjects: readonly RematchSubject[],
): Promise<readonly Rematch[]> {
  const ids = subjects.map(({ match }) => textAt(match.json, "/matchId") ?? "");
  const list = () => itemsWithIds(session, "GET /transaction-matches", ids);
  const before = await listedSoon(session, list, (lists) => lists.every(isThere));
  const step = await driveAndWait(session, "rematch", { transactionId }, () => (deliveries) => {
    return ids.every((id) => retractionsOf(deliveries, id).length > 0);
  });
  const after = await list();
  const deliveries = (await allDeliveries(session)).slice(step.since);
  return subjects.map((subject, at) => {
    const fresh = findMatches(deliveries, subject.purchase.bankTransactionId);
    const live = fresh.find(({ json }) => {
      const id = textAt(json, "/matchId");
      return id !== undefined && id !== ids[at] && retractionsOf(deliveries, id).length === 0;
    });
    const matches = { before: before[at], after: after[at] } as Listed;
    return { ...step, ...subject, deliveries, fresh, matches, ...(live && { live }) };
  });
}

function retractionsOf(deliveries: readonly Delivery[], matchId: string): Delivery[] {
  return findEvents(deliveries, "transaction.match.deleted", { "/matchId": matchId });
}
