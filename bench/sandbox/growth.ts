import { runInChild } from "../child.ts";
import { median } from "../measure.ts";
import { millisecondsText } from "../process-time.ts";
import { atMost, ratioText } from "../report.ts";
import type { Section } from "../section.ts";
import type { Growth, GrowthJob } from "./growth-worker.ts";

const LIMIT = 1.5;

const NAMES = {
  start: "start with --data",
  page: "a page of 100 transactions",
  purchase: "a purchase with its deliveries",
} as const;

/** How much slower a sandbox gets with its history. */
export const sandboxGrowth: Section = async ({ isQuick }) => {
  const sizes = isQuick ? [100, 200] : [1_000, 10_000, 100_000];
  const job: GrowthJob = { sizes, rounds: isQuick ? 1 : 9 };
  const growth = await runInChild<Growth>(new URL("growth-worker.ts", import.meta.url), job);
  const measured = Object.entries(NAMES).map(([key, name]) => {
    const medians = growth[key as keyof Growth].map((times) => median(times));
    return { name, medians, ratio: (medians.at(-1) ?? 0) / (medians[0] ?? 1) };
  });
  return {
    tables: [
      {
        title: "A sandbox with a long history",
        columns: [...sizes.map((size) => size.toLocaleString("en")), "last ÷ first"],
        rows: measured.map(({ name, medians, ratio }) => [
          name,
          ...medians.map(millisecondsText),
          ratioText(ratio),
        ]),
        notes: ["Medians by the number of transactions, measured in turn in one process."],
      },
    ],
    targets: measured.map(({ name, ratio }) => {
      return atMost(`${name}, growth with the history`, LIMIT, ratio, ratioText);
    }),
  };
};
