/** The target had nothing that a check could look at. Returned by a check, or thrown below it. */
export class Skip {
  readonly reason: string;
  /** What would let the check look, such as data of a kind; undefined where the reason tells. */
  readonly hint: string | undefined;

  constructor(reason: string, hint?: string) {
    this.reason = reason;
    this.hint = hint;
  }
}

/**
 * The target refused what a driver was to make happen: the claim stays undecided, whatever another
 * check saw of the requirement (readings, 24).
 */
export class Refused extends Skip {}

/** The check was kept from looking: the run was broken off, or the target stopped answering. */
export class Aborted extends Skip {}
