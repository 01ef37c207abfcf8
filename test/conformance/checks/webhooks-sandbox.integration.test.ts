import { describe, expect, test } from "vitest";
import { bankLinkCompletion } from "../../../conformance/checks/ep/patches.ts";
import { webhookChecks } from "../../../conformance/checks/index.ts";
import type { Report } from "../../../conformance/index.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import type { DeliveryHook, MutationHooks, SentDelivery } from "../../../mutation/mutation.ts";
import { on, status } from "../../../mutation/requests.ts";
import { createSandbox, type Faults } from "../../../src/sandbox/index.ts";
import {
  listenTo,
  problemsIn,
  replay,
  triggerEverything,
} from "../observe/deliveries/busy-sandbox.ts";

/** All delivery checks against the sandbox, without mutations. */

const UNRULY: Partial<Faults> = {
  deliveries: [
    { kind: "duplicate", rate: 0.4 },
    { kind: "reorder", rate: 0.4, times: 12 },
  ],
};

test.each<[string, Partial<Faults>, boolean]>([
  ["as they are sent", {}, true],
  // A reordered delivery may arrive after the run.
  ["repeated and out of order", UNRULY, false],
])(
  "the sandbox's deliveries %s give no findings, live or replayed",
  async (_, faults, isImmediate) => {
    await using sandbox = await createSandbox({ world: "small", validate: true });
    const result = await listenTo(sandbox, () => triggerEverything(sandbox), { faults });
    expect(problemsIn(result.report)).toEqual([]);
    expect(sandbox.violations).toEqual([]);
    if (isImmediate)
      expect(skippedIn(result.report).toSorted()).toEqual([
        // Each feed of the sandbox has only one event.
        "NBF-03 no delivery contradicts another",
      ]);
    expect(JSON.stringify(await replay(result))).toBe(JSON.stringify(result.report));
  },
);

/** The delivery checks that found nothing to compare. */
function skippedIn({ requirements }: Report): string[] {
  const own = new Set(
    webhookChecks
      .filter(({ requires: needs }) => !needs.includes("state"))
      .map(({ title }) => title),
  );
  return requirements.flatMap(({ id, checks }) =>
    checks
      .filter(({ name, verdict }) => own.has(name) && verdict === "skipped")
      .map(({ name }) => `${id} ${name}`),
  );
}

test("events during a run give no findings", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const [credentials] = sandbox.accounts;
  let happening = Promise.resolve();
  const report = await runConformance(
    {
      ...{ baseUrl: sandbox.baseUrl, credentials, profile: "full" },
      webhooks: { host: "127.0.0.1", port: 0, collectSeconds: 1 },
    },
    {
      patienceMs: 2_000,
      onListening: (url) => {
        happening = sandbox
          .addEndpoint({ url, accountId: credentials.accountId })
          .then(() => triggerEverything(sandbox));
      },
    },
    webhookChecks,
  );
  await happening;
  expect(problemsIn(report)).toEqual([]);
});

test("a run without deliveries decides nothing and reports that", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const { report } = await listenTo(sandbox, async () => {}, { checks: webhookChecks });
  expect(report.summary).toMatchObject({ passed: 0, failed: 0, warned: 0 });
  const first = report.requirements.find(({ id }) => id === "WHK-01");
  expect(first).toMatchObject({ reason: "no delivery arrived" });
});

test("a run compares 500 deliveries with a limited number of requests", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const { report, evidence } = await listenTo(
    sandbox,
    async () => {
      const { cardId } = (await sandbox.trigger("enroll")).result;
      await sandbox.trigger("sca-pass");
      for (let count = 0; count < 125; count += 1) {
        const { transactionId } = (await sandbox.trigger("purchase", { cardId })).result;
        await sandbox.trigger("clear", { transactionId });
      }
    },
    { checks: webhookChecks },
  );
  expect(problemsIn(report)).toEqual([]);
  const lookups = evidence.filter(
    (entry) => entry.kind === "exchange" && entry.scope === "referenced resources",
  );
  expect(lookups.length).toBeGreaterThan(200);
  expect(lookups.length).toBeLessThanOrEqual(300 + 100);
});

/** Completes a bank link by PATCH on a sandbox with these hooks. */
async function complete(hooks: MutationHooks): Promise<Record<string, string>> {
  await using sandbox = await createSandbox({ world: "small" });
  const { bankLinkId } = (await sandbox.trigger("link-start")).result;
  await using faulty = await startMutant(sandbox, hooks);
  const { report } = await listenTo(sandbox, async () => {}, {
    ...{ baseUrl: faulty.baseUrl, controlUrl: faulty.controlUrl, bankLinkId, patienceMs: 300 },
    checks: bankLinkCompletion,
  });
  return Object.fromEntries(
    report.requirements.flatMap(({ checks }) => checks.map(({ name, verdict }) => [name, verdict])),
  );
}
const ANSWERED = "PATCH of an incomplete bank link returns 2xx";
const TRIGGERS = "PATCH of a bank link triggers its banklink.completed";
const ONCE = "a completion by PATCH sends one banklink.completed";
const NOTHING_MORE = "PATCH of a completed bank link sends no second banklink.completed";

const ALL_PASSED = {
  ...{ [ANSWERED]: "passed", [TRIGGERS]: "passed" },
  ...{ [ONCE]: "passed", [NOTHING_MORE]: "passed" },
};
const PATCH = "PATCH /bank-links/{}";
const COMPLETED = "banklink.completed";

describe("a bank link that is completed by PATCH", () => {
  test("is answered 2xx and announced once", async () => {
    expect(await complete({})).toMatchObject(ALL_PASSED);
  });

  test("may have duplicate deliveries", async () => {
    const repeated: DeliveryHook = async (delivery, { send }) => {
      await send(delivery);
      await send(delivery);
    };
    const verdicts = await complete({ deliveries: repeated });
    expect(verdicts).toMatchObject({ [TRIGGERS]: "passed", [ONCE]: "passed" });
    expect(verdicts[NOTHING_MORE]).not.toBe("failed");
  });

  test("decides nothing if the body is rejected, because its format is open", async () => {
    const { http } = status(PATCH, 422);
    expect(await complete({ http })).toMatchObject({ [ANSWERED]: "skipped" });
  });

  test("breaks BLK-02 if the second PATCH announces it again", async () => {
    let sent: SentDelivery | undefined;
    let post: ((one: SentDelivery) => Promise<void>) | undefined;
    const deliveries: DeliveryHook = async (delivery, { send }) => {
      if (delivery.name === COMPLETED) [sent, post] = [delivery, send];
      await send(delivery);
    };
    let patches = 0;
    const { http } = on(PATCH, async ({ forward }) => {
      patches += 1;
      if (patches === 2 && sent) await post?.(sent);
      return forward();
    });
    expect(await complete({ http, deliveries })).toMatchObject({
      [TRIGGERS]: "passed",
      [ONCE]: "passed",
      [NOTHING_MORE]: "failed",
    });
  });
});
