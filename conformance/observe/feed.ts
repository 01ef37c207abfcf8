import type { OperationWithResponse } from "../../src/contract/validate.ts";
import type { FollowedLink } from "./link-crawler.ts";
import type { CollectionOperation } from "./operations.ts";
import type { Walk } from "./pages.ts";
import type { ValidatedResponse } from "./validation.ts";

/** The target's data: its lists and everything reachable through links. */
export interface Feed {
  readonly walks: ReadonlyMap<CollectionOperation, Walk>;
  /** Every response: the token, each page and each resource. */
  readonly responses: readonly ValidatedResponse[];
  /** Every selected link, once. */
  readonly links: readonly FollowedLink[];
  /** The responses of an operation. */
  readonly of: (operation: OperationWithResponse) => readonly ValidatedResponse[];
  /** The response at a resource's path; undefined if it was not requested. */
  readonly at: (path: string) => ValidatedResponse | undefined;
}
