import type { UnitOfWork } from "../unit-of-work.ts";
import { verbs } from "../verbs/index.ts";
import type { VerbName, VerbParams, VerbResults } from "../verbs/params.ts";

const MINUTE_MS = 60_000;

/** How an account came to where a world begins: verbs, one after the other, until now. */
export class SeedBuilder {
  readonly work: UnitOfWork;
  readonly accountId: string;
  readonly #endMs: number;
  #nowMs: number;

  /** @param days how long before now it begins */
  constructor(work: UnitOfWork, accountId: string, days: number) {
    this.work = work;
    this.accountId = accountId;
    this.#endMs = work.nowMs();
    this.#nowMs = this.#endMs - days * 24 * 60 * MINUTE_MS;
    work.turnTo(this.#nowMs);
  }

  /** Lets time pass, but never beyond now. */
  wait(hours: number): this {
    this.#nowMs = Math.min(this.#nowMs + hours * 60 * MINUTE_MS, this.#endMs);
    this.work.turnTo(this.#nowMs);
    return this;
  }

  /** Makes something happen to the account, a minute after what was before. */
  do<Name extends VerbName>(verb: Name, params?: Omit<VerbParams[Name], "accountId">) {
    this.wait(1 / 60);
    const told = { accountId: this.accountId, ...params } as VerbParams[Name];
    return verbs[verb](this.work, told) as VerbResults[Name];
  }

  /** Comes to now. What was scheduled before has been done. */
  end(): void {
    this.work.turnTo(this.#endMs);
    this.work.callOffPast();
  }
}
