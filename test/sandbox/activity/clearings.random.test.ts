import fc from "fast-check";
import { expect, test } from "vitest";
import type { components } from "../../../generated/types.ts";
import { Refusal } from "../../../src/world/refusal.ts";
import { problemsOf } from "../state-rules.ts";
import { TestSandbox } from "../test-sandbox.ts";
import { cardOnAccount } from "./fixture.ts";

const RUNS = Number(process.env["TXFEED_SCRIPTS"] ?? 300);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 5);

// Postings and clearings of any amounts: their parts and sums may differ.

type Body = components["schemas"]["Transaction"];
type Verb = "bank-post" | "clear-partial" | "clear" | "rematch" | "provider-remove";
type Step = readonly [verb: Verb, amount: number];

/** The amount that a message of the purchase settles, in minor units. */
interface Settlement {
  readonly id: string;
  readonly cents: number;
  readonly isFromBank: boolean;
}

const cents = (amount: number) => Math.round(amount * 100);
const sumOf = (all: readonly Settlement[]) => all.reduce((sum, one) => sum + one.cents, 0);

function settlementsOf({ _embedded, supersededMessageIds }: Body) {
  const all = (_embedded?.messages ?? [])
    .filter(({ messageType }) => messageType === "FINL_ADVC")
    .map(({ id, transactionAmount, bankData }) => {
      return { id, cents: cents(transactionAmount), isFromBank: bankData !== null };
    });
  const isSuperseded = ({ id }: Settlement) => supersededMessageIds.includes(id);
  return { inForce: all.filter((one) => !isSuperseded(one)), gone: all.filter(isSuperseded) };
}

/** The sum of the bank's messages that a partial clearing leaves. */
function holdOf(before: Body, part: number, authorized: number): number {
  const { inForce } = settlementsOf(before);
  const bank = inForce.filter(({ isFromBank }) => isFromBank);
  const distance = (one: Settlement) => Math.abs(one.cents - part);
  const [nearest] = bank.toSorted((a, b) => distance(a) - distance(b) || b.cents - a.cents);
  // The bank posted the same leg, so the clearing supersedes only that posting.
  if (nearest && distance(nearest) <= part / 20) return sumOf(bank) - nearest.cents;
  const room = authorized - sumOf(inForce.filter(({ isFromBank }) => !isFromBank)) - part;
  let sums = [0];
  for (const one of bank) sums = sums.flatMap((sum) => [sum, sum + one.cents]);
  return Math.max(...sums.filter((sum) => sum <= room));
}

const amount = fc.oneof(
  fc.constantFrom(20, 30, 40, 50, 60, 70, 100),
  fc.integer({ min: 100, max: 12_000 }).map((number) => number / 100),
);
const verb = fc.constantFrom<Verb>(
  ...(["bank-post", "bank-post", "bank-post", "clear-partial", "clear-partial"] as const),
  ...(["clear", "rematch", "provider-remove"] as const),
);
/** The bank's first postings: parts that add up to the purchase, in any order. */
const postings = fc
  .array(fc.integer({ min: 500, max: 9500 }), { minLength: 1, maxLength: 3 })
  .map((cuts) => [0, ...cuts.toSorted((a, b) => a - b), 10_000])
  .map((cuts) => cuts.slice(1).map((cut, at) => (cut - (cuts[at] ?? 0)) / 100))
  .filter((parts) => parts.every((part) => part > 0))
  .map((parts) => parts.map((part): Step => ["bank-post", part]));
const mcc = fc.constantFrom("5999", "5812");
const money = fc.constantFrom<object>(
  { currency: "EUR" },
  { currency: "USD", billingAmount: 73.39, billingCurrency: "EUR" },
);

/** Applies a step to a purchase. Returns false if the sandbox refuses it. */
function take(
  sandbox: TestSandbox,
  [name, value]: Step,
  ids: { transactionId: string; bankAccountId: string },
) {
  const { transactionId, bankAccountId } = ids;
  const posting = { bankAccountId, amount: value, description: "CORNER CAFE DUBLIN" };
  try {
    if (name === "bank-post") sandbox.do(name, posting);
    else if (name === "clear-partial") sandbox.do(name, { transactionId, amount: value });
    else if (name === "provider-remove") sandbox.do(name);
    else sandbox.do(name, { transactionId });
    return true;
  } catch (error) {
    if (error instanceof Refusal) return false;
    throw error;
  }
}

function check([name, value]: Step, before: Body, after: Body): void {
  const { inForce } = settlementsOf(after);
  const network = inForce.filter(({ isFromBank }) => !isFromBank);
  if (name === "clear") expect(inForce).toEqual(network);
  if (name === "clear-partial") {
    const kept = holdOf(before, cents(value), 10_000);
    expect(sumOf(inForce)).toBe(sumOf(network) + kept);
  }
  checkAlways(before, after);
}

/** TXN-09, TXN-13: network messages are never superseded; superseded messages stay superseded. */
function checkAlways(before: Body, after: Body): void {
  const [old, now] = [settlementsOf(before), settlementsOf(after)];
  expect(cents(after.transactionSettledAmount)).toBe(sumOf(now.inForce));
  expect(now.gone.filter(({ isFromBank }) => !isFromBank)).toEqual([]);
  expect(now.gone).toEqual(expect.arrayContaining(old.gone));
}

test(`${RUNS} scripts: a partial clearing supersedes only its leg or the minimum`, async () => {
  let partial = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.constant<Step[]>([]), postings),
      fc.array(fc.tuple(verb, amount), { minLength: 3, maxLength: 10, size: "max" }),
      mcc,
      money,
      async (first, others, mcc, money) => {
        const sandbox = new TestSandbox();
        const { bankAccountId } = cardOnAccount(sandbox);
        const merchant = { descriptor: "CORNER CAFE 12", mcc };
        const { transactionId } = sandbox.do("purchase", { amount: 100, ...money, merchant });
        const body = () => sandbox.get("transactions", transactionId).body;
        for (const step of [...first, ...others]) {
          const before = body();
          if (!take(sandbox, step, { transactionId, bankAccountId })) continue;
          check(step, before, body());
          // MAT-09: the account is rematched.
          await sandbox.advance("10s");
          checkAlways(before, body());
          const { inForce } = settlementsOf(before);
          if (step[0] === "clear-partial" && inForce.some((one) => one.isFromBank)) partial += 1;
        }
        expect(problemsOf(sandbox)).toEqual([]);
        sandbox.engine.store.database.close();
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
  expect(partial).toBeGreaterThan(RUNS / 10);
}, 600_000);
