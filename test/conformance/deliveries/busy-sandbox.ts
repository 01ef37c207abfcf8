import type { Check } from "../../../conformance/check.ts";
import { checks as allChecks } from "../../../conformance/checks/index.ts";
import type { Evidence, Report, RunOptions } from "../../../conformance/index.ts";
import { judgeEvidence, runConformance } from "../../../conformance/run.ts";
import type { Faults, Sandbox } from "../../../src/sandbox/index.ts";

/** Makes everything happen that a sandbox can make happen, some of it in both of two ways. */
export async function makeAllHappen(sandbox: Sandbox): Promise<void> {
  const { bankAccountIds } = (await sandbox.trigger("link-complete")).result;
  const [bankAccountId = ""] = bankAccountIds;
  await sandbox.trigger("upgrade");
  await sandbox.trigger("sca-fail");
  await sandbox.trigger("sca-pass");
  const { cardId } = (await sandbox.trigger("enroll")).result;
  await sandbox.trigger("sca-pass");
  await sandbox.trigger("link-card", { cardId, bankAccountId });
  for (const expectedCardCount of [undefined, 3]) {
    await sandbox.trigger("feed-submit", { expectedCardCount });
    await sandbox.trigger("feed-accept");
  }
  await sandbox.trigger("feed-submit");
  await sandbox.trigger("feed-reject");

  // Settled by the bank, then by the network, twice: the second update has what the first had.
  const buy = async (amount: number) =>
    (await sandbox.trigger("purchase", { cardId, amount })).result.transactionId;
  const settled = await buy(31.4);
  await sandbox.trigger("enrich");
  await sandbox.trigger("bank-post", { transactionId: settled });
  await sandbox.trigger("clear", { transactionId: settled });
  const parted = await buy(90);
  await sandbox.trigger("bank-post", { transactionId: parted, amount: 30 });
  await sandbox.trigger("bank-post", { transactionId: parted, amount: 60 });
  await sandbox.trigger("clear-partial", { transactionId: parted, amount: 30 });
  await sandbox.trigger("clear", { transactionId: parted });
  const anew = await buy(77.1);
  await sandbox.trigger("bank-post", { transactionId: anew });
  await sandbox.trigger("rematch", { transactionId: anew });
  await sandbox.trigger("provider-remove");
  await sandbox.trigger("bank-post", { bankAccountId, amount: 12.34, description: "KIOSK" });
  await sandbox.trigger("late-card-data");
  await sandbox.trigger("bank-post", { bankAccountId, amount: 55.5, description: "BAKERY" });
  await sandbox.trigger("retire-duplicate");
  await sandbox.trigger("consent-expire", { bankAccountId });
  await sandbox.trigger("disconnect", { bankAccountId });
  await sandbox.trigger("bank-post", { bankAccountId, amount: 8, description: "LATER" });
  await sandbox.trigger("recover", { bankAccountId });
  await sandbox.trigger("deactivate");
}

/** A run that listens, and what it wrote down. */
export interface Heard {
  readonly report: Report;
  readonly evidence: readonly Evidence[];
}

/**
 * Runs checks against a sandbox that delivers to the run, once it has been looked at.
 *
 * @param happen What happens meanwhile.
 */
export async function listenTo(
  sandbox: Sandbox,
  happen: () => Promise<void>,
  {
    faults = {},
    checks = allChecks,
    ...options
  }: { faults?: Partial<Faults>; checks?: readonly Check[] } & RunOptions = {},
): Promise<Heard> {
  const [credentials] = sandbox.accounts;
  const { baseUrl } = sandbox;
  const evidence: Evidence[] = [];
  let listening = Promise.resolve<unknown>(undefined);
  const meanwhile = happening(async () => {
    await listening;
    await sandbox.setFaults(faults);
    await happen();
    await sandbox.settle();
  });
  const report = await runConformance(
    {
      baseUrl,
      credentials,
      profile: "full",
      writes: true,
      webhooks: { host: "127.0.0.1", port: 0 },
    },
    {
      patienceMs: 3_000,
      ...options,
      onEvidence: (entry) => evidence.push(structuredClone(entry)),
      onListening: (url) => {
        listening = sandbox.addEndpoint({ url, accountId: credentials.accountId });
      },
    },
    [...checks, meanwhile],
  );
  return { report, evidence };
}

/** What an earlier run heard, judged again. */
export function judgeAgain(
  { evidence }: Heard,
  checks: readonly Check[] = allChecks,
): Promise<Report> {
  const read = evidence.map((entry) => JSON.parse(JSON.stringify(entry)) as Evidence);
  return judgeEvidence(read, {}, [...checks, happening(async () => {})]);
}

/** No check: it only has its turn between what looks and what compares. */
function happening(happen: () => Promise<void>): Check {
  return {
    requirement: "VER-01",
    title: "something happens meanwhile",
    needs: ["writes"],
    run: async () => {
      await happen();
      return { looked: 1, breaches: [] };
    },
  };
}

/** What a report holds against its target, a line each. */
export function complaintsOf({ requirements, faults }: Report): string[] {
  const found = requirements.flatMap(({ checks }) =>
    checks.flatMap(({ name, findings = [] }) =>
      findings.map(({ requirement, message }) => `${requirement} ${name}: ${message}`),
    ),
  );
  return [...found, ...faults.map(({ check, message }) => `fault of ${check}: ${message}`)];
}
