import type { Situation } from "../../generated/requirements.ts";
import type { Session } from "../check.ts";
import type { EnrolledCard } from "../driver.ts";
import { Skip } from "../skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  deliveriesSince,
  drive,
  hasVerbs,
  readBankAccount,
  readSubscription,
  runScenarios,
  type Scenarios,
  unlessRefused,
} from "./act.ts";
import { activeCard, deliveriesAfterNext } from "./enrollment.ts";
import { findEvents, textAt } from "./find-deliveries.ts";
import { accountsOf, isCompleted, isWhole, linked, MAX_WAIT_S } from "./links.ts";
import { type Unlisted, unlisted } from "./listed.ts";

type Way = "patch" | "notification" | "polling";

/** A bank link of three accounts that was completed. */
export interface Completion {
  readonly bankLinkId: string;
  readonly by: Way;
  readonly situation: Situation;
  /** The enrolled card whose last 4 digits the first account shows. */
  readonly card: EnrolledCard;
  /** A card with other digits; undefined if they are the same by chance. */
  readonly other?: EnrolledCard;
  /** A credit account of the card, one of an unknown card, and one that has no card. */
  readonly accountIds: readonly [string, string, string];
  readonly deliveries: readonly Delivery[];
  /** The API's response for the first account. */
  readonly resource: Exchange;
  /** The API's responses for the card's subscription, before and after. */
  readonly before: Exchange;
  readonly after: Exchange;
}

/** Completes a link in each way that the run can use. */
export function completions(session: Session): Promise<Scenarios<Completion>> {
  return session.share("scenario: links are completed in each way", (own) => {
    return runScenarios(
      () => byNotification(own),
      () => complete(own, "polling"),
      ...(own.capabilities.writes ? [() => complete(own, "patch")] : []),
    );
  });
}

async function byNotification(session: Session): Promise<Completion> {
  const { creditId, unknownIds, plainId, ...step } = await linked(session);
  const accountIds = [creditId, unknownIds[0], plainId] as const;
  return { ...step, by: "notification", situation: "by-notification", accountIds };
}

async function complete(session: Session, by: "patch" | "polling"): Promise<Completion> {
  const card = await activeCard(session);
  const other = await activeCard(session);
  const before = await readSubscription(session, card.subscriptionId);
  const { bankLinkId } = await drive(session, "startLink", {
    accounts: [{ type: "credit", last4: card.last4 }, { type: "credit" }, { type: "depository" }],
  });
  const since = (await session.deliveries()).length;
  const isEnough = isWhole(bankLinkId, card);
  if (by === "patch") {
    await patch(session, bankLinkId);
    // completeLink returns the accounts, and must not be what completes the link.
    const sent = await deliveriesSince(session, since, isEnough);
    if (!isCompleted(bankLinkId)(sent)) throw new Skip("PATCH completed no bank link: see EP-07");
  }
  const way = by === "polling" ? "polling" : "notification";
  const ids = await accountsOf(session, { bankLinkId, by: way });
  const deliveries = await deliveriesSince(session, since, isEnough);
  const [first, second, third] = ids;
  if (!first || !second || !third) {
    throw new Skip("the driver's verb completeLink returned fewer bankAccountIds than accounts");
  }
  const resource = await readBankAccount(session, first);
  const after = await readSubscription(session, card.subscriptionId);
  return {
    ...{ bankLinkId, by, situation: `by-${by}`, card, deliveries, resource, before, after },
    ...(other.last4 !== card.last4 && { other }),
    accountIds: [first, second, third],
  };
}

/** Sends `{}`, because the interface defines no body. A target may refuse it. */
function requestPatch(session: Session, bankLinkId: string): Promise<Exchange> {
  return session.call("PATCH /bank-links/{bankLinkId}", { path: { bankLinkId }, body: {} });
}

async function patch(session: Session, bankLinkId: string): Promise<void> {
  const exchange = await requestPatch(session, bankLinkId);
  const status = exchange.response?.status ?? 0;
  if (!isSuccess(exchange)) throw new Skip(`PATCH of a bank link returned ${status}`);
}

