import { describe, expect, test } from "vitest";
import {
  BANK_ACCOUNT_TRANSITIONS,
  BANK_LINK_TRANSITIONS,
} from "../../../src/model/bank-account.ts";
import { SUBSCRIPTION_TRANSITIONS } from "../../../src/model/card-subscription.ts";
import { BULK_FEED_TRANSITIONS } from "../../../src/model/network-bulk-feed.ts";
import type { Transition } from "../../../src/model/state-machine.ts";
import { eventsOf } from "../../../src/sandbox/event-log.ts";
import { completeBankLink } from "../../../src/world/enrollment/bank-links.ts";
import { namesOf, TestSandbox } from "../test-sandbox.ts";

/** The helpers that drive a table's rows. */
interface Drive {
  readonly rows: readonly Transition<string, string>[];
  /** Brings a resource into each state. Returns its id. */
  readonly arrive: Readonly<Record<string, (sandbox: TestSandbox) => string>>;
  /** Runs each trigger. */
  readonly pull: Readonly<Record<string, (sandbox: TestSandbox, id: string) => unknown>>;
  readonly stateOf: (sandbox: TestSandbox, id: string) => string;
  /** The events of this kind of resource. */
  readonly events: string;
}

const MINTING = [{ type: "credit", mask: "4410" }];

const minted = (sandbox: TestSandbox) => {
  sandbox.run("link-start", { accounts: MINTING });
  sandbox.run("link-complete");
  return sandbox.engine.store.latest("card-subscriptions")[0]?.id ?? "";
};

const linked = (sandbox: TestSandbox) => {
  sandbox.run("link-start", { accounts: [{ mask: "7731" }] });
  return sandbox.run("link-complete").bankAccountIds[0] ?? "";
};

const reqSCA = (sandbox: TestSandbox) => {
  linked(sandbox);
  return sandbox.run("enroll").subscriptionId;
};

const subscriptionVerb = (verb: "sca-pass" | "sca-fail" | "deactivate" | "upgrade") => {
  return (sandbox: TestSandbox, subscriptionId: string) => sandbox.run(verb, { subscriptionId });
};

const accountVerb = (verb: "consent-expire" | "disconnect" | "recover") => {
  return (sandbox: TestSandbox, bankAccountId: string) => sandbox.run(verb, { bankAccountId });
};

const subscriptions: Drive = {
  rows: SUBSCRIPTION_TRANSITIONS.filter(({ trigger }) => trigger !== "upgrade"),
  arrive: {
    reqSCA,
    active: (sandbox) => {
      reqSCA(sandbox);
      return sandbox.run("sca-pass").subscriptionId;
    },
    deactivated: (sandbox) => {
      reqSCA(sandbox);
      sandbox.run("sca-pass");
      return sandbox.run("deactivate").subscriptionId;
    },
  },
  pull: {
    enroll: (sandbox) => sandbox.run("enroll").subscriptionId,
    "enroll-in-bulk": (sandbox) => sandbox.run("feed-accept", { cards: 1 }).subscriptionIds[0],
    mint: minted,
    "sca-pass": subscriptionVerb("sca-pass"),
    "sca-fail": subscriptionVerb("sca-fail"),
    deactivate: subscriptionVerb("deactivate"),
    "link-card": (sandbox, id) => {
      const { cardId } = sandbox.get("card-subscriptions", id).body;
      return sandbox.run("link-card", { cardId });
    },
  },
  stateOf: (sandbox, id) => sandbox.get("card-subscriptions", id).body.state,
  events: "cardsubscription",
};

const upgrades: Drive = {
  ...subscriptions,
  rows: SUBSCRIPTION_TRANSITIONS.filter(({ trigger }) => trigger === "upgrade"),
  arrive: {
    reqSCA: (sandbox) => sandbox.run("upgrade", { subscriptionId: minted(sandbox) }).subscriptionId,
    active: minted,
    deactivated: (sandbox) => {
      return sandbox.run("deactivate", { subscriptionId: minted(sandbox) }).subscriptionId;
    },
  },
  pull: { upgrade: subscriptionVerb("upgrade") },
};

const feeds: Drive = {
  rows: BULK_FEED_TRANSITIONS,
  arrive: {
    submitted: (sandbox) => sandbox.run("feed-submit").feedId,
    active: (sandbox) => sandbox.run("feed-accept").feedId,
    failed: (sandbox) => sandbox.run("feed-reject").feedId,
  },
  pull: {
    "feed-submit": (sandbox) => sandbox.run("feed-submit").feedId,
    "feed-accept": (sandbox, feedId) => sandbox.run("feed-accept", { feedId }),
    "feed-reject": (sandbox, feedId) => sandbox.run("feed-reject", { feedId }),
  },
  stateOf: (sandbox, id) => sandbox.get("network-bulk-feeds", id).internal.state,
  events: "networkbulkfeed",
};

const bankAccounts: Drive = {
  rows: BANK_ACCOUNT_TRANSITIONS,
  arrive: {
    active: linked,
    auth_required: (sandbox) => {
      return sandbox.run("consent-expire", { bankAccountId: linked(sandbox) }).bankAccountId;
    },
    disconnected: (sandbox) => {
      return sandbox.run("disconnect", { bankAccountId: linked(sandbox) }).bankAccountId;
    },
  },
  pull: {
    connect: linked,
    "consent-expire": accountVerb("consent-expire"),
    disconnect: accountVerb("disconnect"),
    recover: accountVerb("recover"),
  },
  stateOf: (sandbox, id) => sandbox.get("bank-accounts", id).internal.state,
  events: "bankaccount",
};

const bankLinks: Drive = {
  rows: BANK_LINK_TRANSITIONS,
  arrive: {
    started: (sandbox) => sandbox.run("link-start").bankLinkId,
    finished: (sandbox) => sandbox.run("link-complete", { by: "polling" }).bankLinkId,
    completed: (sandbox) => sandbox.run("link-complete").bankLinkId,
  },
  pull: {
    start: (sandbox) => sandbox.run("link-start").bankLinkId,
    finish: (sandbox, bankLinkId) => sandbox.run("link-complete", { bankLinkId, by: "polling" }),
    complete: (sandbox, id) => sandbox.engine.commit((work) => completeBankLink(work, id)),
  },
  stateOf: (sandbox, id) => sandbox.get("bank-links", id).internal.state,
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
    const sandbox = new TestSandbox();
    const began = from === "new" ? undefined : arrive[from]?.(sandbox);
    const after = sandbox.engine.store.lastEvent();
    const result = pull[trigger]?.(sandbox, began ?? "");
    const id = began ?? (result as string);
    expect(stateOf(sandbox, id)).toBe(to);
    const names = namesOf(eventsOf(sandbox.engine.store, { after }));
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
    test.each(refused)("$trigger is refused in $from with 409 and changes nothing", (pair) => {
      const sandbox = new TestSandbox();
      const id = arrive[pair.from]?.(sandbox) ?? "";
      const before = sandbox.dump();
      const attempt = () => pull[pair.trigger]?.(sandbox, id);
      expect(attempt).toThrow(expect.objectContaining({ name: "Refusal", status: 409 }));
      expect(sandbox.dump()).toBe(before);
    });
  }
});
