import { describe, expect, test } from "vitest";
import { BANK_ACCOUNT_MOVES } from "../../../src/sandbox/enrollment/bank-accounts.ts";
import { BANK_LINK_MOVES, completeBankLink } from "../../../src/sandbox/enrollment/bank-links.ts";
import { FEED_MOVES } from "../../../src/sandbox/enrollment/feeds.ts";
import { SUBSCRIPTION_MOVES } from "../../../src/sandbox/enrollment/subscription-moves.ts";
import { eventsOf, lastEventSeq } from "../../../src/sandbox/event-log.ts";
import type { Transition } from "../../../src/sandbox/state-machine.ts";
import { namesOf, Stage } from "./stage.ts";

/** How the rows of a table are driven. */
interface Drive {
  readonly rows: readonly Transition<string, string>[];
  /** Brings a resource into each state. Returns its id. */
  readonly arrive: Readonly<Record<string, (stage: Stage) => string>>;
  /** Pulls each trigger. */
  readonly pull: Readonly<Record<string, (stage: Stage, id: string) => unknown>>;
  readonly stateOf: (stage: Stage, id: string) => string;
  /** The events that tell of this kind of resource. */
  readonly events: string;
}

const MINTING = [{ type: "credit", mask: "4410" }];

const minted = (stage: Stage) => {
  stage.run("link-start", { accounts: MINTING });
  stage.run("link-complete");
  return stage.engine.store.latest("card-subscriptions")[0]?.id ?? "";
};

const linked = (stage: Stage) => {
  stage.run("link-start", { accounts: [{ mask: "7731" }] });
  return stage.run("link-complete").bankAccountIds[0] ?? "";
};

const reqSCA = (stage: Stage) => {
  linked(stage);
  return stage.run("enroll").subscriptionId;
};

const subscriptionVerb = (verb: "sca-pass" | "sca-fail" | "deactivate" | "upgrade") => {
  return (stage: Stage, subscriptionId: string) => stage.run(verb, { subscriptionId });
};

const accountVerb = (verb: "consent-expire" | "disconnect" | "recover") => {
  return (stage: Stage, bankAccountId: string) => stage.run(verb, { bankAccountId });
};

const subscriptions: Drive = {
  rows: SUBSCRIPTION_MOVES.filter(({ trigger }) => trigger !== "upgrade"),
  arrive: {
    reqSCA,
    active: (stage) => {
      reqSCA(stage);
      return stage.run("sca-pass").subscriptionId;
    },
    deactivated: (stage) => {
      reqSCA(stage);
      stage.run("sca-pass");
      return stage.run("deactivate").subscriptionId;
    },
  },
  pull: {
    enroll: (stage) => stage.run("enroll").subscriptionId,
    "enroll-in-bulk": (stage) => stage.run("feed-accept", { cards: 1 }).subscriptionIds[0],
    mint: minted,
    "sca-pass": subscriptionVerb("sca-pass"),
    "sca-fail": subscriptionVerb("sca-fail"),
    deactivate: subscriptionVerb("deactivate"),
    "link-card": (stage, id) => {
      const { cardId } = stage.get("card-subscriptions", id).body;
      return stage.run("link-card", { cardId });
    },
  },
  stateOf: (stage, id) => stage.get("card-subscriptions", id).body.state,
  events: "cardsubscription",
};

const upgrades: Drive = {
  ...subscriptions,
  rows: SUBSCRIPTION_MOVES.filter(({ trigger }) => trigger === "upgrade"),
  arrive: {
    reqSCA: (stage) => stage.run("upgrade", { subscriptionId: minted(stage) }).subscriptionId,
    active: minted,
    deactivated: (stage) => {
      return stage.run("deactivate", { subscriptionId: minted(stage) }).subscriptionId;
    },
  },
  pull: { upgrade: subscriptionVerb("upgrade") },
};

