import type {
  ClockReading,
  ClockSetting,
  DeliveriesQuery,
  Delivery,
  Endpoint,
  EndpointParams,
  EventsQuery,
  Faults,
  LoggedEvent,
  ResetParams,
  ResourcesQuery,
  SandboxStatus,
  ShownResource,
  VerbDescription,
} from "../../../generated/control-types.ts";
import type { Kind } from "../store/resources.ts";
import type { VerbName, VerbParams, VerbResults } from "../verbs/params.ts";

// The shapes of the control API, from `spec/sandbox/`.
export type {
  ApiFault,
  Attempt,
  ClockReading,
  ClockSetting,
  DeliveriesQuery,
  Delivery,
  DeliveryFault,
  DeliveryState,
  Endpoint,
  EndpointParams,
  EventsQuery,
  Faults,
  LoggedEvent,
  ResetParams,
  ResourcesQuery,
  SandboxAccount,
  SandboxStatus,
  ShownResource,
  VerbDescription,
  WorldName,
} from "../../../generated/control-types.ts";

/** What a verb did. */
export interface Outcome<Name extends VerbName = VerbName> {
  readonly verb: Name;
  readonly result: VerbResults[Name];
  /** What it sent, in order. */
  readonly events: readonly LoggedEvent[];
}

/**
 * What drives a sandbox: in process as it is, over HTTP by `/_sandbox/` and
 * {@link createControlClient}. Nothing of it is part of the interface. Each rejects with a Refusal,
 * or over HTTP with a ControlError, for what can't be done; then nothing has changed. Its status is
 * 400 for what is malformed, 404 for an id or a name that is not there, 409 for what does not apply
 * now, and 507 where the disk does not take it.
 */
export interface Control {
  /** Tells what there is. */
  status(): Promise<SandboxStatus>;
  /** Every verb, in the order in which they are shown. */
  verbs(): Promise<readonly VerbDescription[]>;
  /** Makes something happen, and resolves once it is kept; deliveries follow. */
  trigger<Name extends VerbName>(verb: Name, params?: VerbParams[Name]): Promise<Outcome<Name>>;
  /** How the clock stands. */
  readClock(): Promise<ClockReading>;
  /** Sets how the clock goes, and from when on; it may go back. */
  setClock(setting: ClockSetting): Promise<ClockReading>;
  /**
   * Turns the clock by a duration such as `3d`, of at most ten years; resolves when everything due
   * has happened. Where it rejects, the clock may have been turned a part of the way.
   */
  advance(by: string): Promise<ClockReading>;
  /** Resolves when every job and delivery that is due was done or tried. */
  settle(): Promise<void>;
  /** The log of events, the oldest first. */
  events(query?: EventsQuery): Promise<readonly LoggedEvent[]>;
  /** The latest of a kind, the latest first, with what is hidden. */
  resources(kind: Kind, query?: ResourcesQuery): Promise<readonly ShownResource[]>;
  /** Where deliveries go, the first one first. */
  endpoints(): Promise<readonly Endpoint[]>;
  /**
   * Registers an endpoint, which gets the events from now on. Where there is one that is the same
   * in all that is asked for, resolves with that.
   */
  addEndpoint(params: EndpointParams): Promise<Endpoint>;
  /** Removes an endpoint, with what it was still to get. */
  removeEndpoint(id: string): Promise<void>;
  /** The latest deliveries with their attempts, the latest first. */
  deliveries(query?: DeliveriesQuery): Promise<readonly Delivery[]>;
  /** Sends a delivery again, or all that have ended; resolves with how many are under way. */
  replay(id: string | "all"): Promise<{ readonly replayed: number }>;
  /** What goes wrong on demand, with how often still. */
  faults(): Promise<Faults>;
  /** Replaces all faults; what is left out is none. */
  setFaults(faults: Partial<Faults>): Promise<Faults>;
  /**
   * Begins anew: the same world and seed give the same accounts, ids and events again, and the
   * clock goes as it did at the start. Endpoints stay, and are not told of what the world begins
   * with; faults, deliveries and events go.
   */
  reset(params?: ResetParams): Promise<SandboxStatus>;
  /** The names of the kept states, in the order of the alphabet. */
  snapshots(): Promise<readonly string[]>;
  /**
   * Keeps the state under a name, in place of what was under it: everything but faults, which are
   * no state. Names are up to 64 of a-z, 0-9, _ and -.
   */
  snapshot(name: string): Promise<void>;
  /**
   * Goes back to a kept state: endpoints, waiting deliveries, seed and a frozen clock are as they
   * were. A clock that goes with the system's goes on.
   */
  restore(name: string): Promise<SandboxStatus>;
}
