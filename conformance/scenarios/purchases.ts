import { memberOf } from "../../src/contract/pointer.ts";
import { SETTLEMENT } from "../../src/contract/rules/vocabulary.ts";
import { bodyOf } from "../assert.ts";
import type { Session } from "../check.ts";
import type { VerbResult } from "../driver.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  driveAndWait,
  hasVerbs,
  type IsComplete,
  readMessage,
  readTransaction,
  runScenarios,
  type Scenarios,
  type VerbOutcome,
} from "./act.ts";
import {
  findEvents,
  findMatches,
  hidesSource,
  isAnnounced,
  messageIdsOf,
  messagesIn,
  messagesNaming,
  textAt,
} from "./find-deliveries.ts";
import { cardWithBank } from "./links.ts";

/** A purchase after a verb. */
export interface PurchaseStep<Result = unknown> extends VerbOutcome<Result> {
  readonly cardId: string;
  readonly bankAccountId: string;
  readonly transactionId: string;
  readonly authorizationId: string;
  /** The API's responses after the verb: for the purchase, and for its messages in link order. */
  readonly resource: Exchange;
  readonly messages: readonly Exchange[];
}

/** A purchase after a verb that added a message of the network. */
type MessageStep = PurchaseStep & { readonly messageId: string };

const withMessage = (step: PurchaseStep<{ readonly messageId: string }>): MessageStep => {
  return { ...step, messageId: step.result.messageId };
};

/** A purchase that the bank has posted. */
export interface PostedPurchase extends PurchaseStep<VerbResult<"postAtBank">> {
  readonly bankTransactionId: string;
}

/** A purchase after one of its steps. */
export interface LifeStep {
  readonly verb: "authorize" | "postAtBank" | "clear" | "tellLate";
  /** The id of the message that the driver reports; undefined for a posting. */
  readonly messageId?: string;
  readonly bankTransactionId?: string;
  /** The deliveries since the verb, in order of arrival. */
  readonly deliveries: readonly Delivery[];
  /** The API's responses: for the transaction, and for its messages in link order. */
  readonly resource: Exchange;
  readonly messages: readonly Exchange[];
}

interface Price {
  readonly amount: number;
  readonly merchant: string;
  readonly currency?: string;
}

const PRICE: Price = { amount: 31.19, merchant: "KIOSK MORGENROT" };

/** Uses the card for a purchase. */
export function authorized(session: Session): Promise<PurchaseStep<VerbResult<"authorize">>> {
  return session.share("scenario: a card is used", (own) => authorize(own, PRICE));
}

/** Posts the purchase at the bank. */
export function settled(session: Session): Promise<PostedPurchase> {
  return session.share("scenario: the bank posts a purchase", async (own) => {
    return post(own, await authorized(own), PRICE);
  });
}

/** Clears the posted purchase on the network. */
export function clearedByNetwork(
  session: Session,
): Promise<PurchaseStep<VerbResult<"clear">> & { before: PostedPurchase; provisional?: Exchange }> {
  return session.share("scenario: the network clears it after the bank", async (own) => {
    const before = await settled(own);
    const { bankTransactionId } = before;
    const step = await clear(own, before);
    const bankMessage = bankMessageOf(before, bankTransactionId);
    const id = textAt(bankMessage && bodyOf(bankMessage), "/id");
    const provisional = id === undefined ? {} : { provisional: await readMessage(own, id) };
    return { ...step, before, ...provisional };
  });
}

/** Posts less than a purchase at the bank, then clears the whole purchase on the network. */
export function revisedByNetwork(session: Session): Promise<{
  first: PurchaseStep;
  posted: PostedPurchase;
  cleared: PurchaseStep<VerbResult<"clear">>;
}> {
  return session.share("scenario: the network clears more than the bank posted", async (own) => {
    const merchant = "GELATERIA ZENOBIA";
    const first = await authorize(own, { amount: 92.4, merchant });
    const posted = await post(own, first, { amount: 91.85, merchant });
    return { first, posted, cleared: await clear(own, posted) };
  });
}

/** Clears a purchase in yen in two parts. The target may choose another currency. */
export function clearedInYen(
  session: Session,
): Promise<Pick<PurchaseInParts, "purchase" | "cleared">> {
  return session.share("scenario: a purchase in yen is cleared in parts", async (own) => {
    const price = { amount: 4_219, merchant: "SENTO KAMOGAWA", currency: "JPY" };
    const begun = await authorize(own, price);
    const first = await clear(own, begun, { amount: 1_402 });
    const purchase = await clear(own, begun);
    return { purchase, cleared: [begun, first, purchase].map(withMessage) };
  });
}

/** A purchase after merchant data was added to one of its messages. */
export interface Enriched extends PurchaseStep {
  readonly messageId: string;
}

/** Adds merchant data to the authorizations of two purchases, and to the clearing of a third. */
export function enriched(session: Session): Promise<Scenarios<Enriched>> {
  return session.share("scenario: messages are enriched", (own) => {
    const enrich = async (purchase: PurchaseStep, messageId: string): Promise<Enriched> => {
      const step = await driveAndWait(own, "enrich", { messageId }, () => (deliveries) => {
        const sent = findEvents(deliveries, "enrichment.merchant.created");
        return sent.some(({ request }) => request.body.includes(messageId));
      });
      return { ...purchase, ...step, messageId };
    };
    const authorization = (purchase: PurchaseStep) => enrich(purchase, purchase.authorizationId);
    const price = { amount: 23.71, merchant: "CONFISERIE HONOLD" };
    const canClear = hasVerbs(own, "postAtBank", "clear");
    const clearing = async () => {
      const cleared = await clearedByNetwork(own);
      return enrich(cleared, cleared.result.messageId);
    };
    return runScenarios(
      async () => authorization(await authorized(own)),
      async () => authorization(await authorize(own, price)),
      ...(canClear ? [clearing] : []),
    );
  });
}

