import { setTimeout as sleep } from "node:timers/promises";
import type { Check } from "../../../../conformance/check.ts";
import { checks as allChecks } from "../../../../conformance/checks/index.ts";
import type { Evidence, Report, RunOptions } from "../../../../conformance/index.ts";
import { replayEvidence, runConformance } from "../../../../conformance/run/run.ts";
import type { Faults, Sandbox } from "../../../../src/sandbox/index.ts";

/** Runs every sandbox verb, some of them in two ways. */
export async function triggerEverything(sandbox: Sandbox): Promise<void> {
  // Give every event a distinct timestamp.
  const trigger: Sandbox["trigger"] = async (verb, params) => {
    await sleep(2);
    return sandbox.trigger(verb, params);
  };
  const { bankAccountIds } = (await trigger("link-complete")).result;
  const [bankAccountId = ""] = bankAccountIds;
  await trigger("upgrade");
  await trigger("sca-fail");
  await trigger("sca-pass");
  const { cardId } = (await trigger("enroll")).result;
  await trigger("sca-pass");
  await trigger("link-card", { cardId, bankAccountId });
  for (const expectedCardCount of [undefined, 3]) {
    await trigger("feed-submit", { expectedCardCount });
    await trigger("feed-accept");
  }
  await trigger("feed-submit");
  await trigger("feed-reject");

  // Settled by the bank, then by the network, twice: the second update repeats the first.
  const buy = async (amount: number) =>
    (await trigger("purchase", { cardId, amount })).result.transactionId;
  const settled = await buy(31.4);
  await trigger("enrich");
  await trigger("bank-post", { transactionId: settled });
  await trigger("clear", { transactionId: settled });
  const parted = await buy(90);
  await trigger("bank-post", { transactionId: parted, amount: 30 });
  await trigger("bank-post", { transactionId: parted, amount: 60 });
  await trigger("clear-partial", { transactionId: parted, amount: 30 });
  await trigger("clear", { transactionId: parted });
  const rematched = await buy(77.1);
  await trigger("bank-post", { transactionId: rematched });
  await trigger("rematch", { transactionId: rematched });
  await trigger("provider-remove");
  await trigger("bank-post", { bankAccountId, amount: 12.34, description: "KIOSK" });
  await trigger("late-card-data");
  await trigger("bank-post", { bankAccountId, amount: 55.5, description: "BAKERY" });
  await trigger("retire-duplicate");
  await trigger("consent-expire", { bankAccountId });
  await trigger("disconnect", { bankAccountId });
  await trigger("bank-post", { bankAccountId, amount: 8, description: "LATER" });
  await trigger("recover", { bankAccountId });
  await trigger("deactivate");
}

/** The report and evidence of a run that receives deliveries. */
export interface Heard {
  readonly report: Report;
  readonly evidence: readonly Evidence[];
}

interface Listening extends RunOptions {
  /** Faults of the sandbox's deliveries. */
  readonly faults?: Partial<Faults>;
  readonly checks?: readonly Check[];
  /** The URL of a proxy in front of the sandbox. */
  readonly baseUrl?: string;
  /** The control URL for adding the endpoint, if not the sandbox's own. */
  readonly controlUrl?: string;
  readonly bankLinkId?: string;
}

/**
 * Runs checks against a sandbox that delivers to the run.
 *
 * @param happen Triggers the events, after the feed has been read.
 */
export async function listenTo(
  sandbox: Sandbox,
  happen: () => Promise<void>,
  {
    faults = {},
    checks = allChecks,
    baseUrl = sandbox.baseUrl,
    controlUrl,
    bankLinkId,
    ...options
  }: Listening = {},
): Promise<Heard> {
  const [credentials] = sandbox.accounts;
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
      ...(bankLinkId !== undefined && { bankLinkId }),
    },
    {
      patienceMs: 3_000,
      ...options,
      onEvidence: (entry) => evidence.push(structuredClone(entry)),
      onListening: (url) => {
        const endpoint = { url, accountId: credentials.accountId };
        listening =
          controlUrl === undefined
            ? sandbox.addEndpoint(endpoint)
            : fetch(`${controlUrl}/endpoints`, {
                method: "POST",
                headers: { "content-type": "application/json" },
                body: JSON.stringify(endpoint),
              });
      },
    },
    [...checks, meanwhile],
  );
  const fault = report.suiteErrors.find(({ requirement }) => requirement === "VER-01");
  if (fault) throw new Error(`a verb failed during the run: ${fault.message}`);
  return { report, evidence };
}

/** Replays the evidence of an earlier run. */
export function replay({ evidence }: Heard, checks: readonly Check[] = allChecks): Promise<Report> {
  const read = evidence.map((entry) => JSON.parse(JSON.stringify(entry)) as Evidence);
  return replayEvidence(read, {}, [...checks, happening(async () => {})]);
}

/** Not a real check: it triggers events between the reading and the comparing checks. */
function happening(happen: () => Promise<void>): Check {
  return {
    claims: ["ENR-01.announced"],
    title: "something happens meanwhile",
    requires: ["writes"],
    run: async () => {
      await happen();
      return { assertions: 1, breaches: [] };
    },
  };
}

/** The findings and suite errors of a report, one per line. */
export function problemsIn({ requirements, suiteErrors }: Report): string[] {
  const found = requirements.flatMap(({ checks }) =>
    checks.flatMap(({ name, findings = [] }) =>
      findings.map(({ requirement, message }) => `${requirement} ${name}: ${message}`),
    ),
  );
  return [...found, ...suiteErrors.map(({ check, message }) => `fault of ${check}: ${message}`)];
}
