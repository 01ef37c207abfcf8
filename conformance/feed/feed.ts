import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { FollowedLink } from "./link-crawler.ts";
import type { CollectionOperation } from "./operations.ts";
import type { ValidatedResponse } from "./validation.ts";
import type { Walk } from "./walk.ts";

/** What the target showed: all that its lists, and the links in its answers, lead to. */
export interface Feed {
  readonly walks: ReadonlyMap<CollectionOperation, Walk>;
  /** Every answer: the token's, each page's, each resource's. */
  readonly responses: readonly ValidatedResponse[];
  /** Every link that was followed, once. */
  readonly links: readonly FollowedLink[];
  /** The answers of an operation. */
  readonly of: (operation: OperationWithResponse) => readonly ValidatedResponse[];
  /** What was answered at a resource's path; undefined where it was not asked. */
  readonly at: (path: string) => ValidatedResponse | undefined;
}
