import { describe, expect, test } from "vitest";
import {
  BANK_ACCOUNT_TRANSITIONS,
  BANK_LINK_TRANSITIONS,
} from "../../../src/model/bank-account.ts";
import { SUBSCRIPTION_TRANSITIONS } from "../../../src/model/card-subscription.ts";
import { BULK_FEED_TRANSITIONS } from "../../../src/model/network-bulk-feed.ts";
import type { Transition } from "../../../src/model/state-machine.ts";
import { completeBankLink } from "../../../src/world/enrollment/bank-links.ts";
import type { Kind, Resource } from "../../../src/world/resources.ts";
import { call, type ScriptCall } from "../../../src/world/script.ts";
import { namesOf, TestSandbox } from "../test-sandbox.ts";

/** How to drive the rows of a table. The resource is the latest one of its kind. */
interface Drive {
  readonly kind: Kind;
  readonly rows: readonly Transition<string, string>[];
  /** Brings a new resource into each state. */
  readonly arrive: Readonly<Record<string, readonly ScriptCall[]>>;
  /** Each trigger of an existing resource, by its id. */
  readonly pull: Readonly<Record<string, (id: string, sandbox: TestSandbox) => unknown>>;
  /** Each trigger that makes a resource. */
  readonly begin: Readonly<Record<string, readonly ScriptCall[]>>;
  /** The events of this kind of resource. */
  readonly events: string;
}

const link = (account: object) => [
  call("link-start", { accounts: [account] }),
  call("link-complete"),
];
const LINK = link({ mask: "7731" });
const MINT = link({ type: "credit", mask: "4410" });
const ENROLL = [...LINK, call("enroll")];
const PASS = call("sca-pass");
const DEACTIVATE = call("deactivate");

const triggers = (field: string, ...verbs: Parameters<typeof call>[0][]) =>
  Object.fromEntries(
    verbs.map((verb) => [
      verb,
      (id: string, sandbox: TestSandbox) => sandbox.run(verb, { [field]: id } as never),
    ]),
  );

const subscriptions: Drive = {
  kind: "card-subscriptions",
  rows: SUBSCRIPTION_TRANSITIONS.filter(({ trigger }) => trigger !== "upgrade"),
  arrive: { reqSCA: ENROLL, active: [...ENROLL, PASS], deactivated: [...ENROLL, PASS, DEACTIVATE] },
  begin: {
    enroll: [call("enroll")],
    "enroll-in-bulk": [call("feed-accept", { cards: 1 })],
    mint: MINT,
  },
  pull: {
    ...triggers("subscriptionId", "sca-pass", "sca-fail", "deactivate"),
    "link-card": (id, sandbox) => {
      const { cardId } = sandbox.get("card-subscriptions", id).body;
      return sandbox.run("link-card", { cardId });
    },
  },
  events: "cardsubscription",
};

const upgrades: Drive = {
  ...subscriptions,
  rows: SUBSCRIPTION_TRANSITIONS.filter(({ trigger }) => trigger === "upgrade"),
  arrive: { reqSCA: [...MINT, call("upgrade")], active: MINT, deactivated: [...MINT, DEACTIVATE] },
  begin: {},
  pull: triggers("subscriptionId", "upgrade"),
};

const SUBMIT = [call("feed-submit")];

const feeds: Drive = {
  kind: "network-bulk-feeds",
  rows: BULK_FEED_TRANSITIONS,
  arrive: { submitted: SUBMIT, active: [call("feed-accept")], failed: [call("feed-reject")] },
  begin: { "feed-submit": SUBMIT },
  pull: triggers("feedId", "feed-accept", "feed-reject"),
  events: "networkbulkfeed",
};

const bankAccounts: Drive = {
  kind: "bank-accounts",
  rows: BANK_ACCOUNT_TRANSITIONS,
  arrive: {
    active: LINK,
    auth_required: [...LINK, call("consent-expire")],
    disconnected: [...LINK, call("disconnect")],
  },
  begin: { connect: LINK },
  pull: triggers("bankAccountId", "consent-expire", "disconnect", "recover"),
  events: "bankaccount",
};

const bankLinks: Drive = {
  kind: "bank-links",
  rows: BANK_LINK_TRANSITIONS,
  arrive: {
    started: [call("link-start")],
    finished: [call("link-complete", { by: "polling" })],
    completed: [call("link-complete")],
  },
  begin: { start: [call("link-start")] },
  pull: {
    finish: (bankLinkId, sandbox) => sandbox.run("link-complete", { bankLinkId, by: "polling" }),
    complete: (id, sandbox) => sandbox.engine.commit((work) => completeBankLink(work, id)),
  },
  events: "banklink",
};

describe.each([
  ["card subscriptions", subscriptions],
  ["bank-feed subscriptions", upgrades],
  ["bulk feeds", feeds],
  ["bank accounts", bankAccounts],
  ["bank links", bankLinks],
])("the table of %s", (_name, { kind, rows, arrive, begin, pull, events }) => {
  const latest = (sandbox: TestSandbox) => sandbox.engine.store.latest(kind)[0] as Resource;
  const driven = rows.flatMap((row) => row.from.map((from) => ({ ...row, from })));

  test.each(driven)("$requirement: $trigger leads from $from to $to", async (row) => {
    const { trigger, from, to, sends } = row;
    const sandbox = new TestSandbox();
    await sandbox.play(...(arrive[from] ?? []));
    const before = sandbox.events().length;
    if (from === "new") await sandbox.play(...(begin[trigger] ?? []));
    else pull[trigger]?.(latest(sandbox).id, sandbox);
    const { body, internal } = latest(sandbox);
    expect({ ...body, ...internal }).toMatchObject({ state: to });
    const names = namesOf(sandbox.events().slice(before));
    expect(names.filter((name) => name.startsWith(events))).toEqual(sends);
  });

  const refused = Object.keys(pull)
    .flatMap((trigger) => Object.keys(arrive).map((from) => ({ trigger, from })))
    .filter(({ trigger, from }) => {
      return !driven.some((row) => row.trigger === trigger && row.from === from);
    });

  test("other triggers are refused with 409 and change nothing", async () => {
    for (const { trigger, from } of refused) {
      const sandbox = new TestSandbox();
      await sandbox.play(...(arrive[from] ?? []));
      const before = sandbox.dump();
      const attempt = () => pull[trigger]?.(latest(sandbox).id, sandbox);
      const refusal = expect.objectContaining({ name: "Refusal", status: 409 });
      expect(attempt, `${trigger} in ${from}`).toThrow(refusal);
      expect(sandbox.dump()).toBe(before);
    }
  });
});
