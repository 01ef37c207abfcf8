import { rematchAccount } from "./activity/rematch.ts";
import { completeBankLink } from "./enrollment/bank-links.ts";
import type { JobHandlers } from "./jobs.ts";

/** What is done for each job. */
export const jobHandlers: JobHandlers = {
  rematch: rematchAccount,
  "poll-link": completeBankLink,
};
