import type {
  ClockReading,
  ClockSetting,
  DeliveriesQuery,
  Delivery,
  DryRun,
  DryRunParams,
  Endpoint,
  EndpointParams,
  EventsQuery,
  Faults,
  Kind,
  LoggedEvent,
  ResetParams,
  ResourcesQuery,
  SandboxStatus,
  ShownResource,
  VerbDescription,
  VerbName,
  VerbParams,
  VerbResults,
} from "./types.ts";

export type {
  ApiFault,
  Attempt,
  ClockReading,
  ClockSetting,
  DeliveriesQuery,
  Delivery,
  DeliveryFault,
  DeliveryState,
  DryRun,
  DryRunParams,
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
  VerbCall,
  VerbDescription,
  WorldName,
} from "./types.ts";

/** The outcome of a verb. */
export interface Outcome<Name extends VerbName = VerbName> {
  readonly verb: Name;
  readonly result: VerbResults[Name];
  /** The events that the verb sent, in order. */
  readonly events: readonly LoggedEvent[];
}

/**
 * Controls a sandbox: in process directly, over HTTP by `/_sandbox/` and {@link
 * createControlClient}. It is not part of the interface. A refused call rejects with a Refusal, or
 * over HTTP with a ControlError, and changes nothing. The status is 400 for a malformed call, 404
 * for an unknown id or name, 409 if the call does not apply now, and 507 if the change can't be
 * stored.
 */
export interface Control {
  /** Returns accounts, clock, and the number of each kind of resource. */
  status(): Promise<SandboxStatus>;
  /** Lists every verb, in the order of the documentation. */
  verbs(): Promise<readonly VerbDescription[]>;
  /** Triggers a verb. Resolves after the change is stored; deliveries follow. */
  trigger<Name extends VerbName>(verb: Name, params?: VerbParams[Name]): Promise<Outcome<Name>>;
  /**
   * Tries calls of verbs, each from the present state, and undoes them. Resolves with why each is
   * refused, in the same order.
   */
  dryRun(params: DryRunParams): Promise<readonly DryRun[]>;
  /** Returns the state of the clock. */
  readClock(): Promise<ClockReading>;
  /** Sets the mode and the time of the clock, which may go back. */
  setClock(setting: ClockSetting): Promise<ClockReading>;
  /**
   * Advances the clock by a duration such as `3d`, of at most ten years. Resolves after all that is
   * due has happened. If it rejects, the clock may have advanced by a part of the duration.
   */
  advance(by: string): Promise<ClockReading>;
  /** Resolves after every due job and delivery was carried out or tried. */
  settle(): Promise<void>;
  /** Lists the event log, the oldest event first. */
  events(query?: EventsQuery): Promise<readonly LoggedEvent[]>;
  /** Lists the latest resources of a kind, the latest first, with their internal state. */
  resources(kind: Kind, query?: ResourcesQuery): Promise<readonly ShownResource[]>;
  /** Returns a resource with its internal state, whether its collection lists it or not. */
  resource(kind: Kind, id: string): Promise<ShownResource>;
  /** Lists the webhook endpoints, the oldest first. */
  endpoints(): Promise<readonly Endpoint[]>;
  /**
   * Registers a webhook endpoint, which receives events from now on. Resolves with the existing
   * endpoint if one has the same settings.
   */
  addEndpoint(params: EndpointParams): Promise<Endpoint>;
  /** Removes a webhook endpoint and its waiting deliveries. */
  removeEndpoint(id: string): Promise<void>;
  /** Lists the latest deliveries with their attempts, the latest first. */
  deliveries(query?: DeliveriesQuery): Promise<readonly Delivery[]>;
  /** Sends a delivery again, or all ended ones. Resolves with their number. */
  replay(id: string | "all"): Promise<{ readonly replayed: number }>;
  /** Returns the injected faults and their remaining counts. */
  faults(): Promise<Faults>;
  /** Replaces all injected faults. Default of each field: none. */
  setFaults(faults: Partial<Faults>): Promise<Faults>;
  /**
   * Resets the state to seed data and a seed, and the clock to its start. The same world and seed
   * give the same accounts, ids and events. Webhook endpoints stay, but do not receive the events
   * of the seed data. Faults, deliveries and events are removed.
   */
  reset(params?: ResetParams): Promise<SandboxStatus>;
  /** Lists the names of the snapshots, in alphabetical order. */
  snapshots(): Promise<readonly string[]>;
  /**
   * Takes a snapshot of the state without the faults, and replaces one of the same name. A name
   * has up to 64 of a-z, 0-9, _ and -.
   */
  snapshot(name: string): Promise<void>;
  /**
   * Restores a snapshot, with its endpoints, waiting deliveries, seed and frozen clock. A real
   * clock continues.
   */
  restore(name: string): Promise<SandboxStatus>;
}
