import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Driver } from "../../conformance/driver.ts";
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import type { Report } from "../../conformance/report/report.ts";
import { type RunOptions, runConformance } from "../../conformance/run/run.ts";
import type { Target } from "../../conformance/target.ts";
import { startMutant } from "../../mutation/mutant.ts";
import type { HttpHook } from "../../mutation/mutation.ts";
import { on } from "../../mutation/requests.ts";
import { itemsOf, response, withJson } from "../../mutation/rewrite.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { randomFrom } from "../support/random.ts";
import { claimIn, findingsIn } from "./runs.ts";

/** A target that others use during the run. */

/** Integers below a number. */
function randomOf(seed: number): (below: number) => number {
  const random = randomFrom(seed);
  return (below) => Math.floor(random() * below);
}

async function runOn(
  sandbox: Sandbox,
  options: RunOptions,
  { http, ...more }: { readonly http?: HttpHook | undefined } & Partial<Target> = {},
): Promise<Report> {
  await using mutant = await startMutant(sandbox, { http });
  const { baseUrl } = mutant;
  const [credentials] = sandbox.accounts;
  return await runConformance({ baseUrl, credentials, profile: "full", ...more }, options);
}

/** More rounds would take too long on a slow machine, because the sandbox keeps what is removed. */
const MAX_ROUNDS = 500;

/** Posts and removes bank transactions, and sometimes enrolls a card, until it is stopped. */
async function usedBy(sandbox: Sandbox, seed: number, signal: AbortSignal): Promise<void> {
  const random = randomOf(seed);
  for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round += 1) {
    const { bankTransactionId } = (await sandbox.trigger("bank-post", { amount: 4 })).result;
    await sleep(random(1 + 2 * seed));
    if (bankTransactionId) await sandbox.trigger("provider-remove", { bankTransactionId });
    await sleep(random(20));
    if (random(10) === 0) await sandbox.trigger("enroll");
  }
}

const PAGES: RunOptions = { only: ["PAGE-05", "PAGE-08", "PAGE-11", "PAGE-13"] };

test.each([
  [1, PAGES],
  [5, PAGES],
  [8, {}],
])(
  "lists that others add to and remove from give no findings, seed %i",
  async (seed, options) => {
    await using sandbox = await createSandbox({ world: "small", seed });
    const stop = new AbortController();
    const others = usedBy(sandbox, seed, stop.signal);
    const report = await runOn(sandbox, options);
    stop.abort();
    await others;
    expect(findingsIn(report)).toEqual([]);
    expect(report.suiteErrors).toEqual([]);
  },
  120_000,
);

/** Enrolls cards, links their banks, makes purchases and posts them, until it is stopped. */
async function drivenBy(driver: Required<Driver>, signal: AbortSignal): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round += 1) {
    const { subscriptionId, cardId, last4 } = await driver.enroll({});
    await driver.clearSca({ subscriptionId });
    const { bankLinkId } = await driver.startLink({
      accounts: [{ type: "credit", last4 }, { type: "credit" }, { type: "depository" }],
    });
    const link = await driver.completeLink({ bankLinkId, by: "notification" });
    const [bankAccountId = "", , plainId = ""] = link.bankAccountIds;
    const price = { amount: 20 + round * 3.17, merchant: `PASSAGE ${round}` };
    const { transactionId } = await driver.authorize({ cardId, ...price });
    await driver.postAtBank({ bankAccountId, transactionId, ...price });
    await driver.clear({ transactionId });
    const { bankTransactionId } = await driver.postAtBank({ bankAccountId: plainId, ...price });
    await driver.removeAtProvider({ bankTransactionId });
    await sleep(100);
  }
}

test("a driven run beside the purchases of others gives no findings", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const driver = sandboxDriver(sandbox);
  const stop = new AbortController();
  const others = drivenBy(driver as Required<Driver>, stop.signal);
  const report = await runOn(sandbox, {}, { driver, writes: true });
  stop.abort();
  await others;
  expect(findingsIn(report)).toEqual([]);
  expect(report.claims.decided).toBeGreaterThan(330);
}, 120_000);

/** Adds a card to the beginning of the list at times, so that the items of all pages move. */
function withPassingCards(seed: number): HttpHook {
  const random = randomOf(seed);
  const hook: HttpHook = async ({ forward, path, query }) => {
    if (random(3) > 0) return forward();
    const id = `0a0a0a0a-0000-4000-8000-${String(random(1e9)).padStart(12, "0")}`;
    const card = { id, _links: { self: { href: `/cards/${id}` } } };
    const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 20)];
    const moved = new URLSearchParams(query);
    if (offset > 0) moved.set("offset", String(offset - 1));
    const answer = await forward({ target: `${path}?${moved}` });
    if (answer.status !== 200) return answer;
    return await withJson(answer, (json) => {
      if (offset === 0) json._embedded.cards = [card, ...itemsOf(json)].slice(0, limit);
      json.totalItems += 1;
      return json;
    });
  };
  return on("GET /cards", hook).http;
}

test.each([1, 2, 3])("a list in offset style that moves is no finding, seed %i", async (seed) => {
  await using sandbox = await createSandbox({ world: "small" });
  expect(findingsIn(await runOn(sandbox, PAGES, { http: withPassingCards(seed) }))).toEqual([]);
});

test("a list that changes during every walk is undecided, and the reason says so", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  let count = 0;
  const growing = response("/cards").change((json) => {
    count += 1;
    itemsOf(json).splice(1, 1, {
      id: `0a0a0a0a-0000-4000-8000-${String(count).padStart(12, "0")}`,
    });
  });
  const report = await runOn(sandbox, PAGES, { http: growing.http });
  expect(claimIn(report, "PAGE-11.every")).toMatchObject({
    verdict: "undecided",
    reason: "the list of GET /cards changed during 4 walks",
  });
});

test("pages in random order are a finding, because nothing was added or removed", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const random = randomOf(7);
  const shuffled = on("GET /cards", async ({ forward, path, query }) => {
    const all = JSON.parse((await forward({ target: `${path}?limit=100` })).body)._embedded.cards;
    const answer = await forward();
    if (answer.status !== 200) return answer;
    const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 20)];
    return await withJson(answer, (json) => {
      all.sort(() => random(3) - 1);
      json._embedded.cards = all.slice(offset, offset + limit);
      return json;
    });
  });
  const report = await runOn(sandbox, PAGES, { http: shuffled.http });
  expect(claimIn(report, "PAGE-11.once")).toMatchObject({ verdict: "failed" });
});
