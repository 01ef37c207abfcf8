import type { Session } from "../run/session.ts";
import { Skip } from "../run/skip.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import {
  drive,
  driveAndWait,
  hasVerb,
  type IsComplete,
  runScenarios,
  type Scenarios,
  type VerbOutcome,
} from "./act.ts";
import { findEvents, isAnnounced, listAt } from "./find-deliveries.ts";
import { readFeed } from "./read.ts";
import { deliveriesAfterNext, unlessRefused } from "./repetitions.ts";

/** A bulk feed that its network accepted or rejected. */
export interface FeedDecision<Result = unknown> extends VerbOutcome<Result> {
  readonly feedId: string;
  readonly newState: "active" | "failed";
  /** The submitted expected card count, if any. */
  readonly expectedCardCount: number | undefined;
  /** The API's response for it after the decision. */
  readonly resource: Exchange;
}

const COUNTS = [3, undefined] as const;

/** Accepts a feed with an expected card count and one without. */
export function accepted(
  session: Session,
): Promise<Scenarios<FeedDecision<{ subscriptionIds: readonly string[] }>>> {
  return session.share("scenario: bulk feeds are accepted", (own) => {
    return eachFeed(own, "active", (feedId, owes) =>
      driveAndWait(own, "acceptFeed", { feedId }, owes),
    );
  });
}

/** Rejects a feed with an expected card count and one without. */
export function rejected(session: Session): Promise<Scenarios<FeedDecision>> {
  return session.share("scenario: bulk feeds are rejected", (own) => {
    return eachFeed(own, "failed", (feedId, owes) =>
      driveAndWait(own, "rejectFeed", { feedId }, owes),
    );
  });
}

/** A decision that was repeated, which may change nothing. */
export interface RepeatedDecision {
  readonly feedId: string;
  readonly verb: "acceptFeed" | "rejectFeed";
  /** The events of the feed before the repetition, and those after it. */
  readonly earlier: readonly Delivery[];
  readonly later: readonly Delivery[];
  /** The API's response for the feed. */
  readonly resource: Exchange;
}

/** Accepts an accepted feed again, and rejects a rejected one. The target may refuse. */
export function decidedAgain(session: Session): Promise<Scenarios<RepeatedDecision>> {
  return session.share("scenario: the decision on a bulk feed is repeated", (own) => {
    const again = async (
      verb: RepeatedDecision["verb"],
      first: () => Promise<Scenarios<FeedDecision>>,
    ): Promise<RepeatedDecision> => {
      const { completed } = await first();
      const [decision] = completed;
      if (!decision) throw new Skip("no bulk feed was decided");
      const { feedId } = decision;
      const before = await own.deliveries();
      await unlessRefused(() => drive(own, verb, { feedId }));
      const later = await deliveriesAfterNext(own, before.length);
      const values = { "/id": feedId };
      return {
        ...{ feedId, verb },
        earlier: findEvents(before, "networkbulkfeed.statechanged", values),
        later: findEvents(later, "networkbulkfeed.statechanged", values),
        resource: await readFeed(own, feedId),
      };
    };
    return runScenarios(
      ...(hasVerb(own, "acceptFeed") ? [() => again("acceptFeed", () => accepted(own))] : []),
      ...(hasVerb(own, "rejectFeed") ? [() => again("rejectFeed", () => rejected(own))] : []),
    );
  });
}

async function eachFeed<Result>(
  session: Session,
  newState: FeedDecision["newState"],
  decide: (feedId: string, owes: (result: unknown) => IsComplete) => Promise<VerbOutcome<Result>>,
): Promise<Scenarios<FeedDecision<Result>>> {
  const each = async (expectedCardCount: number | undefined): Promise<FeedDecision<Result>> => {
    const count = expectedCardCount === undefined ? {} : { expectedCardCount };
    const { feedId } = await drive(session, "submitFeed", count);
    const step = await decide(feedId, (result) => (deliveries) => {
      const ids = listAt(result, "subscriptionIds").map(String);
      return (
        isAnnounced(deliveries, "networkbulkfeed.statechanged", feedId) &&
        ids.every((id) => isAnnounced(deliveries, "cardsubscription.created", id))
      );
    });
    const resource = await readFeed(session, feedId);
    return { ...step, feedId, newState, expectedCardCount, resource };
  };
  return runScenarios(...COUNTS.map((count) => () => each(count)));
}
