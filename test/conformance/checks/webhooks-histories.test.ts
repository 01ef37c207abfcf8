import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { webhookChecks } from "../../../conformance/checks/webhooks.ts";
import { derivedRequirements } from "../../../generated/derived.ts";
import type { EventName } from "../../../generated/events.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { make, type ScenarioName, scenario } from "../../../src/fixtures/index.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { ROOT } from "../../document.ts";
import { afterPosting, type Posted } from "./posted.ts";

/** Checks of several deliveries. Each must pass on a correct history and fail on a broken one. */
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ world: "empty" });
});

afterAll(() => sandbox.close());

// biome-ignore lint/suspicious/noExplicitAny: faults reach into bodies as they like
type Json = any;

/** A scenario's deliveries. Changes the nth delivery of an event, or drops it for `null`. */
function told(
  name: ScenarioName,
  event?: EventName,
  nth = 0,
  change: ((body: Json, all: readonly Json[]) => unknown) | null = null,
): Posted[] {
  const all = scenario(name).map(({ headers, body }) => {
    return { name: headers["webhook-event-type"], body: structuredClone(body) as Json };
  });
  const chosen = all.filter((one) => one.name === event)[nth];
  if (!chosen) return all;
  if (change === null) return all.filter((one) => one !== chosen);
  change(
    chosen.body,
    all.map(({ body }) => body),
  );
  return all;
}

/** Appends a changed copy of the last delivery of an event. */
const more = (all: Posted[], event: EventName, change: (body: Json) => unknown): Posted[] => {
  const body = structuredClone(all.findLast(({ name }) => name === event)?.body) as Json;
  change(body);
  return [...all, { name: event, body }];
};

const ID = "0c0ffee0-0000-4000-8000-000000000001";
const LATER = { updatedAt: "2030-01-01T00:00:00.000Z" };
const set = (values: object) => (body: Json) => Object.assign(body, values);

const turn = (states: readonly [string, string]): Posted => {
  const [previousState, state] = states;
  const body = make("bankaccount.state_changed", { previousState, state } as object);
  return { name: "bankaccount.state_changed", body };
};

