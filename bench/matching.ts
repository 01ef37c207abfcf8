import { type Feed, feedOf, readFrozen } from "../test/model/matching/corpus/cases.ts";
import { type Figures, figuresOf, MODES, matchAtOnce } from "../test/model/matching/evaluation.ts";
import { median, timeMs } from "./measure.ts";
import { atLeast, type SectionReport, type Table, type Target } from "./report.ts";
import type { Section } from "./section.ts";

const LEAST_PRECISION = 0.985;
const LEAST_RECALL = 0.96;

/** Precision and recall of the matcher on the frozen corpus, and its speed. */
export const matching: Section = async ({ isQuick }) => {
  const feeds = readFrozen().map(feedOf);
  const tables: Table[] = [];
  const targets: Target[] = [];
  for (const [mode, match] of Object.entries(MODES)) {
    const figures = figuresOf(feeds, match);
    tables.push(tableOf(`Matching of ${purchasesOf(feeds)} purchases, ${mode}`, figures));
    const { precision, recall } = figures.HIGH;
    targets.push(atLeast(`precision of HIGH, ${mode}`, LEAST_PRECISION, precision, percentText));
    targets.push(atLeast(`recall of HIGH, ${mode}`, LEAST_RECALL, recall, percentText));
  }
  return { tables: [...tables, speedOf(feeds, isQuick ? 1 : 15)], targets } satisfies SectionReport;
};

function purchasesOf(feeds: readonly Feed[]): number {
  return feeds.reduce((sum, { purchases }) => sum + purchases.length, 0);
}

function tableOf(title: string, byConfidence: Readonly<Record<string, Figures>>): Table {
  return {
    title,
    columns: ["matches", "precision", "recall", "strict precision", "strict recall"],
    rows: Object.entries(byConfidence).map(([confidence, figures]) => {
      const { matches, payments, precision, recall, strictPrecision, strictRecall } = figures;
      return [
        confidence,
        String(matches),
        intervalText(precision, matches),
        intervalText(recall, payments),
        percentText(strictPrecision),
        percentText(strictRecall),
      ];
    }),
    notes: [
      "In parentheses: the 95 % confidence interval.",
      "Purchases with equal merchant and amount within a week count as the same purchase.",
      "Strict figures count only the labelled purchase, which the feed does not identify.",
    ],
  };
}

/** A share of a number of cases with its Wilson score interval. */
function intervalText(share: number, cases: number): string {
  if (cases === 0) return percentText(share);
  const z2 = 1.96 ** 2;
  const center = share + z2 / (2 * cases);
  const half = 1.96 * Math.sqrt((share * (1 - share)) / cases + z2 / (4 * cases ** 2));
  const [from, to] = [center - half, center + half].map((each) => each / (1 + z2 / cases));
  return `${percentText(share)} (${percentText(from ?? 0)} to ${percentText(to ?? 1)})`;
}

function speedOf(feeds: readonly Feed[], rounds: number): Table {
  const pairs = feeds.reduce((sum, feed) => sum + pairsInTime(feed), 0);
  const times = Array.from({ length: rounds }, () =>
    timeMs(() => feeds.flatMap(matchAtOnce).length),
  );
  const seconds = median(times) / 1000;
  return {
    title: "Speed of matching",
    columns: ["pairs", "pairs per second", "µs per pair"],
    rows: [
      [
        "all accounts at once",
        pairs.toLocaleString("en"),
        Math.round(pairs / seconds).toLocaleString("en"),
        ((seconds * 1e6) / pairs).toFixed(2),
      ],
    ],
    notes: ["A pair is a purchase and a debit of its account, 2 days before to 14 days after."],
  };
}

function pairsInTime({ purchases, postings }: Feed): number {
  const days = postings.map(({ day }) => Date.parse(day) / 86_400_000);
  return purchases.reduce((sum, purchase) => {
    const day = Date.parse(purchase.day) / 86_400_000;
    return sum + days.filter((other) => other >= day - 2 && other <= day + 14).length;
  }, 0);
}

function percentText(share: number): string {
  return Number.isNaN(share) ? "none" : `${(share * 100).toFixed(1)} %`;
}
