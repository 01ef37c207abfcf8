import { expect, test } from "vitest";
import { bankTransactions } from "../../../conformance/checks/btx/http.ts";
import { conventions } from "../../../conformance/checks/conv/http.ts";
import { endpoints } from "../../../conformance/checks/ep/http.ts";
import { matches } from "../../../conformance/checks/mat/http.ts";
import { messages } from "../../../conformance/checks/msg/http.ts";
import { bodyChecks } from "../../../conformance/checks/shared/bodies.ts";
import { transactions } from "../../../conformance/checks/txn/http.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import type { HttpHook } from "../../../mutation/mutation.ts";
import { playScripts } from "../../../mutation/random-scripts.ts";
import { on, problem } from "../../../mutation/requests.ts";
import { nth, responses } from "../../../mutation/rewrite.ts";
import { createSandbox, type Sandbox, type WorldName } from "../../../src/sandbox/index.ts";

const checks = [
  ...[...conventions, ...endpoints, ...transactions, ...messages],
  ...[...bodyChecks, ...bankTransactions, ...matches],
];

async function run(sandbox: Sandbox, http?: HttpHook) {
  const [credentials] = sandbox.accounts;
  await using mutant = await startMutant(sandbox, { http });
  const { baseUrl } = mutant;
  return await runConformance({ baseUrl, credentials, profile: "full" }, {}, checks);
}

/** Returns a run's findings, suite errors and undecided requirements. */
async function found(sandbox: Sandbox, http?: HttpHook) {
  const report = await run(sandbox, http);
  const findings = report.requirements.flatMap(({ checks: all }) =>
    all.flatMap(({ findings = [] }) => findings.map(({ message }) => message)),
  );
  const skipped = report.requirements
    .filter(({ checks: all, verdict }) => all.length > 0 && verdict === "skipped")
    .map(({ id }) => id);
  return { findings, skipped, suiteErrors: report.suiteErrors };
}

/** Requirements of resources that no seed links to. */
const SUBSCRIPTIONS = ["SUB-01", "SUB-02", "SUB-03"];

test.each<WorldName>(["empty", "small", "large"])(
  "the %s seed has no findings",
  async (world) => {
    await using sandbox = await createSandbox({ world });
    const { findings, skipped, suiteErrors } = await found(sandbox);
    expect({ findings, suiteErrors }).toEqual({ findings: [], suiteErrors: [] });
    if (world === "small") {
      // The other groups need deliveries, or checks that are not chosen here.
      const own = skipped.filter((id) => /^(CONV|EP|TXN|MSG|SUB)-/.test(id));
      expect(own).toEqual(SUBSCRIPTIONS);
    }
  },
  // Creating the large seed takes long.
  240_000,
);

test("a requirement without matching data is skipped with a hint", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  const report = await run(sandbox);
  const requirement = report.requirements.find(({ id }) => id === "MSG-03");
  expect(requirement).toMatchObject({
    verdict: "skipped",
    reason: "no transaction with a superseded message",
    hint: "let the network clear a purchase that a bank posting has settled",
  });
});

test.each([11, 12, 13, 14])("random scripts give no findings, seed %i", async (seed) => {
  await using sandbox = await createSandbox({ world: "empty", seed });
  await playScripts(sandbox, { count: 8, seed });
  expect(await found(sandbox)).toMatchObject({ findings: [], suiteErrors: [] });
});

test("a server that embeds no messages has no findings", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  await sandbox.trigger("switch-projection", { on: false });
  const { findings, skipped } = await found(sandbox);
  expect(findings).toEqual([]);
  expect(skipped).toContain("TXN-08");
});

const unlinked = responses("bank-transactions", "transaction-matches").drop("/_links");

test("bank transactions and matches are found without links", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const { findings, skipped } = await found(sandbox, unlinked.http);
  expect(findings).toEqual([]);
  expect(skipped).not.toContain("EP-10");
  expect(skipped).not.toContain("EP-12");
});

test("a removed posting may be gone, though a message names it", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const removed = (await sandbox.resources("bank-transactions", { limit: 1000 }))
    .filter(({ listed }) => !listed)
    .map(({ id }) => id);
  const gone = on("GET /bank-transactions/{}/{}", ({ path, forward }) =>
    removed.some((id) => path.endsWith(id)) ? problem(404) : forward(),
  );
  const { findings, skipped } = await found(sandbox, gone.http);
  expect(removed).not.toEqual([]);
  expect(findings).toEqual([]);
  expect(skipped).not.toContain("MSG-11");
});

test.each([
  ["changes while it is looked at", false],
  ["goes, as it was never there", true],
])("a resource that %s is fetched again", async (_what, isGone) => {
  await using sandbox = await createSandbox({ world: "small" });
  const once = on(["GET /transactions/{}", "GET /cards/{}"], async ({ path, forward }, run) => {
    const response = await forward();
    if (nth(run, path) > 1) return response;
    if (isGone) return problem(503);
    return { ...response, body: response.body.replace(/"descriptor":"\w+/, '"descriptor":"X') };
  });
  expect(await found(sandbox, once.http)).toMatchObject({ findings: [] });
});