/** Whether the status of a response is 2xx. */
export function isSuccess({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300;
}

/** A completed link that is completed again in another way. */
export interface TwoWays {
  readonly bankLinkId: string;
  readonly situations: readonly Situation[];
  /** The completions that were sent before the second way; the first one of two ways at once. */
  readonly first: readonly Delivery[];
  /** Those that were sent later. */
  readonly later: readonly Delivery[];
  /** Whether GET /bank-links lists the link after its start, and after its completion. */
  readonly started: Unlisted | undefined;
  readonly completed: Unlisted | undefined;
}

/** Completes links in two ways, as far as the run can. The second may be refused. */
export function completedTwice(session: Session): Promise<Scenarios<TwoWays>> {
  return session.share("scenario: links are completed in two ways", (own) => {
    const complete = async (bankLinkId: string, way: Way) => {
      if (way === "patch") await patch(own, bankLinkId);
      else await drive(own, "completeLink", { bankLinkId, by: way });
    };
    const twice = async (one: Way, other: Way): Promise<TwoWays> => {
      const bankLinkId = await startLink(own);
      const started = await unlisted(own, "GET /bank-links", [bankLinkId]);
      const since = (await own.deliveries()).length;
      await complete(bankLinkId, one);
      // The polling may be due later, so that the second way comes first.
      const isEnough = one === "polling" ? () => true : isWhole(bankLinkId);
      const first = await deliveriesSince(own, since, isEnough);
      await unlessRefused(() => complete(bankLinkId, other));
      if (hasVerbs(own, "advance")) await own.drive("advance", { seconds: MAX_WAIT_S });
      const all = await deliveriesAfterNext(own, since);
      const values = { "/bankLinkId": bankLinkId };
      return {
        bankLinkId,
        situations: one === "polling" ? [] : [`${one}-then-${other}` as Situation],
        first: findEvents(first, "banklink.completed", values),
        later: findEvents(all.slice(first.length), "banklink.completed", values),
        started,
        completed: await unlisted(own, "GET /bank-links", [bankLinkId]),
      };
    };
    const atOnce = async (): Promise<TwoWays> => {
      const bankLinkId = await startLink(own);
      const since = (await own.deliveries()).length;
      const both = await Promise.all([bankLinkId, bankLinkId].map((id) => requestPatch(own, id)));
      if (!both.some(isSuccess)) throw new Skip("both PATCH requests of a bank link were refused");
      await deliveriesSince(own, since, isCompleted(bankLinkId));
      const all = await deliveriesAfterNext(own, since);
      const [first, ...later] = findEvents(all, "banklink.completed", {
        "/bankLinkId": bankLinkId,
      });
      const situations: Situation[] = ["patched-at-once"];
      const unknown = { started: undefined, completed: undefined };
      return { bankLinkId, situations, first: first ? [first] : [], later, ...unknown };
    };
    return runScenarios(
      () => twice("notification", "polling"),
      ...(own.capabilities.writes
        ? [
            atOnce,
            () => twice("patch", "notification"),
            () => twice("notification", "patch"),
            () => twice("polling", "patch"),
          ]
        : []),
    );
  });
}

async function startLink(session: Session): Promise<string> {
  const accounts = [{ type: "depository" }] as const;
  return (await drive(session, "startLink", { accounts })).bankLinkId;
}

/** A bank link that a PATCH completed, and that a second PATCH may not complete again. */
export interface PatchedLink {
  readonly bankLinkId: string;
  readonly first: Exchange;
  /** The events of its completion before the second PATCH. */
  readonly sent: readonly Delivery[];
  /** The completions of other links until the second PATCH had its effect. */
  readonly strays: readonly Delivery[];
  /** A link that was incomplete all the time. */
  readonly incompleteId?: string;
  /** Undefined if the first PATCH failed. */
  readonly second?: Exchange;
}

/** Completes the link of `--bank-link`, and two links that the driver starts together. */
export function patchedLinks(session: Session): Promise<Scenarios<PatchedLink>> {
  return session.share("scenario: bank links are completed by PATCH", (own) => {
    const { bankLinkId } = own.capabilities;
    const pair = () =>
      own.share("scenario: two bank links are started", async (both) => {
        return [await startLink(both), await startLink(both)] as const;
      });
    return runScenarios(
      ...(bankLinkId === undefined ? [] : [() => patchGiven(own, bankLinkId)]),
      ...(hasVerbs(own, "startLink")
        ? [
            async () => patchTwice(own, ...(await pair())),
            async () => patchTwice(own, (await pair())[1]),
          ]
        : []),
    );
  });
}

/** Patches the link of `--bank-link`, unless something else has completed it. */
async function patchGiven(session: Session, bankLinkId: string): Promise<PatchedLink> {
  const earlier = session.capabilities.deliveries ? await session.deliveries() : [];
  if (isCompleted(bankLinkId)(earlier)) {
    throw new Skip(`bank link ${bankLinkId} was completed before the PATCH`);
  }
  return patchTwice(session, bankLinkId);
}

async function patchTwice(
  session: Session,
  bankLinkId: string,
  incompleteId?: string,
): Promise<PatchedLink> {
  const hasDeliveries = session.capabilities.deliveries;
  const since = hasDeliveries ? (await session.deliveries()).length : 0;
  const first = await requestPatch(session, bankLinkId);
  if (!isSuccess(first)) return { bankLinkId, first, sent: [], strays: [] };
  const sent = hasDeliveries ? await deliveriesSince(session, since, isCompleted(bankLinkId)) : [];
  const second = await requestPatch(session, bankLinkId);
  // An undue event of the second PATCH arrives before the checks compare.
  const all = hasDeliveries ? await deliveriesSince(session, since, () => true) : [];
  return {
    ...{ bankLinkId, first, second },
    sent: findEvents(sent, "banklink.completed", { "/bankLinkId": bankLinkId }),
    strays: findEvents(all, "banklink.completed").filter(({ json }) => {
      return textAt(json, "/bankLinkId") !== bankLinkId;
    }),
    ...(incompleteId !== undefined && { incompleteId }),
  };
}
