import { BULK_FEED_TRANSITIONS } from "../../src/model/network-bulk-feed.ts";
import { changeTransition, replaceRefusal } from "../internals.ts";
import type { Mutation } from "../mutation.ts";
import { changeEventsNamed, rename, sendAfter } from "../rewrite.ts";

const CHANGED = "networkbulkfeed.statechanged" as const;

export const nbf: readonly Mutation[] = [
  {
    id: "nbf/previous-state",
    requirement: "NBF-01",
    description: "oldState is named previousState, as in bankaccount.state_changed",
    checks: ["NBF-01: every body"],
    deliveries: changeEventsNamed(CHANGED, (body) => rename(body, "oldState", "previousState")),
  },
  {
    id: "nbf/no-reference",
    requirement: "NBF-01",
    description: "networkReference is omitted as an internal field",
    checks: ["NBF-01: every body"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      delete body.networkReference;
    }),
  },
  {
    id: "nbf/network-in-lower-case",
    requirement: "NBF-01",
    description: "The network is in lower case, as in banklink.completed",
    checks: ["NBF-01: every body"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.network = body.network.toLowerCase();
    }),
  },
  {
    id: "nbf/error-on-success",
    requirement: "NBF-02",
    description: "errorReason is an empty string on success",
    checks: [
      "NBF-02: errorReason is given for a rejected feed of NETWORK_B only",
      "NBF-02: every body",
    ],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      if (body.newState !== "failed") body.errorReason = "";
    }),
  },
  {
    id: "nbf/error-null",
    requirement: "NBF-02",
    description: "errorReason is null on success instead of absent",
    checks: ["NBF-02: errorReason is given for a rejected feed of NETWORK_B only"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.errorReason ??= null;
    }),
  },
  {
    id: "nbf/count-dropped-on-failure",
    requirement: "NBF-03",
    description: "expectedCardCount is omitted from a failed feed's event",
    checks: ["NBF-03: expectedCardCount is on every event of a feed created with it"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      if (body.newState === "failed") delete body.expectedCardCount;
    }),
  },
  {
    id: "nbf/count-dropped",
    requirement: "NBF-03",
    description: "expectedCardCount was added to the resource only",
    checks: ["NBF-03: expectedCardCount is on every event of a feed created with it"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      delete body.expectedCardCount;
    }),
  },
  {
    id: "nbf/count-always",
    requirement: "NBF-03",
    description: "expectedCardCount is 0 for feeds created without it",
    checks: ["NBF-03: expectedCardCount is on every event of a feed created with it"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.expectedCardCount ??= 0;
    }),
  },
  {
    id: "nbf/failure-unannounced",
    requirement: "NBF-04",
    description: "Only successful feeds are announced",
    checks: ["NBF-04: a rejected feed is announced as failed"],
    inside: changeTransition(BULK_FEED_TRANSITIONS, "feed-reject", { sends: [] }),
  },
  {
    id: "nbf/acceptance-unannounced",
    requirement: "NBF-04",
    description: "An accepted feed is not announced, because its cards are",
    checks: ["NBF-04: an accepted feed is announced as active"],
    inside: changeTransition(BULK_FEED_TRANSITIONS, "feed-accept", { sends: [] }),
  },
  {
    id: "nbf/rejected-active",
    requirement: "NBF-04",
    description: "A rejected feed is announced as active",
    checks: ["NBF-04: a rejected feed is announced as failed"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      if (body.newState !== "failed") return;
      body.newState = "active";
      delete body.errorReason;
    }),
  },
  {
    id: "nbf/fails-after-all",
    requirement: "NBF-04",
    description: "A timeout also fires for accepted feeds, so they fail",
    checks: [
      "NBF-04: an accepted feed is announced as active",
      "NBF-04: no delivery contradicts another",
    ],
    deliveries: sendAfter(CHANGED, (body) => {
      if (body.newState !== "active") return undefined;
      return { name: CHANGED, body: { ...body, newState: "failed", errorReason: "TIMEOUT" } };
    }),
  },
  {
    id: "nbf/same-state",
    requirement: "NBF-05",
    description: "The event is built after the save, so oldState is the new state",
    checks: ["NBF-05"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.oldState = body.newState;
    }),
  },
  {
    id: "nbf/no-error-reason",
    requirement: "NBF-02",
    description: "errorReason is omitted as an internal field",
    checks: [
      "NBF-02: errorReason is given for a rejected feed of NETWORK_B only",
      "NBF-02: a rejected feed of NETWORK_B has an errorReason",
    ],
    deliveries: changeEventsNamed("networkbulkfeed.statechanged", (body) => {
      delete body.errorReason;
    }),
  },
  {
    id: "nbf/states-swapped",
    requirement: "NBF-04",
    description: "oldState and newState are swapped",
    checks: [
      "NBF-04: an accepted feed is announced as active",
      "NBF-04: a rejected feed is announced as failed",
    ],
    deliveries: changeEventsNamed("networkbulkfeed.statechanged", (body) => {
      [body.oldState, body.newState] = [body.newState, body.oldState];
    }),
  },
  {
    id: "nbf/count-dropped-later",
    requirement: "NBF-03",
    description: "An active feed fails later, in an event without expectedCardCount",
    checks: ["NBF-03: no delivery contradicts another"],
    deliveries: sendAfter(CHANGED, ({ expectedCardCount, ...body }) => {
      if (body.newState !== "active") return undefined;
      return { name: CHANGED, body: { ...body, oldState: "active", newState: "failed" } };
    }),
  },
  {
    id: "nbf/network-of-cards",
    requirement: "NBF-01",
    description: "A feed's event has the network of single cards",
    checks: ["NBF-01: a bulk feed is of NETWORK_B"],
    deliveries: changeEventsNamed(CHANGED, (body) => {
      body.network = "NETWORK_A";
    }),
  },
  {
    id: "nbf/decided-again",
    requirement: "NBF-04",
    description: "Accepting an accepted feed again is announced again",
    checks: ["NBF-04: a repeated decision on a feed is not announced"],
    inside: replaceRefusal("feed-accept", (work, { feedId }) => {
      const { accountId, body } = work.store.find("network-bulk-feeds", feedId);
      const event = { ...body, oldState: "submitted", newState: "active" };
      work.announce(CHANGED, { accountId, resource: feedId }, event as never);
      return { feedId, subscriptionIds: [] };
    }),
  },
];