const CASES: readonly (readonly [RequirementId, kept: Posted[], broken: Posted[]])[] = [
  [
    "CONV-09",
    told("purchase-cleared-by-network-alone"),
    told("purchase-cleared-by-network-alone", "transactionmessage.created"),
  ],
  [
    "TXN-11",
    more(told("purchase-cleared-by-network"), "transaction.updated", set(LATER)),
    more(
      told("purchase-cleared-by-network"),
      "transaction.updated",
      set({ ...LATER, supersededMessageIds: [] }),
    ),
  ],
  [
    "TXN-12",
    told("purchase-settled-by-bank"),
    told("purchase-settled-by-bank", "transaction.updated"),
  ],
  [
    "TXN-13",
    told("purchase-cleared-by-network"),
    told("purchase-cleared-by-network", "transaction.updated", 1, (body) => {
      body.supersededMessageIds = [];
      for (const one of body._embedded.messages) one.superseded = false;
    }),
  ],
  [
    "TXN-14",
    told("late-card-match-settle-first"),
    told("late-card-match-settle-first", "transaction.updated", 1),
  ],
  ["TXN-15", told("bank-only-movement"), told("bank-only-movement", "transaction.created")],
  [
    "TXN-18",
    told("purchase-settled-by-bank"),
    told("purchase-settled-by-bank", "transaction.updated", 0, set({ createdAt: LATER.updatedAt })),
  ],
  [
    "TXN-20",
    more(told("purchase-cleared-by-network-alone"), "transaction.updated", set(LATER)),
    more(
      told("purchase-cleared-by-network-alone"),
      "transaction.updated",
      set({ ...LATER, status: "PENDING" }),
    ),
  ],
  [
    "MSG-09",
    told("enrichment"),
    more(told("enrichment"), "transactionmessage.created", set({ result: "DECLINED" })),
  ],
  ["MSG-11", told("bank-only-movement"), told("bank-only-movement", "banktransaction.created")],
  [
    "MSG-12",
    told("enrichment"),
    told("enrichment", "transactionmessage.created", 0, set({ transactionAmount: 1 })),
  ],
  [
    "SUB-04",
    told("cardholder-enrollment"),
    told("cardholder-enrollment", "cardsubscription.created", 0, set({ state: "active" })),
  ],
  [
    "SUB-05",
    told("cardholder-enrollment"),
    told("cardholder-enrollment", "cardsubscription.updated"),
  ],
  [
    "SUB-06",
    told("in-place-upgrade"),
    told("in-place-upgrade", "cardsubscription.updated", 0, set({ state: "active" })),
  ],
  [
    "SUB-07",
    told("late-bank-linking"),
    told("late-bank-linking", "cardsubscription.updated", 1, set({ state: "active" })),
  ],
  [
    "SUB-09",
    told("cardholder-enrollment"),
    told("cardholder-enrollment", "cardsubscription.created"),
  ],
  [
    "NBF-03",
    more(
      told("bulk-feed-with-expected-card-count"),
      "networkbulkfeed.statechanged",
      set({ ...LATER, oldState: "active", newState: "ended" }),
    ),
    more(told("bulk-feed-with-expected-card-count"), "networkbulkfeed.statechanged", (body) => {
      Object.assign(body, { ...LATER, oldState: "active", newState: "ended" });
      delete body.expectedCardCount;
    }),
  ],
  [
    "NBF-04",
    told("bulk-feed-accepted"),
    more(
      told("bulk-feed-accepted"),
      "networkbulkfeed.statechanged",
      set({ ...LATER, newState: "failed" }),
    ),
  ],
  [
    "BLK-02",
    told("link-with-bank-feed-cards"),
    more(told("link-with-bank-feed-cards"), "banklink.completed", (body) =>
      Object.assign(body.bankAccounts[0], { name: "another" }),
    ),
  ],
  [
    "BLK-05",
    told("link-with-bank-feed-cards"),
    told("link-with-bank-feed-cards", "cardsubscription.created"),
  ],
  [
    "BAC-03",
    [turn(["active", "disconnected"]), turn(["disconnected", "active"])],
    [turn(["active", "disconnected"]), turn(["active", "auth_required"])],
  ],
  ["BAC-05", [turn(["active", "auth_required"])], [turn(["disconnected", "auth_required"])]],
  [
    "BTX-04",
    told("deletion-of-twin"),
    told("deletion-of-twin", "banktransaction.deleted", 0, (body) =>
      Object.assign(body, { id: ID, metadata: { resourceId: ID } }),
    ),
  ],
  [
    "BTX-05",
    told("deletion-of-matched-bank-transaction"),
    told("deletion-of-matched-bank-transaction", "transaction.match.deleted"),
  ],
  [
    "MAT-04",
    told("late-card-match-of-low-confidence"),
    told("late-card-match-of-low-confidence", "transaction.match.created", 0, (body) =>
      Object.assign(body.matches[0], { id: ID }),
    ),
  ],
  [
    "MAT-05",
    told("forced-rematch"),
    told("forced-rematch", "transaction.match.deleted", 0, set({ matchId: ID })),
  ],
  ["MAT-07", told("forced-rematch"), told("forced-rematch", "transaction.match.deleted")],
  [
    "MAT-08",
    told("split-clearing"),
    told("split-clearing", "transaction.match.created", 1, (body, all) => {
      const first = all.find(({ matchId }) => matchId !== undefined);
      body.cardTransaction.id = first.cardTransaction.id;
    }),
  ],
  [
    "WHK-05",
    told("purchase-cleared-by-network-alone"),
    told("purchase-cleared-by-network-alone", "transaction.created"),
  ],
];

test.concurrent.each(CASES)(
  "%s passes on a correct history and fails on a broken one",
  async (id, kept, broken) => {
    const kind = derivedRequirements.has(id) ? "warned" : "failed";
    const right = (await afterPosting(sandbox, id, kept)).map(({ verdict }) => verdict);
    expect(right).toContain("passed");
    expect(right).not.toContain(kind);
    const found = await afterPosting(sandbox, id, broken);
    expect(found.map(({ verdict }) => verdict)).toContain(kind);
  },
);

test("every requirement that a history can break has a check and a case", () => {
  const folder = `${ROOT}src/contract/history/`;
  const text = readdirSync(folder).map((file) => readFileSync(folder + file, "utf8"));
  const named = new Set(text.join("").match(/(?<=")[A-Z]{3,4}-\d\d(?=")/g));
  // A second announcement of a bank transaction is only a notice.
  named.delete("BTX-01");
  expect(CASES.map(([id]) => id).sort()).toEqual([...named].sort());
  const checked = new Set<string>(webhookChecks.map(({ requirement }) => requirement));
  expect([...named].filter((id) => !checked.has(id))).toEqual([]);
});
