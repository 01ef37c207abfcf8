/**
 * How to make a skipped check run: the name of a flag for the command line, or of an option of the
 * target for the API.
 */
export type Hint =
  | string
  | {
      readonly flags: string;
      readonly options: string;
      /** The verbs of a driver that it suggests. */
      readonly verbs?: readonly string[];
    };

/** Suggests a driver with some verbs. */
export function driverHint(...verbs: readonly string[]): Hint {
  const named = [verbs.slice(0, -1).join(", "), verbs.at(-1)].filter(Boolean).join(" and ");
  const what = `with the verb${verbs.length === 1 ? "" : "s"} ${named}`;
  return { flags: `give --driver MODULE ${what}`, options: `give a driver ${what}`, verbs };
}

/** Signals that the target had no data for a check. A check returns it or throws it. */
export class Skip {
  readonly reason: string;
  /** How to make the check run, such as by adding data; undefined if the reason says it. */
  readonly hint: Hint | undefined;

  constructor(reason: string, hint?: Hint) {
    this.reason = reason;
    this.hint = hint;
  }
}

/**
 * The target refused what the driver requested. The requirement stays undecided, even if another
 * check decides it.
 */
export class Refused extends Skip {}

/**
 * The target accepted a verb of the driver, but the effect that the verb promises did not occur,
 * such as a match with high confidence. The claims stay undecided, and the report says so first.
 */
export class Unmet extends Skip {}

/** The check could not finish: the run was stopped, or the target stopped responding. */
export class Aborted extends Skip {}

/** What a promise resolves to, or the Skip that it rejects with. */
export async function orSkip<T>(made: Promise<T>): Promise<T | Skip> {
  try {
    return await made;
  } catch (error) {
    if (error instanceof Skip) return error;
    throw error;
  }
}

/** What a promise resolves to; undefined if it rejects with a Skip. */
export async function unlessSkipped<T>(made: Promise<T>): Promise<T | undefined> {
  const found = await orSkip(made);
  return found instanceof Skip ? undefined : found;
}
