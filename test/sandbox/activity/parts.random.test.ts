import fc from "fast-check";
import { expect, test } from "vitest";
import { problemsOf } from "../state-rules.ts";
import { TestSandbox } from "../test-sandbox.ts";
import { cardOnAccount } from "./fixture.ts";
import { PartsModel, type Step } from "./parts-model.ts";

const RUNS = Number(process.env["TXFEED_SCRIPTS"] ?? 300);
const SEED = Number(process.env["TXFEED_SCRIPTS_SEED"] ?? 5);

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
    this.#bankAccountId = cardOnAccount(this.sandbox).bankAccountId;
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
