import { expect, test } from "vitest";
import { httpChecks } from "../../../conformance/checks/http.ts";
import { webhookChecks } from "../../../conformance/checks/webhooks.ts";
import { derivedRequirements } from "../../../generated/derived.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import type { HttpHook } from "../../../mutation/mutation.ts";
import {
  changeResponseAt,
  changeResponses,
  onPath,
  problemResponse,
} from "../../../mutation/rewrite.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { listenTo } from "../deliveries/busy-sandbox.ts";

/** Compares deliveries with the API's later responses. Each check must fail for a mutation. */

const looking = httpChecks.filter(({ requirement }) => requirement === "CONV-01");
const afterwards = webhookChecks.filter(({ requires: needs }) => needs.includes("state"));

/** Triggers some events of every kind that links to resources. */
async function happen(sandbox: Sandbox): Promise<void> {
  const [bankAccountId = ""] = (await sandbox.trigger("link-complete")).result.bankAccountIds;
  const { cardId } = (await sandbox.trigger("enroll")).result;
  await sandbox.trigger("sca-pass");
  await sandbox.trigger("link-card", { cardId, bankAccountId });
  await sandbox.trigger("feed-accept");
  const { transactionId } = (await sandbox.trigger("purchase", { cardId })).result;
  await sandbox.trigger("bank-post", { transactionId });
  await sandbox.trigger("clear", { transactionId });
  const anew = (await sandbox.trigger("purchase", { cardId, amount: 99 })).result;
  await sandbox.trigger("bank-post", { transactionId: anew.transactionId });
  await sandbox.trigger("rematch", { transactionId: anew.transactionId });
  await sandbox.trigger("bank-post", { amount: 7, description: "KIOSK" });
  await sandbox.trigger("bank-post", { amount: 8, description: "BAKERY" });
  await sandbox.trigger("provider-remove");
}

async function verdictsWith(http: HttpHook | undefined): Promise<Map<RequirementId, string[]>> {
  await using sandbox = await createSandbox({ world: "small" });
  await using faulty = await startMutant(sandbox, { http });
  const { report } = await listenTo(sandbox, () => happen(sandbox), {
    baseUrl: faulty.baseUrl,
    checks: [...looking, ...afterwards],
    patienceMs: 3_000,
  });
  const titles = new Set(afterwards.map(({ title }) => title));
  return new Map(
    report.requirements.map(({ id, checks }) => [
      id,
      checks.filter(({ name }) => titles.has(name)).map(({ verdict }) => verdict),
    ]),
  );
}

const set = (values: object) => (body: object) => {
  Object.assign(body, values);
};
const without = (name: string) => (body: Record<string, unknown>) => {
  delete body[name];
};
const gone: HttpHook = async () => problemResponse(404, "not found");

const CASES: readonly (readonly [RequirementId, string, HttpHook])[] = [
  ["MSG-09", "message", changeResponses("transaction-messages", set({ result: "DECLINED" }))],
  ["MSG-09", "message's fields", changeResponses("transaction-messages", set({ more: 1 }))],
  ["MSG-09", "message's null", changeResponses("transaction-messages", without("traceId"))],
  ["CONV-09", "link to a card", onPath("/cards/{}", gone)],
  ["EP-13", "card", onPath("/cards/{}", gone)],
  ["EP-13", "subscription", onPath("/card-subscriptions/{}", gone)],
  ["EP-13", "feed", onPath("/network-bulk-feeds/{}", gone)],
  ["EP-13", "subaccount", onPath("/subaccounts/{}", gone)],
  ["EP-13", "bank account", onPath("/bank-accounts/{}", gone)],
  ["EP-04", "transaction", changeResponses("transactions", set({ descriptor: "other" }))],
  ["TXN-11", "set", changeResponses("transactions", set({ supersededMessageIds: [] }))],
  ["EP-10", "posting", changeResponses("bank-transactions", set({ currency: "XXX" }))],
  ["MSG-11", "join key", onPath("/bank-transactions/{}/{}", gone)],
  ["MAT-04", "join key", onPath("/bank-transactions/{}/{}", gone)],
  ["EP-12", "match", onPath("/transaction-matches/{}/{}", gone)],
  ["EP-12", "match's score", changeResponseAt("/transaction-matches/{}/{}", set({ score: 0.99 }))],
  ["SUB-09", "state", changeResponses("card-subscriptions", set({ state: "deactivated" }))],
  [
    "BTX-07",
    "list without what was announced",
    changeResponseAt("/bank-transactions", (body) => {
      body._embedded.bankTransactions = [];
    }),
  ],
  [
    "MAT-11",
    "list without what was announced",
    changeResponseAt("/transaction-matches", (body) => {
      body._embedded.transactionMatches = [];
    }),
  ],
  ["SUB-01", "new subscription", changeResponses("card-subscriptions", without("cardId"))],
];

test.concurrent.each(CASES)(
  "%s fails if the API differs from the delivery: %s",
  async (id, _, http) => {
    const verdicts = (await verdictsWith(http)).get(id);
    expect(verdicts).toContain(derivedRequirements.has(id) ? "warned" : "failed");
  },
);

test("no check fails if the API agrees with the deliveries", async () => {
  const verdicts = await verdictsWith(undefined);
  for (const [id] of CASES) expect([id, ...(verdicts.get(id) ?? [])]).toContain("passed");
  const all = new Set([...verdicts.values()].flat());
  expect(all).toEqual(new Set(["passed", "skipped"]));
});
