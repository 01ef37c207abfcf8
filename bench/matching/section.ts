import type { Confidence } from "../../src/model/matching/candidates.ts";
import { median, timeMs } from "../measure.ts";
import { atLeast, type SectionReport, type Table, type Target } from "../report.ts";
import type { Section } from "../section.ts";
import { readFrozen } from "./corpus/frozen.ts";
import {
  type Feed,
  type Figures,
  feedsOf,
  figuresOf,
  matchAtOnce,
  matchByDay,
} from "./evaluation.ts";

const LEAST_PRECISION = 0.98;
const LEAST_RECALL = 0.95;

const WAYS = { "day by day": matchByDay, "all at once": matchAtOnce } as const;

/** How often the matcher is right on the frozen corpus, and how fast it is. */
export const matching: Section = async ({ isQuick }) => {
  const corpus = readFrozen();
  const feeds = feedsOf(corpus);
  const tables: Table[] = [];
  const targets: Target[] = [];
  for (const [way, match] of Object.entries(WAYS)) {
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
    columns: ["told", "precision", "recall", "strict precision", "strict recall"],
    rows: Object.entries(figures).map(([confidence, of]) => [
      confidence,
      String(of.matches),
      ...[of.precision, of.recall, of.strictPrecision, of.strictRecall].map(percentText),
    ]),
    notes: [
      "Of purchases that are equal in merchant and amount, within a week, each is right;",
      "strictly only the one that the corpus drew, which nothing in the feed tells.",
    ],
  };
}

function speedOf(feeds: readonly Feed[], rounds: number): Table {
  const pairs = feeds.reduce((sum, feed) => sum + pairsInTime(feed), 0);
  const times = Array.from({ length: rounds }, () => timeMs(() => matchAtOnce(feeds).length));
  const seconds = median(times) / 1000;
  return {
    title: "Speed of matching",
    columns: ["pairs", "pairs a second", "µs a pair"],
    rows: [
      [
        "all accounts at once",
        pairs.toLocaleString("en"),
        Math.round(pairs / seconds).toLocaleString("en"),
        ((seconds * 1e6) / pairs).toFixed(2),
      ],
    ],
    notes: ["Pairs of a purchase and a debit of its account within -2 to +14 days."],
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
