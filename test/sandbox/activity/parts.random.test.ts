import fc from "fast-check";
import { expect, test } from "vitest";
import type { components } from "../../../generated/types.ts";
import { Refusal } from "../../../src/world/refusal.ts";
import { problemsOf } from "../state-rules.ts";
import { TestSandbox } from "../test-sandbox.ts";
import { PartsModel, type Step } from "./parts-model.ts";

const RUNS = Number(process.env["TXFEED_SCRIPTS"] ?? 300);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 5);

/** Links an active card to a bank account. Returns the id of the account. */
function cardOnAccount(sandbox: TestSandbox): string {
  sandbox.do("enroll", { cardNumber: "4000000000005205" });
  sandbox.do("sca-pass");
  sandbox.do("link-start", { accounts: [{ mask: "5205", type: "depository/checking" }] });
  return sandbox.do("link-complete").bankAccountIds[0] ?? "";
}

/** Minor units of the purchase's currency per minor unit of EUR, the billing currency. */
const RATES = { EUR: 1, USD: 2 } as const;
type Currency = keyof typeof RATES;

/** A purchase in several parts, and its state in the feed. */
class Purchase {
  readonly sandbox = new TestSandbox();
  readonly model: PartsModel;
  readonly #rate: number;
  readonly #bankAccountId: string;
  readonly #transactionId: string;
  /** The posted parts, latest last. */
  readonly #posted: { readonly part: number; readonly id: string }[] = [];

  constructor(parts: readonly number[], currency: Currency = "EUR") {
    this.model = new PartsModel(parts);
    this.#rate = RATES[currency];
    this.#bankAccountId = cardOnAccount(this.sandbox);
    const billingAmount = parts.reduce((sum, part) => sum + part, 0) / 100;
    const { transactionId } = this.sandbox.do("purchase", {
      ...{ amount: billingAmount * this.#rate, currency, billingAmount, billingCurrency: "EUR" },
      merchant: { descriptor: "CORNER CAFE 12", mcc: "5999" },
    });
    this.#transactionId = transactionId;
  }

  /** Applies a step to the sandbox and to the model, if it applies. */
  async take(step: Step): Promise<boolean> {
    if (!this.model.allows(step)) return false;
    this.#do(step);
    this.model.take(step);
    // MAT-09: the account is rematched.
    await this.sandbox.advance("10s");
    return true;
  }

  #do(step: Step): void {
    const { sandbox } = this;
    const transactionId = this.#transactionId;
    if (step.does === "post") this.#post(step);
    else if (step.does === "clear" && !this.model.isLast()) {
      sandbox.do("clear-partial", { transactionId, amount: ((step.part ?? 0) / 100) * this.#rate });
    } else if (step.does === "clear" || step.does === "clear the rest") {
      sandbox.do("clear", { transactionId });
    } else if (step.does === "repost") {
      const matched = this.#posted.find(({ part, id }) => {
        const { matchId, deleted } = sandbox.get("bank-transactions", id).internal;
        return part === step.part && matchId !== null && !deleted;
      });
      sandbox.do("provider-remove", { bankTransactionId: matched?.id ?? "" });
      this.#post(step);
    } else if (step.does === "rematch") sandbox.do("rematch", { transactionId });
    else sandbox.do("retire-duplicate");
  }

  #post({ part = 0, day = 5 }: Step): void {
    const { bankTransactionId } = this.sandbox.do("bank-post", {
      bankAccountId: this.#bankAccountId,
      amount: part / 100,
      description: "CORNER CAFE DUBLIN",
      date: `2026-01-0${day}`,
    });
    this.#posted.push({ part, id: bankTransactionId ?? "" });
  }

  /** Compares the feed with the model. */
  check(history: readonly Step[]): void {
    const { body } = this.sandbox.get("transactions", this.#transactionId);
    const messages = body._embedded?.messages ?? [];
    const superseded = messages.filter(({ superseded }) => superseded);
    const expected = this.model.sums();
    const bankOnly = this.sandbox.engine.store
      .latest("transactions")
      .filter((one) => one.body.network === "OPEN_BANKING")
      .reduce((sum, one) => sum + cents(one.body.cardholderBillingSettledAmount), 0);
    const billed = superseded.map((one) => cents(one.cardholderBillingAmount));
    const why = JSON.stringify(history);
    expect(
      {
        settled: cents(body.cardholderBillingSettledAmount),
        held: cents(body.cardholderBillingHoldAmount),
        bankOnly: expected.bankOnly === null ? null : bankOnly,
        superseded: expected.superseded === null ? null : billed.toSorted((a, b) => a - b),
      },
      why,
    ).toEqual(expected);
    expect(cents(body.transactionSettledAmount), why).toBe(expected.settled * this.#rate);
    expect(cents(body.transactionHoldAmount), why).toBe(expected.held * this.#rate);
    // TXN-13: network messages are never superseded.
    expect(
      superseded.filter(({ bankData }) => !bankData),
      why,
    ).toEqual([]);
    const isCleared = !this.model.allows({ does: "clear the rest" });
    const fromBank = messages.filter(({ bankData }) => bankData);
    if (isCleared)
      expect(
        fromBank.filter((one) => !one.superseded),
        why,
      ).toEqual([]);
  }

  close(): void {
    this.sandbox.engine.store.database.close();
  }
}

const cents = (amount = 0) => Math.round(amount * 100);

async function play(steps: readonly Step[], parts: readonly number[], currency?: Currency) {
  const purchase = new Purchase(parts, currency);
  const history: Step[] = [];
  for (const step of steps) {
    if (!(await purchase.take(step))) continue;
    history.push(step);
    purchase.check(history);
  }
  expect(problemsOf(purchase.sandbox)).toEqual([]);
  purchase.close();
}

function stepsOf(parts: readonly number[]): Step[] {
  return parts.flatMap((part): Step[] => [
    { does: "post", part },
    { does: "clear", part },
  ]);
}

function ordersOf<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, at) =>
    ordersOf(items.toSpliced(at, 1)).map((rest) => [item, ...rest]),
  );
}

