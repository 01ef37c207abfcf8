import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { posting, purchase } from "./candidates.ts";
import { type Account, FROZEN_FILE, feedOf, readFrozen } from "./corpus/cases.ts";
import { generateAccounts } from "./corpus/generate.ts";
import { figuresOf, MODES } from "./evaluation.ts";

const readme = readFileSync(new URL("corpus/README.md", import.meta.url), "utf8");

function countByKind(accounts: readonly Account[]): Record<string, number> {
  const kinds = Map.groupBy(
    accounts.flatMap(({ cases }) => cases),
    ({ kind }) => kind,
  );
  return Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length]));
}

test("the frozen corpus has the checksum and the mix of its README", () => {
  expect(readme).toContain(`\`${hash("sha256", readFileSync(FROZEN_FILE))}\``);
  const rows = [...readme.matchAll(/^\| (\w+) \| (\d+) \|/gm)];
  const counts = rows.map(([, kind = "", count]) => [kind, Number(count)]);
  expect(countByKind(readFrozen())).toEqual(Object.fromEntries(counts));
});

test("the generator draws the same accounts for a seed, others for another, of every kind", () => {
  const drawn = [1, 1, 3].map((seed) => generateAccounts(seed, 27));
  const [one, same, other] = drawn.map((accounts) => hash("sha256", JSON.stringify(accounts)));
  expect(same).toBe(one);
  expect(other).not.toBe(one);
  const kinds = drawn.map((accounts) => Object.keys(countByKind(accounts)).toSorted());
  expect(kinds[0]).toEqual(Object.keys(countByKind(readFrozen())).toSorted());
});

describe.each([
  ["the frozen corpus", readFrozen(), { precision: 0.985, recall: 0.96 }],
  ["7,500 generated purchases", generateAccounts(2, 81), { precision: 0.99, recall: 0.96 }],
])("of %s", (_name, accounts, least) => {
  const feeds = accounts.map(feedOf);

  const title = `matched %s, HIGH has precision ${least.precision} and recall ${least.recall}`;
  test.each(Object.entries(MODES))(title, (_mode, match) => {
    const { HIGH, MEDIUM } = figuresOf(feeds, match);
    expect(HIGH.precision).toBeGreaterThanOrEqual(least.precision);
    expect(HIGH.recall).toBeGreaterThanOrEqual(least.recall);
    expect(MEDIUM.precision).toBeGreaterThanOrEqual(0.9);
    // With many equal purchases, strict precision depends on chance.
    expect(HIGH.strictPrecision).toBeGreaterThanOrEqual(0.93);
    expect(HIGH.strictRecall).toBeGreaterThanOrEqual(0.91);
  });
});

describe("a match", () => {
  const [label, debit, unlabelled] = [purchase(), posting(), posting()];

  test.each([
    ["its purchase", 1, 1, label, debit],
    ["an equal purchase of the same week", 1, 0, purchase({ day: "2025-03-11" }), debit],
    ["a purchase of another week", 0, 0, purchase({ day: "2025-03-12" }), debit],
    ["another amount", 0, 0, purchase({ cents: 4251 }), debit],
    ["another descriptor", 0, 0, purchase({ descriptor: "CORNER CAFE" }), debit],
    ["another MCC", 0, 0, purchase({ mcc: "5812" }), debit],
    ["a purchase, of a debit without one", 0, 0, label, unlabelled],
  ])("with %s counts %d, strictly %d", (_what, share, strict, matched, matchedDebit) => {
    const labels = new Map([[debit, label]]);
    const feed = { purchases: [label, matched], postings: [debit, unlabelled], labels };
    const score = { score: 1, confidence: "HIGH", factors: [] } as const;
    const pairings = [{ purchase: matched, postings: [matchedDebit], score }];
    const { HIGH } = figuresOf([feed], () => pairings);
    expect(HIGH).toMatchObject({ matches: 1, payments: 1, precision: share, recall: share });
    expect(HIGH).toMatchObject({ strictPrecision: strict, strictRecall: strict });
  });
});
