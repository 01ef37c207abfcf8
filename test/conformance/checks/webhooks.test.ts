import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Check, requirementOf } from "../../../conformance/check.ts";
import { httpChecks, webhookChecks } from "../../../conformance/checks/index.ts";
import { bodyChecks } from "../../../conformance/checks/shared/bodies.ts";
import type { CheckReport } from "../../../conformance/index.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { make } from "../../../src/fixtures/index.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";

/** Deliveries that are unusual but correct, or that decide nothing. */
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await createSandbox({ world: "empty" });
});

afterAll(() => sandbox.close());

/** A request to the receiver. */
interface Posted {
  readonly name?: string;
  readonly method?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A run sends requests to the API before it checks deliveries. */
const apiChecks = httpChecks.filter((check) => requirementOf(check) === "CONV-01");

/** Sends a delivery to a run against an empty API. Returns the results of a requirement. */
async function afterPosting(
  requirement: RequirementId,
  posted: Posted,
): Promise<readonly CheckReport[]> {
  const [credentials] = sandbox.accounts;
  let url = "";
  const posting: Check = {
    claims: ["ENR-01.announced"],
    title: "a delivery is sent",
    requires: ["writes"],
    run: async () => {
      await post(url, posted);
      return { assertions: 1, breaches: [] };
    },
  };
  const own = [...bodyChecks, ...webhookChecks].filter(
    (check) => requirementOf(check) === requirement && !check.requires.includes("state"),
  );
  const webhooks = { host: "127.0.0.1", port: 0 };
  const report = await runConformance(
    { baseUrl: sandbox.baseUrl, credentials, profile: "full", writes: true, webhooks },
    {
      patienceMs: 200,
      onListening: (at) => {
        url = at;
      },
    },
    [...apiChecks, ...own, posting],
  );
  return report.requirements.find(({ id }) => id === requirement)?.checks ?? [];
}

async function post(url: string, { name, method = "POST", body, headers }: Posted): Promise<void> {
  const { status } = await fetch(url, {
    method,
    headers: {
      "content-type": "application/json",
      ...(name !== undefined && { "webhook-event-type": name }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (status !== 200) throw new Error(`the receiver answered ${status}`);
}

describe("WHK-01", () => {
  const name = "transaction.created";
  const body = make(name);

  test("a body that is too large to keep decides nothing", async () => {
    const found = await afterPosting("WHK-01", { name, body: "x".repeat(600_000) });
    expect(found.map(({ verdict }) => verdict)).toEqual(["skipped", "skipped", "skipped"]);
  });

  test.each<[string, Posted]>([
    ["a charset", { name, body, headers: { "content-type": "application/json; charset=utf-8" } }],
    ["a type of JSON", { name, body, headers: { "content-type": "application/hal+json" } }],
    ["another method that carries a body", { name, body, method: "PUT" }],
    ["headers of its own", { name, body, headers: { "x-signature": "abc" } }],
  ])("passes with %s", async (_, posted) => {
    const found = await afterPosting("WHK-01", posted);
    expect(found.map(({ verdict }) => verdict)).toEqual(["passed", "passed", "passed"]);
  });

  test("a health check is not a delivery", async () => {
    const found = await afterPosting("WHK-01", { method: "GET" });
    expect(found[0]).toMatchObject({ verdict: "skipped", reason: "no delivery arrived" });
  });
});

describe("ENR-01", () => {
  const name = "enrichment.merchant.created";

  test("passes on a valid enrichment", async () => {
    const found = await afterPosting("ENR-01", { name, body: make(name) });
    expect(found[0]).toMatchObject({ verdict: "passed" });
  });

  test("an invalid enrichment decides nothing", async () => {
    const { merchant: _, ...body } = make(name);
    const found = await afterPosting("ENR-01", { name, body });
    expect(found[0]?.claims?.find(({ id }) => id === "ENR-01.fields")).toMatchObject({
      verdict: "undecided",
      reason: expect.stringContaining("each body with it is invalid, such as by ENR-01"),
    });
  });
});
