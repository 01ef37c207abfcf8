import { rematchAccount } from "./activity/rematch.ts";
import { completeBankLink } from "./enrollment/bank-links.ts";
import type { JobName } from "./store.ts";
import type { UnitOfWork } from "./unit-of-work.ts";

/** Handlers of jobs, by their name. */
export type JobHandlers<Work extends UnitOfWork = UnitOfWork> = Readonly<
  Record<JobName, (work: Work, subject: string) => void>
>;

/** The handler of each job. */
export const jobHandlers: JobHandlers = {
  rematch: rematchAccount,
  "poll-link": completeBankLink,
};
