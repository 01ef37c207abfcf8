import type { SectionReport } from "./report.ts";

/** How much to measure. */
export interface SectionOptions {
  /** The number of processes that repeat each measurement. */
  readonly processes: number;
  /** Measures only enough to show that the benchmark works. */
  readonly isQuick: boolean;
}

/** A section of the benchmark. Rejects only if the benchmark itself fails. */
export type Section = (options: SectionOptions) => Promise<SectionReport>;
