import type { Situation } from "../../generated/requirements.ts";
import type { Networks } from "../../src/contract/networks.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import { type Assertions, bodyOf, ClaimAssertions, type Message } from "../assert.ts";
import type { Check, Session, SeveralClaims } from "../check.ts";
import { projectedMessages } from "../observe/feed.ts";
import { situationsOf } from "../observe/situations.ts";
import { Aborted, Skip } from "../skip.ts";
import { drive, hasVerbs, POSTED, readSubscription, runScenarios, type Scenarios } from "./act.ts";
import { activeCard } from "./enrollment.ts";
import { findEvents, messageIdsOf, textAt } from "./find-deliveries.ts";
import {
  authorize,
  bankMessageOf,
  clear,
  type LifeStep,
  type PostedPurchase,
  type PurchaseStep,
  post,
} from "./purchases.ts";
import { bulkCardLinked } from "./subscription-changes.ts";

/** A purchase that is authorized, posted by the bank and cleared by its network. */
export interface Life {
  /** The network of its card, as its authorization shows it; undefined for another network. */
  readonly network?: Situation;
  /** The enrollment type of its card, as its subscription shows it. */
  readonly enrollment?: Situation;
  readonly cardId: string;
  readonly bankAccountId: string;
  readonly transactionId: string;
  readonly authorizationId: string;
  readonly first: PurchaseStep;
  readonly posting: PostedPurchase;
  readonly steps: readonly LifeStep[];
}

interface LifeCard {
  readonly subscriptionId: string;
  readonly cardId: string;
  readonly bankAccountId: string;
}

const NETWORKS = ["a", "b", "c"] as const;

const PURCHASES = {
  a: { amount: 71.23, merchant: "PANADERIA ALONDRA" },
  b: { amount: 163.57, merchant: "FJORD KAJAKK" },
  c: { amount: 338.41, merchant: "ATELIER BRUME" },
  bulk: { amount: 224.79, merchant: "PESCADERIA OLIVEIRA" },
} as const;

/**
 * Makes a purchase on each network, with cards that were enrolled before their bank was linked, and
 * one with a card of a bulk feed.
 */
export function lives(session: Session): Promise<Scenarios<Life>> {
  return session.share("scenario: a purchase on each network", async (own) => {
    const cards = await cardsWithBank(own);
    const { completed, missing } = await runScenarios(
      ...cards.map((card, i) => () => live(own, card, PURCHASES[NETWORKS[i] as "a"])),
    );
    const canLink = hasVerbs(own, "linkCard");
    const ofFeed = await ifPossible(async () => {
      if (!canLink) throw new Skip("the driver can't link a card of a bulk feed");
      const { id: subscriptionId, bankAccountId, resource } = await bulkCardLinked(own);
      const cardId = `${memberOf(bodyOf(resource), "cardId")}`;
      return live(own, { subscriptionId, cardId, bankAccountId }, PURCHASES.bulk);
    });
    return { completed: [...completed, ...ofFeed], ...(missing && { missing }) };
  });
}

/** A card of each network, each linked to a bank account of its own. */
export function cardsWithBank(session: Session): Promise<readonly LifeCard[]> {
  return session.share("scenario: cards of each network have their banks", async (own) => {
    const { networks } = own.capabilities;
    const cards: Awaited<ReturnType<typeof activeCard>>[] = [];
    for (const key of NETWORKS) cards.push(await activeCard(own, networks[key]));
    const accounts = cards.map(({ last4 }) => ({ type: "credit" as const, last4 }));
    const { bankLinkId } = await drive(own, "startLink", { accounts });
    const { bankAccountIds } = await drive(own, "completeLink", {
      ...{ bankLinkId, by: "notification" },
    });
    return cards.map(({ subscriptionId, cardId }, i) => {
      const bankAccountId = bankAccountIds[i];
      if (bankAccountId === undefined) throw new Skip(TOO_FEW);
      return { subscriptionId, cardId, bankAccountId };
    });
  });
}

const TOO_FEW = "the driver's verb completeLink returned fewer bankAccountIds than accounts";

async function live(
  session: Session,
  { subscriptionId, ...card }: LifeCard,
  price: { readonly amount: number; readonly merchant: string },
): Promise<Life> {
  const subscription = await readSubscription(session, subscriptionId);
  const authorized = await authorize(session, price, { card });
  const posted = await post(session, authorized, price);
  const cleared = await clear(session, posted);
  const { networks } = session.capabilities;
  const [authorization] = authorized.messages;
  const shown = situationsOf(authorization && bodyOf(authorization), networks);
  const network = shown.find((one) => one.startsWith("network-"));
  const [enrollment] = situationsOf(bodyOf(subscription), networks);
  return {
    ...card,
    ...(network && { network }),
    ...(enrollment && { enrollment }),
    transactionId: authorized.transactionId,
    authorizationId: authorized.authorizationId,
    first: authorized,
    posting: posted,
    steps: purchaseSteps(authorized, posted, cleared),
  };
}

/** The steps of a purchase that is authorized, posted and perhaps cleared. */
export function purchaseSteps(
  authorized: PurchaseStep,
  posted?: PostedPurchase,
  cleared?: PurchaseStep<{ readonly messageId: string }>,
): LifeStep[] {
  const step = (
    verb: LifeStep["verb"],
    { deliveries, resource, messages }: PurchaseStep,
    id: Pick<LifeStep, "messageId" | "bankTransactionId">,
  ): LifeStep => ({ verb, ...id, deliveries, resource, messages });
  return [
    step("authorize", authorized, { messageId: authorized.authorizationId }),
    ...(posted
      ? [step("postAtBank", posted, { bankTransactionId: posted.bankTransactionId })]
      : []),
    ...(cleared ? [step("clear", cleared, { messageId: cleared.result.messageId })] : []),
  ];
}