interface AuthorizeOptions {
  /** Whether further expected deliveries have arrived. */
  readonly isAlsoComplete?: IsComplete;
  /** Default: the card that the scenarios share. */
  readonly card?: { readonly cardId: string; readonly bankAccountId: string };
}

export async function authorize(
  session: Session,
  price: Price,
  { isAlsoComplete = () => true, card }: AuthorizeOptions = {},
): Promise<PurchaseStep<VerbResult<"authorize">>> {
  const { cardId, bankAccountId } = card ?? (await cardWithBank(session));
  const purchase = { cardId, ...price };
  const step = await driveAndWait(session, "authorize", purchase, (result) => (deliveries) => {
    const { transactionId, messageId } = result;
    return (
      isAnnounced(deliveries, "transaction.created", transactionId) &&
      isAnnounced(deliveries, "transactionmessage.created", messageId) &&
      isAlsoComplete(deliveries)
    );
  });
  const { transactionId, messageId: authorizationId } = step.result;
  const ids = { cardId, bankAccountId, transactionId, authorizationId };
  return { ...step, ...ids, ...(await read(session, transactionId)) };
}

/** Posts a purchase, or a part of it, at the bank. */
export async function post(
  session: Session,
  purchase: PurchaseStep,
  price: Price,
): Promise<PostedPurchase> {
  const { bankAccountId, transactionId } = purchase;
  const posting = { bankAccountId, transactionId, ...price };
  const step = await driveAndWait(
    session,
    "postAtBank",
    posting,
    ({ bankTransactionId }) =>
      (deliveries) => {
        return (
          isAnnounced(deliveries, "banktransaction.created", bankTransactionId) &&
          messagesNaming(deliveries.map(bodyOf), bankTransactionId).length > 0 &&
          isAnnounced(deliveries, "transaction.updated", transactionId) &&
          findMatches(deliveries, bankTransactionId).length > 0
        );
      },
  );
  const { bankTransactionId } = step.result;
  return { ...purchase, ...step, bankTransactionId, ...(await read(session, transactionId)) };
}

/** Lets the network clear a part of a purchase, or the rest of it. */
export async function clear(
  session: Session,
  purchase: PurchaseStep,
  part: { readonly amount?: number } = {},
): Promise<PurchaseStep<VerbResult<"clear">>> {
  const { transactionId } = purchase;
  const params = { transactionId, ...part };
  const step = await driveAndWait(session, "clear", params, ({ messageId }) => (all) => {
    return isCleared(all, transactionId, messageId);
  });
  return { ...purchase, ...step, ...(await read(session, transactionId)) };
}

/** Whether the events of a network clearing were delivered. */
export function isCleared(
  deliveries: readonly Delivery[],
  transactionId: string,
  messageId: string,
): boolean {
  return (
    isAnnounced(deliveries, "transactionmessage.created", messageId) &&
    isAnnounced(deliveries, "transaction.updated", transactionId)
  );
}

/** Requests a transaction and its messages. */
export async function read(
  session: Session,
  transactionId: string,
): Promise<{ resource: Exchange; messages: Exchange[] }> {
  const resource = await readTransaction(session, transactionId);
  const ids = messageIdsOf(bodyOf(resource));
  return {
    resource,
    messages: await Promise.all(ids.map((id) => readMessage(session, id))),
  };
}

type Views = Pick<PurchaseStep, "deliveries" | "messages" | "resource">;

const bodiesOf = ({ deliveries, messages, resource }: Views) =>
  [...deliveries, ...messages, resource].map(bodyOf);

/** The message that a bank transaction added to a purchase, if there is one. */
export function bankMessageOf(views: Views, bankTransactionId: string): Exchange | undefined {
  const ids = messagesNaming(bodiesOf(views), bankTransactionId);
  const fromBank = views.messages.filter((message) => {
    return ids.includes(textAt(bodyOf(message), "/id") ?? "");
  });
  const isSettlement = (message: Exchange) =>
    memberOf(bodyOf(message), "messageType") === SETTLEMENT;
  return fromBank.find(isSettlement) ?? fromBank[0];
}

/** Whether no view shows the source of a settlement, which may then be the bank's. */
export function hidesBankMessage(views: Views): boolean {
  const shown = messagesIn(bodiesOf(views));
  return messageIdsOf(bodyOf(views.resource)).some((id) => hidesSource(shown.get(id)));
}

const MERCHANT = "VELOWERK ZUERICH";
const AMOUNT = 103.91;
const PARTS = [34.19, 69.72] as const;

/** A purchase that the network cleared in two parts, with a bank posting for each part. */
export interface PurchaseInParts {
  readonly purchase: PurchaseStep;
  /** The purchase after its authorization and after each clearing. */
  readonly cleared: readonly MessageStep[];
  readonly postings: readonly PostedPurchase[];
  /** The deliveries for all postings. */
  readonly deliveries: readonly Delivery[];
}

export function purchaseInParts(session: Session): Promise<PurchaseInParts> {
  return session.share("scenario: a purchase clears in parts", async (own) => {
    const begun = await authorize(own, { amount: AMOUNT, merchant: MERCHANT });
    const first = await clear(own, begun, { amount: PARTS[0] });
    const purchase = await clear(own, begun);
    const postings: PostedPurchase[] = [];
    for (const amount of PARTS) {
      postings.push(await post(own, purchase, { amount, merchant: MERCHANT }));
    }
    const cleared = [begun, first, purchase].map(withMessage);
    const deliveries = postings.flatMap((one) => one.deliveries);
    return { purchase, cleared, postings, deliveries };
  });
}