const feeds: Drive = {
  rows: FEED_MOVES,
  arrive: {
    submitted: (stage) => stage.run("feed-submit").feedId,
    active: (stage) => stage.run("feed-accept").feedId,
    failed: (stage) => stage.run("feed-reject").feedId,
  },
  pull: {
    "feed-submit": (stage) => stage.run("feed-submit").feedId,
    "feed-accept": (stage, feedId) => stage.run("feed-accept", { feedId }),
    "feed-reject": (stage, feedId) => stage.run("feed-reject", { feedId }),
  },
  stateOf: (stage, id) => stage.get("network-bulk-feeds", id).internal.state,
  events: "networkbulkfeed",
};

const bankAccounts: Drive = {
  rows: BANK_ACCOUNT_MOVES,
  arrive: {
    active: linked,
    auth_required: (stage) => {
      return stage.run("consent-expire", { bankAccountId: linked(stage) }).bankAccountId;
    },
    disconnected: (stage) => {
      return stage.run("disconnect", { bankAccountId: linked(stage) }).bankAccountId;
    },
  },
  pull: {
    connect: linked,
    "consent-expire": accountVerb("consent-expire"),
    disconnect: accountVerb("disconnect"),
    recover: accountVerb("recover"),
  },
  stateOf: (stage, id) => stage.get("bank-accounts", id).internal.state,
  events: "bankaccount",
};

const bankLinks: Drive = {
  rows: BANK_LINK_MOVES,
  arrive: {
    started: (stage) => stage.run("link-start").bankLinkId,
    finished: (stage) => stage.run("link-complete", { by: "polling" }).bankLinkId,
    completed: (stage) => stage.run("link-complete").bankLinkId,
  },
  pull: {
    start: (stage) => stage.run("link-start").bankLinkId,
    finish: (stage, bankLinkId) => stage.run("link-complete", { bankLinkId, by: "polling" }),
    complete: (stage, id) => stage.engine.commit((work) => completeBankLink(work, id)),
  },
  stateOf: (stage, id) => stage.get("bank-links", id).internal.state,
  events: "banklink",
};

describe.each([
  ["card subscriptions", subscriptions],
  ["bank-feed subscriptions", upgrades],
  ["bulk feeds", feeds],
  ["bank accounts", bankAccounts],
  ["bank links", bankLinks],
])("the table of %s", (_name, { rows, arrive, pull, stateOf, events }) => {
  const driven = rows.flatMap((row) => row.from.map((from) => ({ ...row, from })));

  test.each(driven)("$requirement: $trigger leads from $from to $to", (row) => {
    const { trigger, from, to, sends } = row;
    const stage = new Stage();
    const began = from === "new" ? undefined : arrive[from]?.(stage);
    const after = lastEventSeq(stage.engine.store);
    const result = pull[trigger]?.(stage, began ?? "");
    const id = began ?? (result as string);
    expect(stateOf(stage, id)).toBe(to);
    const names = namesOf(eventsOf(stage.engine.store, { after }));
    expect(names.filter((name) => name.startsWith(events))).toEqual(sends);
  });

  const pairs = Object.keys(pull).flatMap((trigger) =>
    Object.keys(arrive).map((from) => ({ trigger, from })),
  );
  const begins = new Set(rows.filter(({ from }) => from.includes("new")).map((row) => row.trigger));
  const refused = pairs.filter(({ trigger, from }) => {
    const isMove = driven.some((row) => row.trigger === trigger && row.from === from);
    return !isMove && !begins.has(trigger);
  });

  if (refused.length > 0) {
    test.each(refused)("$trigger is refused in $from with 409, and changes nothing", (pair) => {
      const stage = new Stage();
      const id = arrive[pair.from]?.(stage) ?? "";
      const before = stage.dump();
      const attempt = () => pull[pair.trigger]?.(stage, id);
      expect(attempt).toThrow(expect.objectContaining({ name: "Refusal", status: 409 }));
      expect(stage.dump()).toBe(before);
    });
  }
});
