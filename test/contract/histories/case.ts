import type { RequirementId } from "../../../generated/requirements.ts";
import type { Delivery } from "./delivery.ts";

/** A history, and what the interface and its readings have to say of it. */
export interface HistoryCase {
  /** What it breaks; of a valid one, what it is the legal neighbour of. */
  readonly requirement: RequirementId;
  /** What is so in this history: a fact, in the present tense. */
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
  /** Other requirements that the same fault breaks as plainly. */
  readonly alsoAcceptable?: readonly RequirementId[];
  /** Whether the capture is said to be complete; it is unless this is false. */
  readonly complete?: boolean;
  /**
   * What becomes of the fault in a capture that may begin mid-life and be overtaken (readings,
   * 11): `downgraded` to a notice, or still `reported`. Unset where the readings leave it open.
   */
  readonly incomplete?: "downgraded" | "reported";
  /** Deliveries, counted from 1, that a finding has to point at. */
  readonly lines?: readonly number[];
}
