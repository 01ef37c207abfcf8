import { completeBankLink } from "./enrollment/bank-links.ts";
import type { JobHandlers } from "./jobs.ts";

/** What is done for each job. */
export const jobHandlers: JobHandlers = {
  rematch: () => undefined,
  "poll-link": completeBankLink,
};