/** Creates a check of the purchases on each network, after each of their steps. */
export function ofEachLife(
  claims: Check["claims"],
  title: string,
  find: (
    life: Life,
    assertions: Pick<Assertions, "of">,
    /** The situation of the purchase's network; empty for a network that the run does not know. */
    where: readonly Situation[],
    session: Session,
  ) => void,
  skipReason = "no purchase was posted and cleared",
): Check {
  return {
    claims: claims as SeveralClaims,
    title,
    requires: [...POSTED, "verb:clear"],
    run: async (session) => {
      const { completed, missing } = await lives(session);
      const assertions = new ClaimAssertions();
      for (const life of completed) {
        find(life, assertions, life.network ? [life.network] : [], session);
      }
      return assertions.result(skipReason, missing);
    },
  };
}

/** A message as an event, a response or a projection shows it. */
export interface MessageView {
  readonly kind: "event" | "get" | "projection";
  readonly body: unknown;
  readonly by: Message;
  /** The message in the body, as a JSON pointer. */
  readonly at: string;
}

/** Every view of the messages of a purchase. */
export function viewsOf({ steps, transactionId }: Life): MessageView[] {
  return steps.flatMap(({ deliveries, resource, messages }) => {
    const ids = new Set(messageIdsOf(bodyOf(resource)));
    const events = findEvents(deliveries, "transactionmessage.created").filter(({ json }) =>
      ids.has(`${memberOf(json, "id")}`),
    );
    const updates = findEvents(deliveries, "transaction.updated", { "/id": transactionId });
    return [
      ...events.map((by) => ({ kind: "event", body: by.json, by, at: "" }) as const),
      ...messages.map((by) => ({ kind: "get", body: bodyOf(by), by, at: "" }) as const),
      ...[resource, ...updates].flatMap((by) =>
        (projectedMessages(bodyOf(by)) ?? []).map((body, index) => {
          return { kind: "projection", body, by, at: `/_embedded/messages/${index}` } as const;
        }),
      ),
    ];
  });
}

/** The result of a scenario; nothing if the target refuses it. */
export async function ifPossible<T>(scenario: () => Promise<T>): Promise<T[]> {
  try {
    return [await scenario()];
  } catch (error) {
    if (error instanceof Skip && !(error instanceof Aborted)) return [];
    throw error;
  }
}

const INHERITED = {
  "TXN-12.inherits-network": "network",
  "TXN-12.inherits-approval-code": "approvalCode",
  "TXN-12.inherits-reference": "transactionReference",
} as const;

/** A purchase after its authorization, and after a bank posting. */
interface Settled {
  readonly first: PurchaseStep;
  readonly posting: PostedPurchase;
}

/**
 * Compares the message that a bank posting added with the authorization (TXN-12). A standalone
 * message may be abridged, so all its views are read. If views differ, MSG-12 reports it and the
 * field is skipped. The reference has no meaning on NETWORK_C.
 */
export function checkInheritance(
  assertions: Pick<Assertions, "of">,
  { first, posting }: Settled,
  networks: Networks,
  where: readonly Situation[] = [],
): void {
  const message = bankMessageOf(posting, posting.bankTransactionId);
  const id = textAt(message && bodyOf(message), "/id");
  if (!message || id === undefined) return;
  const authorization = viewsOfMessage(first, posting.authorizationId);
  const added = viewsOfMessage(posting, id);
  const [from] = authorization;
  if (!from) return;
  const isOnC = memberOf(from.body, "network") === networks.c;
  for (const [claim, name] of Object.entries(INHERITED)) {
    if (isOnC && name === "transactionReference") continue;
    const [value, ...otherValues] = valuesOf(authorization, name);
    const [actual, ...otherActual] = valuesOf(added, name);
    // MSG-06 reports an authorization on NETWORK_C with a code.
    if (isOnC && name === "approvalCode" && value !== null) continue;
    const isComparable = value !== undefined && actual !== undefined;
    if (!isComparable || otherValues.length > 0 || otherActual.length > 0) continue;
    assertions.of(claim as keyof typeof INHERITED, ...where).check(value === actual, {
      path: `/${name}`,
      expected: `${JSON.stringify(value)}, as in the authorization`,
      actual: JSON.stringify(actual),
      evidence: [message, from.resource],
    });
  }
}

interface View {
  readonly resource: Message;
  readonly body: unknown;
}

/** Every view of a message: its response, its event, and its projections. */
function viewsOfMessage(
  { resource, messages, deliveries, transactionId }: PurchaseStep,
  id: string,
): View[] {
  const hasId = (body: unknown) => memberOf(body, "id") === id;
  const whole = [
    ...messages.filter((message) => hasId(bodyOf(message))),
    ...findEvents(deliveries, "transactionmessage.created", { "/id": id }),
  ];
  const transactions = [
    resource,
    ...findEvents(deliveries, "transaction.updated", { "/id": transactionId }),
  ];
  return [
    ...whole.map((one) => ({ resource: one, body: bodyOf(one) })),
    ...transactions.flatMap((one) =>
      (projectedMessages(bodyOf(one)) ?? [])
        .filter(hasId)
        // A projection is complete: a missing code means null.
        .map((body) => ({ resource: one, body: { approvalCode: null, ...Object(body) } })),
    ),
  ];
}

/** The distinct values of a field across views. */
function valuesOf(views: readonly View[], name: string): unknown[] {
  const values = views.map(({ body }) => memberOf(body, name)).filter((one) => one !== undefined);
  return [...new Set(values)];
}
