import type { RequirementId } from "../../../generated/requirements.ts";
import type { Delivery } from "./delivery.ts";

/** A history with its expected findings. */
export interface HistoryCase {
  /** The broken requirement; for a valid history, the one that it almost breaks. */
  readonly requirement: RequirementId;
  /** A fact of this history, in the present tense. */
  readonly title: string;
  readonly deliveries: () => readonly Delivery[];
  /**
   * - `valid`: no error and no warning;
   * - `invalid`: an error that names the requirement;
   * - `derived`: a warning that names it, and no error;
   * - `warning`: the same, though the requirement is not derived;
   * - `notice`: nothing above a notice.
   */
  readonly expect: "valid" | "invalid" | "derived" | "warning" | "notice";
  /** Other requirements that the same violation breaks. */
  readonly alsoAcceptable?: readonly RequirementId[];
  /** Whether the capture is declared complete. Default: true. */
  readonly complete?: boolean;
  /**
   * The finding's level in a capture that may be partial and out of order:
   * `downgraded` to a notice, or still `reported`. Unset if the level is open.
   */
  readonly incomplete?: "downgraded" | "reported";
  /** The deliveries, counted from 1, that a finding must point at. */
  readonly lines?: readonly number[];
}
