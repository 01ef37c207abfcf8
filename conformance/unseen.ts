/** The target had nothing that a check could look at. Returned by a check, or thrown below it. */
export class Unseen {
  readonly reason: string;
  /** What would let the check look, such as data of a kind; undefined where the reason tells. */
  readonly unskip: string | undefined;

  constructor(reason: string, unskip?: string) {
    this.reason = reason;
    this.unskip = unskip;
  }
}

/**
 * The target refused what a driver was to make happen: the claim stays undecided, whatever another
 * check saw of the requirement (readings, 24).
 */
export class Refused extends Unseen {}

/** The check was kept from looking: the run was broken off, or the target stopped answering. */
export class CutShort extends Unseen {}
