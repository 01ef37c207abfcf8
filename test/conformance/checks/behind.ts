import { afterAll, beforeAll, expect, test } from "vitest";
import type { Check } from "../../../conformance/check.ts";
import { type RunOptions, runConformance } from "../../../conformance/run.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import type { HttpHook } from "../../../mutation/mutation.ts";
import { changeResponses } from "../../../mutation/rewrite.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";

/** A check, and the mutation that must make it fail. */
export type Break = readonly [requirement: RequirementId, title: string, http: HttpHook];

/** Runs checks against a mutated sandbox. */
export async function runBehind(
  sandbox: Sandbox,
  http: HttpHook | undefined,
  checks: readonly Check[],
  options: RunOptions = {},
) {
  await using faulty = await startMutant(sandbox, { http });
  const [credentials] = sandbox.accounts;
  const { baseUrl } = faulty;
  return await runConformance({ baseUrl, credentials, profile: "full" }, options, checks);
}

/** Defines tests that each check of a group fails for its mutation, and that none lacks one. */
export function eachFails(checks: readonly Check[], breaks: readonly Break[]): void {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await createSandbox({ world: "small" });
    await sandbox.trigger("feed-submit");
  });
  afterAll(() => sandbox.close());

  test("every check has a mutation", () => {
    const nameOf = (requirement: string, title: string) => `${requirement}: ${title}`;
    const all = checks.map(({ requirement, title }) => nameOf(requirement, title));
    expect(new Set(breaks.map(([requirement, title]) => nameOf(requirement, title)))).toEqual(
      new Set(all),
    );
  });

  test.each(breaks)("%s fails: %s", async (requirement, title, http) => {
    const report = await runBehind(sandbox, http, checks, { only: [requirement] });
    const { checks: reports = [] } = report.requirements.find(({ id }) => id === requirement) ?? {};
    const found = reports.find(({ name }) => name === title);
    expect(report.suiteErrors).toEqual([]);
    expect(["failed", "warned"], JSON.stringify(found)).toContain(found?.verdict);
    expect(found?.findings?.length).toBeGreaterThan(0);
  });
}

/** Adds links from cards to resources that otherwise only deliveries link to. */
export const linking = (kind: "card-subscriptions" | "network-bulk-feeds"): HttpHook =>
  changeResponses("cards", async (body, { run }) => {
    const all = await run.sandbox.resources(kind, { limit: 1000 });
    body._links.enrolled = all.map(({ id }) => ({ href: `/${kind}/${id}` }));
  });

/** Applies two mutations. */
export const both =
  (first: HttpHook, second: HttpHook): HttpHook =>
  (exchange, run) =>
    second(
      { ...exchange, forward: async (instead) => forwardBy(first, exchange, run, instead) },
      run,
    );

async function forwardBy(
  hook: HttpHook,
  exchange: Parameters<HttpHook>[0],
  run: Parameters<HttpHook>[1],
  instead: Parameters<Parameters<HttpHook>[0]["forward"]>[0],
) {
  const target = instead?.target ?? exchange.request.target;
  const { pathname: path, searchParams: query } = new URL(target, "http://nowhere");
  const request = { ...exchange.request, ...instead };
  return hook(
    {
      ...exchange,
      request,
      path,
      query,
      forward: (more) => exchange.forward({ ...instead, ...more }),
    },
    run,
  );
}