test.each([[[7000, 3000]], [[5000, 5000]], [[6000, 4000]]])(
  "TXN-13, MAT-08: %j settles the same in every order of postings and clearings",
  async (parts) => {
    for (const steps of ordersOf(stepsOf(parts))) await play(steps, parts);
  },
);

test("TXN-13, MAT-08: three parts settle the same in every order", async () => {
  for (const steps of ordersOf(stepsOf([3000, 4400, 6600]))) await play(steps, [3000, 4400, 6600]);
}, 120_000);

const part = fc.constantFrom(3000, 4400, 6600);
const day = fc.constantFrom(5, 6, 8);
const other: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ does: fc.constant("repost" as const), part, day }),
  fc.record({
    does: fc.constantFrom("rematch" as const, "retire a duplicate" as const, "rematch" as const),
  }),
);
const rest: fc.Arbitrary<Step> = fc.record({ does: fc.constant("clear the rest" as const) });

/** Parts, and steps in some order. */
const story = fc.array(part, { minLength: 2, maxLength: 4 }).chain((parts) => {
  const moves = stepsOf(parts);
  const all = fc.tuple(
    fc.shuffledSubarray(moves, { minLength: moves.length }),
    fc.array(day, { minLength: moves.length, maxLength: moves.length }),
    fc.array(
      fc.tuple(fc.nat({ max: moves.length }), fc.oneof({ weight: 5, arbitrary: other }, rest)),
      {
        maxLength: 6,
      },
    ),
  );
  return all.map(([ordered, days, between]) => {
    const steps = ordered.map((step, at) =>
      step.does === "post" ? { ...step, day: days[at] } : step,
    );
    for (const [place, step] of between) steps.splice(place, 0, step);
    return { parts, steps: steps as Step[] };
  });
});

test(`${RUNS} random part scripts settle each posted or cleared part once`, async () => {
  await fc.assert(
    fc.asyncProperty(story, fc.constantFrom<Currency>("EUR", "USD"), ({ parts, steps }, currency) =>
      play(steps, parts, currency),
    ),
    { numRuns: RUNS, seed: SEED },
  );
}, 600_000);

// Postings and clearings of any amounts: their parts and sums may differ.

type Body = components["schemas"]["Transaction"];
type Verb = "bank-post" | "clear-partial" | "clear" | "rematch" | "provider-remove";
type Move = readonly [verb: Verb, amount: number];

/** The amount that a message of the purchase settles, in minor units. */
interface Settlement {
  readonly id: string;
  readonly cents: number;
  readonly isFromBank: boolean;
}

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
  .map((parts) => parts.map((part): Move => ["bank-post", part]));
const mcc = fc.constantFrom("5999", "5812");
const money = fc.constantFrom<object>(
  { currency: "EUR" },
  { currency: "USD", billingAmount: 73.39, billingCurrency: "EUR" },
);

/** Applies a step to a purchase. Returns false if the sandbox refuses it. */
function take(
  sandbox: TestSandbox,
  [name, value]: Move,
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

function check([name, value]: Move, before: Body, after: Body): void {
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
      fc.oneof(fc.constant<Move[]>([]), postings),
      fc.array(fc.tuple(verb, amount), { minLength: 3, maxLength: 10, size: "max" }),
      mcc,
      money,
      async (first, others, mcc, money) => {
        const sandbox = new TestSandbox();
        const bankAccountId = cardOnAccount(sandbox);
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
