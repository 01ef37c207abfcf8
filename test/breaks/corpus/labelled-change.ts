import type { Document } from "../../document.ts";

/** The document that an edit changes. */
export type Doc = Document;

/**
 * - `breaking`: something that works with the old contract fails with the new one.
 * - `compatible`: the audience sees a change, and nothing fails.
 * - `none`: the audience sees no change. Descriptions and other notations of the same schema are
 *   `none`. Another assertion that happens to accept the same values, such as a pattern with
 *   another notation, is `compatible`.
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

/** A change of the contract with its labels. */
export interface LabelledChange {
  /** A unique name in kebab case. */
  readonly name: string;
  /** The affected part: events, operations, both, or only the rest of the document. */
  readonly where: "event" | "api" | "both" | "document";
  /** The change, and why it breaks something or nothing. */
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

/** No audience sees a change. */
export const NONE: Verdicts = {
  ...{ consumer: "none", caller: "none", implementer: "none", types: "none" },
};

/** Verdicts on a change that callers of the API do not see. */
export function inEvents(verdicts: Omit<Verdicts, "caller">): Verdicts {
  return { ...verdicts, caller: "none" };
}

/** Verdicts on a change that consumers of webhooks do not see. */
export function inApi(verdicts: Omit<Verdicts, "consumer">): Verdicts {
  return { ...verdicts, consumer: "none" };
}
