import type { Session } from "../session.ts";
import type { Exchange } from "../transport/exchange.ts";
import { type Act, act, drive, type IsEnough, type Stories, tellEach } from "./act.ts";
import { readFeed } from "./read.ts";
import { isTold, listAt } from "./told.ts";

/** A bulk feed that its network has decided on. */
export interface Decided<Result = unknown> extends Act<Result> {
  readonly feedId: string;
  readonly newState: "active" | "failed";
  /** With which it was submitted; undefined where it was without. */
  readonly expectedCardCount: number | undefined;
  /** As the API shows it then. */
  readonly shown: Exchange;
}

const COUNTS = [3, undefined] as const;

/** A feed with a count and one without are accepted. */
export function accepted(
  session: Session,
): Promise<Stories<Decided<{ subscriptionIds: readonly string[] }>>> {
  return session.share("scenario: bulk feeds are accepted", (own) => {
    return eachFeed(own, "active", (feedId, owes) => act(own, "acceptFeed", { feedId }, owes));
  });
}

/** A feed with a count and one without are rejected. */
export function rejected(session: Session): Promise<Stories<Decided>> {
  return session.share("scenario: bulk feeds are rejected", (own) => {
    return eachFeed(own, "failed", (feedId, owes) => act(own, "rejectFeed", { feedId }, owes));
  });
}

async function eachFeed<Result>(
  session: Session,
  newState: Decided["newState"],
  decide: (feedId: string, owes: (result: unknown) => IsEnough) => Promise<Act<Result>>,
): Promise<Stories<Decided<Result>>> {
  const each = async (expectedCardCount: number | undefined): Promise<Decided<Result>> => {
    const count = expectedCardCount === undefined ? {} : { expectedCardCount };
    const { feedId } = await drive(session, "submitFeed", count);
    const step = await decide(feedId, (result) => (told) => {
      const ids = listAt(result, "subscriptionIds").map(String);
      return (
        isTold(told, "networkbulkfeed.statechanged", feedId) &&
        ids.every((id) => isTold(told, "cardsubscription.created", id))
      );
    });
    const shown = await readFeed(session, feedId);
    return { ...step, feedId, newState, expectedCardCount, shown };
  };
  return tellEach(...COUNTS.map((count) => () => each(count)));
}
