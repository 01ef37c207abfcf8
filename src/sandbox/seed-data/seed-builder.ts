import type { VerbName, VerbParams, VerbResults } from "../../../generated/control-types.ts";
import { verbs } from "../../world/verbs/index.ts";
import type { Change } from "../engine.ts";

const MINUTE_MS = 60_000;

/** Builds the history of an account with verbs, from some days ago until now. */
export class SeedBuilder {
  readonly work: Change;
  readonly accountId: string;
  readonly #endMs: number;
  #nowMs: number;

  /** @param days the length of the history */
  constructor(work: Change, accountId: string, days: number) {
    this.work = work;
    this.accountId = accountId;
    this.#endMs = work.nowMs();
    this.#nowMs = this.#endMs - days * 24 * 60 * MINUTE_MS;
    work.turnTo(this.#nowMs);
  }

  /** Advances the time, at most until now. */
  wait(hours: number): this {
    this.#nowMs = Math.min(this.#nowMs + hours * 60 * MINUTE_MS, this.#endMs);
    this.work.turnTo(this.#nowMs);
    return this;
  }

  /** Runs a verb, a minute after the previous one. */
  do<Name extends VerbName>(verb: Name, params?: Omit<VerbParams[Name], "accountId">) {
    this.wait(1 / 60);
    const given = { accountId: this.accountId, ...params } as VerbParams[Name];
    return verbs[verb](this.work, given) as VerbResults[Name];
  }

  /** Advances the time to now, and drops the jobs that were due before. */
  end(): void {
    this.work.turnTo(this.#endMs);
    this.work.deleteDueJobs();
  }
}
