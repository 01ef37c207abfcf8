import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../document.ts";
import { FROZEN_FILE, FROZEN_SEED, readFrozen } from "./corpus/frozen.ts";
import { generateCorpus } from "./corpus/generate.ts";
import { type Corpus, writeCorpus } from "./corpus/record.ts";
import { feedsOf, figuresOf, matchAtOnce, matchByDay } from "./evaluation.ts";

const frozen = readFrozen();
const readme = readFileSync(`${ROOT}test/model/matching/corpus/README.md`, "utf8");

/** The counts by case in a table of the corpus's README. */
function countsIn(heading: string): Record<string, number> {
  const section = readme.split(`## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  const rows = [...section.matchAll(/^\| (\w+) \| (\d+) \|/gm)];
  return Object.fromEntries(rows.map(([, name = "", count]) => [name, Number(count)]));
}

function countOf(records: readonly { case: string }[]): Record<string, number> {
  const groups = Map.groupBy(records, (record) => record.case);
  return Object.fromEntries([...groups].map(([name, { length }]) => [name, length]));
}

describe("the frozen corpus", () => {
  test("has the checksum in its README", () => {
    const checksum = createHash("sha256").update(readFileSync(FROZEN_FILE)).digest("hex");
    expect(readme).toContain(`\`${checksum}\``);
  });

  test("equals the generator's output for its seed", () => {
    const text = writeCorpus(generateCorpus(FROZEN_SEED));
    expect(text === readFileSync(FROZEN_FILE, "utf8")).toBe(true);
  });

  test("has at least 2,000 purchases, in the mix of its README", () => {
    expect(frozen.purchases.length).toBeGreaterThanOrEqual(2000);
    expect(countOf(frozen.purchases)).toEqual(countsIn("Purchases by outcome"));
    const unmatched = frozen.movements.filter(
      ({ purchaseId, cents }) => purchaseId === null || cents < 0,
    );
    expect(countOf(unmatched)).toEqual(countsIn("Movements without a purchase"));
  });

  test("has unique ids, and labels that name purchases of the account", () => {
    const purchases = new Map(frozen.purchases.map(({ id, account }) => [id, account]));
    expect(purchases.size).toBe(frozen.purchases.length);
    expect(new Set(frozen.movements.map(({ id }) => id)).size).toBe(frozen.movements.length);
    const labelled = frozen.movements.filter(({ purchaseId }) => purchaseId !== null);
    expect(
      labelled.filter(({ purchaseId, account }) => purchases.get(purchaseId ?? "") !== account),
    ).toEqual([]);
  });
});

describe.each<[string, Corpus]>([
  ["the frozen corpus", frozen],
  ["a corpus of another seed, three times as large", generateCorpus(2, { accounts: 81 })],
])("of %s", (_name, corpus) => {
  test.each([
    ["all at once", matchAtOnce],
    ["day by day", matchByDay],
  ])("matched %s, HIGH has 98 % precision and 95 % recall", (_way, match) => {
    const { HIGH, MEDIUM } = figuresOf(corpus, match(feedsOf(corpus)));
    expect(HIGH.precision).toBeGreaterThanOrEqual(0.98);
    expect(HIGH.recall).toBeGreaterThanOrEqual(0.95);
    expect(MEDIUM.precision).toBeGreaterThanOrEqual(0.75);
    // With many equal purchases, strict precision depends on chance.
    expect(HIGH.strictPrecision).toBeGreaterThanOrEqual(0.92);
    expect(HIGH.strictRecall).toBeGreaterThanOrEqual(0.89);
  });
});

describe("a correct match", () => {
  const [purchase] = frozen.purchases;
  const [movement] = frozen.movements.filter(({ purchaseId }) => purchaseId !== null);
  if (purchase === undefined || movement === undefined) throw new Error("the corpus is empty");
  const pay = { ...movement, id: "m", purchaseId: "p" };
  const figures = (...given: Partial<typeof purchase>[]) => {
    const purchases = given.map((each) => ({ ...purchase, day: "2025-03-04", ...each }));
    const match = { purchaseId: "other", postingId: "m", confidence: "HIGH" } as const;
    return figuresOf({ purchases, movements: [pay] }, [match]).HIGH;
  };

  test("is an equal purchase of the same week, but not strictly", () => {
    expect(figures({ id: "p" }, { id: "other", day: "2025-03-11" })).toEqual({
      ...{ matches: 1, precision: 1, recall: 1, strictPrecision: 0, strictRecall: 0 },
    });
  });

  test.each([
    ["another amount", { cents: purchase.cents + 1 }],
    ["another descriptor", { descriptor: "CORNER CAFE" }],
    ["another account", { account: purchase.account + 1 }],
    ["another week", { day: "2025-03-12" }],
  ])("is not a purchase of %s", (_what, given) => {
    expect(figures({ id: "p" }, { id: "other", ...given })).toMatchObject({
      precision: 0,
      recall: 0,
    });
  });

  test("does not exist for a debit without a purchase", () => {
    const match = { purchaseId: purchase.id, postingId: "m", confidence: "HIGH" } as const;
    const unmatched = { ...pay, purchaseId: null };
    const { HIGH } = figuresOf({ purchases: [purchase], movements: [unmatched, movement] }, [
      match,
    ]);
    expect(HIGH).toMatchObject({ matches: 1, precision: 0, recall: 0 });
  });
});
