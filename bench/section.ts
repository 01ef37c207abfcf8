import type { SectionReport } from "./report.ts";

/** How much is measured. */
export interface SectionOptions {
  /** How many processes measure the same, one after the other. */
  readonly processes: number;
  /** Whether little is enough: to see that the bench runs, not to quote. */
  readonly isQuick: boolean;
}

/** A part of the bench. Rejects only when the bench itself is broken. */
export type Section = (effort: SectionOptions) => Promise<SectionReport>;
