import { expect, test } from "vitest";
import { runConformance } from "../../../conformance/run/run.ts";
import type { Target } from "../../../conformance/target.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import type { HttpHook, MutationHooks } from "../../../mutation/mutation.ts";
import { playScripts } from "../../../mutation/random-scripts.ts";
import { on, problem } from "../../../mutation/requests.ts";
import { nth, response, responses } from "../../../mutation/rewrite.ts";
import { claimsOf, isToken } from "../../../mutation/tokens.ts";
import { createSandbox, type Sandbox } from "../../../src/sandbox/index.ts";
import { findingsIn, fullTarget } from "../runs.ts";

/** Servers that differ from the sandbox in what the interface leaves open have no findings. */

/** Groups of checks that only read. */
const READ = ["CONV", "EP", "TXN", "MSG", "BTX", "MAT"];

interface Way {
  readonly what: string;
  readonly only?: readonly string[];
  readonly http?: (sandbox: Sandbox) => MutationHooks["http"] | Promise<HttpHook>;
  readonly before?: (sandbox: Sandbox) => Promise<unknown>;
  readonly changed?: (sandbox: Sandbox) => Partial<Target>;
  /** A requirement that is undecided, and one that is not skipped. */
  readonly skipped?: RequirementId;
  readonly decided?: RequirementId;
}

/** Changes or hides each resource the first time that it is requested. */
const firstTime = (change: (text: string) => string | undefined): HttpHook =>
  on(["GET /transactions/{}", "GET /cards/{}"], async ({ path, forward }, run) => {
    const answer = await forward();
    const body = nth(run, path) > 1 ? answer.body : change(answer.body);
    return body === undefined ? problem(503) : { ...answer, body };
  }).http;

let requests = 0;

const ways: readonly Way[] = [
  ...[11, 12].map((seed) => ({
    what: `has what random scripts made, seed ${seed}`,
    before: (sandbox: Sandbox) => playScripts(sandbox, { count: 8, seed }),
  })),
  {
    what: "embeds no messages",
    before: (sandbox) => sandbox.trigger("switch-projection", { on: false }),
    skipped: "TXN-08",
  },
  {
    what: "has no links in bank transactions and matches",
    http: () => responses("bank-transactions", "transaction-matches").drop("/_links").http,
    decided: "EP-12",
  },
  {
    what: "has no removed postings, though messages name them",
    http: async (sandbox) => {
      const all = await sandbox.resources("bank-transactions", { limit: 1_000 });
      const removed = all.filter(({ listed }) => !listed).map(({ id }) => id);
      expect(removed).not.toEqual([]);
      return on("GET /bank-transactions/{}/{}", ({ path, forward }) =>
        removed.some((id) => path.endsWith(id)) ? problem(404) : forward(),
      ).http;
    },
    decided: "MSG-11",
  },
  {
    what: "changes a resource while it is looked at",
    http: () => firstTime((body) => body.replace(/"descriptor":"\w+/, '"descriptor":"X')),
  },
  { what: "fails once for each resource", http: () => firstTime(() => undefined) },
  {
    what: "uses other statuses that the interface allows",
    only: ["AUTH", "ERR"],
    http: (sandbox) => async (exchange) => {
      const answer = await exchange.forward();
      // To a missing field as to a wrong one, and to an SDK token as to no token.
      if (isToken(exchange) && answer.status === 400) return problem(401);
      if (answer.status === 403) return { status: 401, headers: {}, body: "" };
      const account = claimsOf(exchange)?.claims.account;
      const isOther = account === sandbox.accounts[1].accountId;
      return answer.status === 404 && isOther ? problem(403) : answer;
    },
    decided: "AUTH-08",
  },
  {
    what: "gives both clients the same secret",
    only: ["AUTH-05", "AUTH-06"],
    changed: ({ accounts: [own] }) => ({
      sdkCredentials: { clientId: own.sdkClientId, clientSecret: own.clientSecret },
    }),
  },
  {
    what: "ignores invalid limits",
    only: ["PAGE-02"],
    http: () =>
      on(["GET /cards", "GET /transactions"], ({ forward, path, query }) =>
        /^([1-9]\d?|100)$/.test(query.get("limit") ?? "1") ? forward() : forward({ target: path }),
      ).http,
    decided: "PAGE-02",
  },
  {
    what: "lacks a card in the first walk",
    only: ["PAGE-05", "PAGE-08", "PAGE-11", "PAGE-12"],
    http: () =>
      response("/cards").change((json, { query }) => {
        requests += 1;
        if (requests <= 6 && query?.get("limit") === "3") json._embedded.cards.pop();
      }).http,
    decided: "PAGE-11",
  },
];

test.each(ways)("a server that $what", async ({ only = READ, skipped, decided, ...way }) => {
  await using sandbox = await createSandbox({ world: way.before ? "empty" : "small" });
  if (skipped) await playScripts(sandbox, { count: 4, seed: 3 });
  await way.before?.(sandbox);
  await using mutant = await startMutant(sandbox, { http: await way.http?.(sandbox) });
  const { driver: _, ...target } = fullTarget(sandbox, mutant.baseUrl);
  const report = await runConformance({ ...target, ...way.changed?.(sandbox) }, { only });
  expect(findingsIn(report)).toEqual([]);
  expect(report.suiteErrors).toEqual([]);
  const verdicts = new Map(report.requirements.map(({ id, verdict }) => [id, verdict]));
  if (skipped) expect(verdicts.get(skipped)).toBe("skipped");
  if (decided) expect(verdicts.get(decided)).not.toBe("skipped");
});

test("a check without matching data is skipped with a hint", async () => {
  await using sandbox = await createSandbox({ world: "empty" });
  const { requirements } = await runConformance(fullTarget(sandbox), { only: ["MSG-03"] });
  expect(requirements.flatMap(({ checks }) => checks)).toContainEqual(
    expect.objectContaining({
      verdict: "skipped",
      reason: "no transaction with a superseded message",
      hint: "let the network clear a purchase that a bank posting has settled",
    }),
  );
});
