import type { RequirementId } from "../generated/requirements.ts";
import type { Exchange } from "./exchange.ts";
import type { Session } from "./session.ts";

/**
 * What a check needs of a target beyond answering requests, and what to say where it is missing.
 */
export const needs = {
  /** The answers depend on what was sent, and on what else is there. */
  state: "needs a server that keeps state; a mock answers from fixed examples, whatever it is sent",
} as const;

export type Need = keyof typeof needs;

/**
 * One way in which a requirement can be seen to hold or not to hold: data and one async function.
 */
export interface Check {
  readonly requirement: RequirementId;
  /** A fact in the present tense, under 70 characters, that the check finds true or not. */
  readonly title: string;
  readonly needs: readonly Need[];
  /** It tells what the shape of the answers says against its requirement; else the runner does. */
  readonly coversShape?: true;
  /**
   * Looks at the target.
   *
   * @returns Resolves to what breaks the requirement: nothing where it holds, or to Unseen where
   * the target had no case to look at. Rejects only by a fault of the suite.
   */
  readonly run: (session: Session) => Promise<readonly Breach[] | Unseen>;
}

/** One place where a requirement does not hold. */
export interface Breach {
  /** Where in the answer's body, as a JSON pointer; left out where it is not about the body. */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** The request and the answer that show it. */
  readonly exchange: Exchange;
}

/** The target had nothing that a check could look at. Returned by a check, or thrown below it. */
export class Unseen {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}
