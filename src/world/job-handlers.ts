import { rematchAccount } from "./activity/rematch.ts";
import { completeBankLink } from "./enrollment/bank-links.ts";
import type { JobName } from "./store.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** The handler of each job. */
export const jobHandlers: Readonly<Record<JobName, (work: UnitOfWork, subject: string) => void>> = {
  rematch: rematchAccount,
  "poll-link": completeBankLink,
};
