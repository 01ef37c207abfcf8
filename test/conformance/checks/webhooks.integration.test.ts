import { expect, test } from "vitest";
import { webhookChecks } from "../../../conformance/checks/index.ts";
import { bodyChecks } from "../../../conformance/checks/shared/bodies.ts";
import type { Report } from "../../../conformance/index.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import type { Evidence } from "../../../conformance/wire/evidence.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import type { DeliveryHook, MutationHooks, SentDelivery } from "../../../mutation/mutation.ts";
import { on, status } from "../../../mutation/requests.ts";
import { make } from "../../../src/fixtures/index.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { doing } from "../run/some-checks.ts";
import { findingsIn } from "../runs.ts";

/** Deliveries that are unusual but correct, or that decide nothing. */

const webhooks = { host: "127.0.0.1", port: 0 };
const claimsIn = ({ requirements }: Report) =>
  new Map(requirements.flatMap(({ claims = [] }) => claims.map((claim) => [claim.id, claim])));

/** A request to the receiver. */
interface Posted {
  readonly name?: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The report on requests to the receiver. They arrive after the reading checks. */
async function afterPosting(...all: readonly Posted[]): Promise<Report> {
  await using sandbox = await createSandbox({ world: "empty" });
  let url = "";
  const posting = doing(
    "EP-06",
    async () => {
      for (const { name, method = "POST", body, headers } of all) {
        const json = { "content-type": "application/json" };
        const event = name !== undefined && { "webhook-event-type": name };
        const sent = { method, headers: { ...json, ...event, ...headers } };
        await fetch(url, { ...sent, ...(body !== undefined && { body: JSON.stringify(body) }) });
      }
    },
    { requires: ["writes"] },
  );
  return await runConformance(
    {
      ...{ baseUrl: sandbox.baseUrl, credentials: sandbox.accounts[0], profile: "full" },
      ...{ writes: true, webhooks },
    },
    {
      patienceMs: 1_000,
      onListening: (at) => {
        url = at;
      },
    },
    [...bodyChecks, ...webhookChecks, posting],
  );
}

const name = "transaction.created";
const enrichment = make("enrichment.merchant.created");
const { merchant: _, ...invalid } = enrichment;

test("deliveries may have other JSON types, methods and headers", async () => {
  const body = make(name);
  const claims = claimsIn(
    await afterPosting(
      { name, body, headers: { "content-type": "application/json; charset=utf-8" } },
      { name, body, headers: { "content-type": "application/hal+json" } },
      { name, body, method: "PUT" },
      { name, body, headers: { "x-signature": "abc" } },
      { name: "enrichment.merchant.created", body: enrichment },
    ),
  );
  const own = [...claims].filter(([id]) => id.startsWith("WHK-01.") || id === "ENR-01.fields");
  expect(new Set(own.map(([, { verdict }]) => verdict))).toEqual(new Set(["passed"]));
});

test("an invalid or oversized body, and a health check, decide nothing", async () => {
  const whk = (report: Report) => report.requirements.find(({ id }) => id === "WHK-01");
  const report = await afterPosting({ name, body: "x".repeat(600_000) });
  expect(whk(report)?.verdict).toBe("skipped");
  expect(whk(await afterPosting({ method: "GET" }))?.reason).toBe("no delivery arrived");
  const wrong = await afterPosting({ name: "enrichment.merchant.created", body: invalid });
  expect(claimsIn(wrong).get("ENR-01.fields")?.verdict).toBe("undecided");
});

test("a run compares 1000 deliveries with a limited number of requests", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const { baseUrl, accounts } = sandbox;
  const [credentials] = accounts;
  let added: Promise<unknown> | undefined;
  const buys = async () => {
    await added;
    const { cardId } = (await sandbox.trigger("enroll")).result;
    await sandbox.trigger("sca-pass");
    for (let count = 0; count < 250; count += 1) {
      const { transactionId } = (await sandbox.trigger("purchase", { cardId })).result;
      await sandbox.trigger("clear", { transactionId });
    }
    await sandbox.settle();
  };
  const evidence: Evidence[] = [];
  const report = await runConformance(
    { baseUrl, credentials, profile: "full", writes: true, webhooks },
    {
      onEvidence: (entry) => evidence.push(entry),
      onListening: (url) => {
        added = sandbox.addEndpoint({ url, accountId: credentials.accountId });
      },
    },
    [...webhookChecks, doing("EP-06", buys, { requires: ["writes"] })],
  );
  expect([findingsIn(report), report.suiteErrors]).toEqual([[], []]);
  const lookups = evidence.filter(
    (entry) => entry.kind === "exchange" && entry.scope === "referenced resources",
  );
  expect(lookups.length).toBeGreaterThan(400);
  expect(lookups.length).toBeLessThanOrEqual(600 + 100);
});

const PATCH = "PATCH /bank-links/{}";
const twice: DeliveryHook = async (delivery, { send }) => {
  await send(delivery);
  await send(delivery);
};

/** Announces a completed link again at its second PATCH. */
function announcesAgain(): MutationHooks {
  let sent: SentDelivery | undefined;
  let post: ((one: SentDelivery) => Promise<void>) | undefined;
  let patches = 0;
  const { http } = on(PATCH, async ({ forward }) => {
    patches += 1;
    if (patches === 2 && sent) await post?.(sent);
    return forward();
  });
  const deliveries: DeliveryHook = async (delivery, { send }) => {
    if (delivery.name === "banklink.completed") [sent, post] = [delivery, send];
    await send(delivery);
  };
  return { http, deliveries };
}

/** The verdicts on EP-07.accepted, EP-07.triggers and BLK-02.exactly-one. */
test.each<[string, MutationHooks, (string | undefined)[]]>([
  ["is answered and announced once", {}, ["passed", "passed", "passed"]],
  ["is announced by duplicate deliveries", { deliveries: twice }, ["passed", "passed"]],
  ["is refused, because its body is open", status(PATCH, 422), ["undecided"]],
  ["is announced again by a second PATCH", announcesAgain(), ["passed", "passed", "failed"]],
])("a bank link that is completed by PATCH: %s", async (_what, hooks, expected) => {
  await using sandbox = await createSandbox({ world: "small" });
  const [credentials] = sandbox.accounts;
  const { bankLinkId } = (await sandbox.trigger("link-start")).result;
  await using faulty = await startMutant(sandbox, hooks);
  let added: Promise<unknown> | undefined;
  const report = await runConformance(
    {
      ...{ baseUrl: faulty.baseUrl, credentials, profile: "full", writes: true },
      ...{ bankLinkId, webhooks },
    },
    {
      ...{ only: ["EP-07", "BLK-02"], patienceMs: 1_000 },
      onListening: (url) => {
        const method = "POST";
        const headers = { "content-type": "application/json" };
        const body = JSON.stringify({ url, accountId: credentials.accountId });
        added = fetch(`${faulty.controlUrl}/endpoints`, { method, headers, body });
      },
    },
  );
  await added;
  const claims = claimsIn(report);
  const ids = ["EP-07.accepted", "EP-07.triggers", "BLK-02.exactly-one"] as const;
  const found = ids.map((id) => claims.get(id)?.verdict);
  expect(found.slice(0, expected.length)).toEqual(expected);
  if (expected.at(-1) === "passed") expect(found).not.toContain("failed");
});
