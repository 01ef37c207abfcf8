import type { Confidence } from "../src/model/transaction-match.ts";
import { readFrozen } from "../test/model/matching/corpus/frozen.ts";
import {
  type Feed,
  type Figures,
  feedsOf,
  figuresOf,
  matchAtOnce,
  matchByDay,
} from "../test/model/matching/evaluation.ts";
import { median, timeMs } from "./measure.ts";
import { atLeast, type SectionReport, type Table, type Target } from "./report.ts";
import type { Section } from "./section.ts";

const LEAST_PRECISION = 0.98;
const LEAST_RECALL = 0.95;

const MODES = { "day by day": matchByDay, "all at once": matchAtOnce } as const;

/** Precision and recall of the matcher on the frozen corpus, and its speed. */
export const matching: Section = async ({ isQuick }) => {
  const corpus = readFrozen();
  const feeds = feedsOf(corpus);
  const tables: Table[] = [];
  const targets: Target[] = [];
  for (const [way, match] of Object.entries(MODES)) {
    const figures = figuresOf(corpus, match(feeds));
    tables.push(tableOf(`Matching of ${corpus.purchases.length} purchases, ${way}`, figures));
    const { precision, recall } = figures.HIGH;
    targets.push(atLeast(`precision of HIGH, ${way}`, LEAST_PRECISION, precision, percentText));
    targets.push(atLeast(`recall of HIGH, ${way}`, LEAST_RECALL, recall, percentText));
  }
  return { tables: [...tables, speedOf(feeds, isQuick ? 1 : 15)], targets } satisfies SectionReport;
};

function tableOf(title: string, figures: Record<Confidence, Figures>): Table {
  return {
    title,
    columns: ["matches", "precision", "recall", "strict precision", "strict recall"],
    rows: Object.entries(figures).map(([confidence, of]) => [
      confidence,
      String(of.matches),
      ...[of.precision, of.recall, of.strictPrecision, of.strictRecall].map(percentText),
    ]),
    notes: [
      "Purchases with equal merchant and amount within a week count as the same purchase.",
      "Strict figures count only the labelled purchase, which the feed does not identify.",
    ],
  };
}

function speedOf(feeds: readonly Feed[], rounds: number): Table {
  const pairs = feeds.reduce((sum, feed) => sum + pairsInTime(feed), 0);
  const times = Array.from({ length: rounds }, () => timeMs(() => matchAtOnce(feeds).length));
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
