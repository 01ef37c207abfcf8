import type { Document } from "../../document.ts";

/** The document that an edit changes. */
export type Doc = Document;

/**
 * - `breaking`: something that works with the old contract fails with the new one.
 * - `compatible`: something that the audience sees has changed, and nothing fails.
 * - `none`: nothing that the audience sees has changed. Words and other notations of the same
 *   schema are `none`. Another assertion that happens to accept the same values, such as a pattern
 *   in other words, is `compatible`.
 */
export type Verdict = "breaking" | "compatible" | "none";

export interface Verdicts {
  /** Code that receives webhooks. */
  readonly consumer: Verdict;
  /** Code that calls the API. */
  readonly caller: Verdict;
  /** A server that conforms to the old contract and is tested against the new one. */
  readonly implementer: Verdict;
  /** Code that compiles against the TypeScript types. */
  readonly types: Verdict;
}

/** A change of the contract, labelled from its meaning. */
export interface LabelledChange {
  /** In kebab case, unique. */
  readonly name: string;
  /** Where the change can be seen: in events, in operations, in both, or only in the rest. */
  readonly where: "event" | "api" | "both" | "document";
  /** What the owner changed, and why it breaks something or nothing. */
  readonly meaning: string;
  /** Changes a copy of the document in place. */
  readonly edit: (document: Doc) => void;
  readonly expected: Verdicts;
  /**
   * Whether a payload or a request can show the break on the wire. False if nothing breaks on the
   * wire, and for events, operations, statuses, media types, headers of deliveries, security and
   * requirement ids.
   */
  readonly isShapeBreak: boolean;
}

/** Nothing that anybody sees has changed. */
export const NONE: Verdicts = {
  ...{ consumer: "none", caller: "none", implementer: "none", types: "none" },
};

/** The verdicts on a change that callers of the API do not see. */
export function inEvents(verdicts: Omit<Verdicts, "caller">): Verdicts {
  return { ...verdicts, caller: "none" };
}

/** The verdicts on a change that consumers of webhooks do not see. */
export function inApi(verdicts: Omit<Verdicts, "consumer">): Verdicts {
  return { ...verdicts, consumer: "none" };
}
