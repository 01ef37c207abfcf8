import { expect, test } from "vitest";
import { agreements } from "../../../../conformance/checks/shared/agreements.ts";
import { settlement } from "../../../../conformance/checks/txn/settlement.ts";
import { runConformance } from "../../../../conformance/run/run.ts";
import type { Json } from "../../../../mutation/rewrite.ts";
import {
  type Delivery,
  type ScenarioName,
  scenario,
  scenarioNames,
} from "../../../../src/fixtures/index.ts";
import { AlternativeServer } from "../../alternative-server/server.ts";

const checks = [...agreements, ...settlement];

/** Runs the checks on deliveries and returns the failed and the passed ones. */
async function verdictsOf(deliveries: readonly Delivery[]) {
  await using server = await new AlternativeServer({ style: "cursor", projection: true }).start();
  const [credentials] = server.accounts;
  if (!credentials) throw new Error("an account");
  let delivering: Promise<void> | undefined;
  const deliver = async (url: string) => {
    await Promise.all(
      deliveries.map(({ headers, body }) =>
        fetch(url, { method: "POST", headers, body: JSON.stringify(body) }),
      ),
    );
  };
  const report = await runConformance(
    {
      ...{ baseUrl: server.baseUrl, credentials, profile: "full" },
      webhooks: { host: "127.0.0.1", port: 0, collectSeconds: 2 },
    },
    {
      onListening: (url) => {
        delivering = deliver(url);
      },
      // Deliveries made for one check may lack events that another waits for.
      patienceMs: 100,
    },
    checks,
  );
  await delivering;
  expect(report.suiteErrors).toEqual([]);
  const all = report.requirements.flatMap(({ checks: own }) => own);
  const titles = new Set(checks.map(({ title }) => title));
  const having = (...verdicts: string[]) =>
    all
      .filter(({ name, verdict }) => titles.has(name) && verdicts.includes(verdict))
      .map(({ name }) => name);
  return { failed: having("failed", "warned"), passed: having("passed") };
}

/** Only the short scenarios: the long ones combine them. */
const names = scenarioNames.filter((name) => scenario(name).length < 30);

/** A scenario with modified bodies for one event. */
function changed(name: ScenarioName, event: string, change: (body: Json) => void): Delivery[] {
  return scenario(name).map((delivery) => {
    if (delivery.headers["webhook-event-type"] !== event) return delivery;
    const body = structuredClone(delivery.body);
    change(body);
    return { ...delivery, body } as Delivery;
  });
}

const OTHER = "5d1b3f0c-0000-4000-8000-000000000001";
const MATCHED = "purchase-settled-by-bank";
const LINKED = "link-with-bank-feed-cards";

test("the data of every scenario is consistent", async () => {
  const { failed, passed } = await verdictsOf(
    names.flatMap((name, seed) => scenario(name, { seed })),
  );
  expect(failed).toEqual([]);
  // Partially passed checks are not in `passed`.
  expect(passed.length).toBeGreaterThanOrEqual(agreements.length - 2);
});

test.each<[string, Delivery[]]>([
  [
    "a match agrees with the events of its bank transactions",
    changed(MATCHED, "transaction.match.created", (body) => {
      body.matches[0].bankAccountId = OTHER;
    }),
  ],
  [
    "a match agrees with the events of its bank transactions",
    changed(MATCHED, "transaction.match.created", (body) => {
      body.matches[0].amount += 1;
    }),
  ],
  [
    "a match names the card of its card transaction",
    changed(MATCHED, "transaction.match.created", (body) => {
      body.cardTransaction.cardId = OTHER;
    }),
  ],
  [
    "the mask of a credit account is its card's last 4 digits",
    changed(LINKED, "banklink.completed", (body) => {
      for (const account of body.bankAccounts) {
        account.mask = "0000";
        account.cardIds = (account.cards ?? []).map(({ id }: Json) => id);
      }
    }),
  ],
  [
    "cards lists each card that the completion enrolled",
    changed(LINKED, "banklink.completed", (body) => {
      for (const account of body.bankAccounts) delete account.cards;
    }),
  ],
  [
    "a rejected feed of NETWORK_B has an errorReason",
    names.flatMap((name) =>
      changed(name, "networkbulkfeed.statechanged", (body) => {
        delete body.errorReason;
      }),
    ),
  ],
  [
    "a bank-only transaction has a card of its account",
    names.flatMap((name) =>
      changed(name, "transaction.created", (body) => {
        if (body.network !== "OPEN_BANKING") return;
        body.cardId = OTHER;
        body._links.card = { href: `/cards/${OTHER}` };
      }),
    ),
  ],
  [
    "a delivered bank settlement inherits the fields of its authorization",
    changed(MATCHED, "transaction.updated", (body) => {
      for (const one of body._embedded.messages) if (one.bankData) one.approvalCode = "000000";
    }),
  ],
  [
    "a delivered purchase is not settled by both the bank and the network",
    names.flatMap((name) =>
      changed(name, "transaction.updated", (body) => {
        if (body.supersededMessageIds.length === 0) return;
        body.supersededMessageIds = [];
        for (const one of body._embedded.messages) one.superseded = false;
        const settled = body._embedded.messages.filter(
          (one: Json) => one.messageType === "FINL_ADVC",
        );
        for (const [sum, name] of [
          ["transactionSettledAmount", "transactionAmount"],
          ["cardholderBillingSettledAmount", "cardholderBillingAmount"],
        ] as const) {
          body[sum] = settled.reduce((all: number, one: Json) => all + one[name], 0);
        }
      }),
    ),
  ],
])("it fails: %s", async (title, deliveries) => {
  expect((await verdictsOf(deliveries)).failed).toContain(title);
});
