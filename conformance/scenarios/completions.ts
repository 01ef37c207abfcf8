import type { Situation } from "../../generated/requirements.ts";
import type { EnrolledCard } from "../driver.ts";
import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import { deliveriesSince, drive, hasVerb, runScenarios, type Scenarios } from "./act.ts";
import { activeCard } from "./cards.ts";
import { findEvents } from "./find-deliveries.ts";
import { isWhole, linked } from "./links.ts";
import { readBankAccount } from "./read.ts";
import { deliveriesAfterNext, unlessRefused } from "./repetitions.ts";

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
  const { bankLinkId } = await drive(session, "startLink", {
    accounts: [{ type: "credit", last4: card.last4 }, { type: "credit" }, { type: "depository" }],
  });
  const since = (await session.deliveries()).length;
  const isEnough = isWhole(bankLinkId, card);
  if (by === "patch") await patch(session, bankLinkId);
  const ids = await idsOf(session, bankLinkId, by);
  const deliveries = await deliveriesSince(session, since, isEnough);
  const [first, second, third] = ids;
  if (!first || !second || !third) {
    throw new Skip("the driver's verb completeLink returned fewer bankAccountIds than accounts");
  }
  const resource = await readBankAccount(session, first);
  return {
    ...{ bankLinkId, by, situation: `by-${by}`, card, deliveries, resource },
    ...(other.last4 !== card.last4 && { other }),
    accountIds: [first, second, third],
  };
}

/** A target may refuse the empty body, which the interface does not define. */
async function patch(session: Session, bankLinkId: string): Promise<void> {
  const { response } = await session.call("PATCH /bank-links/{bankLinkId}", {
    path: { bankLinkId },
    body: {},
  });
  const status = response?.status ?? 0;
  if (status < 200 || status > 299) throw new Skip(`PATCH of a bank link returned ${status}`);
}

/** The greatest time to wait for the polling of a target whose clock can't be advanced. */
const MAX_WAIT_S = 60;

/** The bank accounts of a link, once it is complete. */
async function idsOf(session: Session, bankLinkId: string, by: Way): Promise<readonly string[]> {
  const call = { bankLinkId, by: by === "polling" ? "polling" : "notification" } as const;
  const result = await drive(session, "completeLink", call);
  if (result.bankAccountIds.length > 0) return result.bankAccountIds;
  const seconds = result.retryAfterSeconds ?? MAX_WAIT_S;
  if (hasVerb(session, "advance")) await session.drive("advance", { seconds });
  else await session.deliveries((all) => isWhole(bankLinkId)(all));
  return (await drive(session, "completeLink", call)).bankAccountIds;
}

/** A completed link that is completed again in another way. */
export interface TwoWays {
  readonly bankLinkId: string;
  readonly situation: Situation;
  /** The completions that were sent before the second way. */
  readonly first: readonly Delivery[];
  /** Those that were sent later. */
  readonly later: readonly Delivery[];
  readonly resource: Exchange;
}

/** Completes links in two ways, as far as the run can. The second may be refused. */
export function completedTwice(session: Session): Promise<Scenarios<TwoWays>> {
  return session.share("scenario: links are completed in two ways", (own) => {
    const start = async () => {
      const { bankLinkId } = await drive(own, "startLink", { accounts: [{ type: "depository" }] });
      return bankLinkId;
    };
    const complete = async (bankLinkId: string, way: Way) => {
      if (way === "patch") await patch(own, bankLinkId);
      else await drive(own, "completeLink", { bankLinkId, by: way });
    };
    const twice = async (one: Way, other: Way): Promise<TwoWays> => {
      const bankLinkId = await start();
      const since = (await own.deliveries()).length;
      await complete(bankLinkId, one);
      const first = await deliveriesSince(own, since, isWhole(bankLinkId));
      await unlessRefused(() => complete(bankLinkId, other));
      if (hasVerb(own, "advance")) await own.drive("advance", { seconds: MAX_WAIT_S });
      const all = await deliveriesAfterNext(own, since);
      const values = { "/bankLinkId": bankLinkId };
      return {
        ...{ bankLinkId, situation: `${one}-then-${other}` as Situation },
        first: findEvents(first, "banklink.completed", values),
        later: findEvents(all.slice(first.length), "banklink.completed", values),
        resource: await own.call("GET /bank-links"),
      };
    };
    return runScenarios(
      () => twice("notification", "polling"),
      ...(own.capabilities.writes
        ? [() => twice("patch", "notification"), () => twice("notification", "patch")]
        : []),
    );
  });
}
