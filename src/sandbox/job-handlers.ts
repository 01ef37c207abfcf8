import { rematchAccount } from "./activity/rematch.ts";
import { completeBankLink } from "./enrollment/bank-links.ts";
import type { JobHandlers } from "./jobs.ts";

/** The handler of each job. */
export const jobHandlers: JobHandlers = {
  rematch: rematchAccount,
  "poll-link": completeBankLink,
};
