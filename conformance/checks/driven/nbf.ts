import { memberOf } from "../../../src/contract/pointer.ts";
import type { Check } from "../../check.ts";
import { has, tellEach } from "../../driven/act.ts";
import { accepted, type Decided, rejected } from "../../driven/feeds.ts";
import { breachAt, differences, Look } from "../../driven/look.ts";
import { ofEvent } from "../../driven/told.ts";
import type { Session } from "../../session.ts";

const ACCEPTED = ["verb:submitFeed", "verb:acceptFeed", "deliveries"] as const;
const REJECTED = ["verb:submitFeed", "verb:rejectFeed", "deliveries"] as const;
const NOTHING = "no change of a bulk feed was announced: see NBF-04";

/** Bulk feeds that their network decides on. */
export const feedChecks: readonly Check[] = [
  {
    requirement: "NBF-02",
    title: "errorReason is told of a rejected feed of NETWORK_B, of no other",
    needs: REJECTED,
    isOneOfSeveral: true,
    run: async (session) => {
      const look = new Look();
      for (const feed of await decided(session)) {
        const isOfB = ({ json }: ReturnType<typeof changesOf>[number]) =>
          memberOf(json, "network") === session.means.networks.b;
        for (const change of changesOf(feed)) {
          const isFailure = feed.newState === "failed";
          if (isFailure && !isOfB(change)) continue;
          const reason = memberOf(change.json, "errorReason");
          const expected = isFailure ? "why the feed was rejected" : "nothing on an active feed";
          const isRight = isFailure ? typeof reason === "string" : reason === undefined;
          look.that(isRight, breachAt(change, "/errorReason", expected));
        }
      }
      return look.found(NOTHING);
    },
  },
  {
    requirement: "NBF-03",
    title: "expectedCardCount is on every event of a feed created with it",
    needs: REJECTED,
    isOneOfSeveral: true,
    run: async (session) => {
      const look = new Look();
      for (const feed of await decided(session)) {
        for (const change of changesOf(feed)) {
          look.has(change, { "/expectedCardCount": feed.expectedCardCount });
        }
      }
      return look.found(NOTHING);
    },
  },
  move("a feed that is accepted is told to be active", ACCEPTED, accepted),
  move("a feed that is rejected is told to have failed", REJECTED, rejected),
];

function move(
  title: string,
  needs: Check["needs"],
  tell: (session: Session) => Promise<readonly Decided[]>,
): Check {
  return {
    requirement: "NBF-04",
    title,
    needs,
    run: async (session) => {
      const look = new Look();
      for (const feed of await tell(session)) {
        const what = `networkbulkfeed.statechanged of ${feed.feedId}`;
        look.came(changesOf(feed), what, feed.shown, (change) =>
          differences(change, { "/oldState": "submitted", "/newState": feed.newState }),
        );
        for (const change of changesOf(feed)) {
          // Other moves than these are not shown, but a feed leaves submitted once.
          if (memberOf(change.json, "oldState") !== "submitted") continue;
          look.has(change, { "/newState": feed.newState });
        }
      }
      return look.found(NOTHING);
    },
  };
}

/** The feeds that the driver can have decided on. */
async function decided(session: Session): Promise<readonly Decided[]> {
  const feeds = await tellEach<readonly Decided[]>(
    () => rejected(session),
    ...(has(session, "acceptFeed") ? [() => accepted(session)] : []),
  );
  return feeds.flat();
}

function changesOf({ told, feedId }: Decided) {
  return ofEvent(told, "networkbulkfeed.statechanged", { "/id": feedId });
}
