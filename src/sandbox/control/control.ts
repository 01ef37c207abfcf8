import type { EventName } from "../../../generated/events.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { ClockMode } from "../clock.ts";
import type { Kind } from "../store/resources.ts";
import type { VerbName, VerbParams, VerbResults } from "../verbs/params.ts";

/** An event as the sandbox's log has it. */
export interface LoggedEvent {
  /** Its place in the log, from 1. */
  readonly seq: number;
  /** A timestamp by the sandbox's clock. */
  readonly at: string;
  readonly accountId: string;
  readonly name: EventName;
  /** What its order is kept by: deliveries of the same one wait for each other. */
  readonly resource: string;
  /** As it is sent. */
  readonly body: unknown;
}

/** What can be made to happen, and how. */
export interface VerbDescription {
  readonly name: VerbName;
  /** What it does, in a few words. */
  readonly summary: string;
  /** What of the interface it carries out; none where it only sets the scene. */
  readonly requirements: readonly RequirementId[];
  /** A JSON Schema of what it takes. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** What a verb did. */
export interface Outcome<Name extends VerbName = VerbName> {
  readonly verb: Name;
  readonly result: VerbResults[Name];
  /** What it sent, in order. */
  readonly events: readonly LoggedEvent[];
}

/** How the clock stands. */
export interface ClockReading {
  readonly mode: ClockMode;
  /** A timestamp. */
  readonly now: string;
  /** When the next job or delivery is due; null where nothing is. */
  readonly nextDue: string | null;
}

/** How the clock is to go. */
export interface ClockSetting {
  readonly mode: ClockMode;
  /** A timestamp to go on from; now unless set. */
  readonly now?: string | undefined;
}

/** A state to begin with. */
export type WorldName = "empty" | "small" | "large";

/** Who may ask for tokens. */
export interface SandboxAccount {
  readonly accountId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly sdkClientId: string;
  readonly sdkClientSecret: string;
}

/** What there is. */
export interface SandboxStatus {
  readonly accounts: readonly SandboxAccount[];
  readonly networks: { readonly a: string; readonly b: string; readonly c: string };
  readonly clock: ClockReading;
  /** How many there are of each kind, those that are not listed left out. */
  readonly counts: Readonly<Record<Kind | "events" | "deliveries", number>>;
}

/** A resource with what the interface does not show of it. */
export interface ShownResource {
  readonly kind: Kind;
  readonly id: string;
  readonly accountId: string;
  /** Whether its collection lists it. */
  readonly listed: boolean;
  /** As the interface serves it. */
  readonly body: unknown;
  /** What the interface does not show of it; amounts in minor units. */
  readonly hidden: unknown;
}

/** Where deliveries go. */
export interface EndpointParams {
  /** http or https. */
  readonly url: string;
  /** WHK-06: the events that it takes; all unless set. */
  readonly events?: readonly EventName[] | undefined;
  /** `whsec_` and base64; drawn unless set. */
  readonly secret?: string | undefined;
  /** Whose events; all accounts' unless set. */
  readonly accountId?: string | undefined;
  /** Whether deliveries of a resource keep their order, each waiting for the one before; true. */
  readonly ordered?: boolean | undefined;
}

/** A registered endpoint. */
export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** null for all. */
  readonly events: readonly EventName[] | null;
  /** `whsec_` and base64. */
  readonly secret: string;
  /** Whose events; null for all accounts'. */
  readonly accountId: string | null;
  readonly ordered: boolean;
}

/** One try to deliver. */
export interface Attempt {
  /** A timestamp by the sandbox's clock. */
  readonly at: string;
  /** What the receiver answered; null where no answer came. */
  readonly status: number | null;
  /** Why no answer came, or null. */
  readonly error: string | null;
  /** In real milliseconds. */
  readonly durationMs: number;
}

/** What becomes of an event at an endpoint. */
export type DeliveryState = "waiting" | "delivered" | "failed" | "dropped";

/** An event on its way to an endpoint. */
export interface Delivery {
  /** The header webhook-id: the same with every attempt. */
  readonly id: string;
  readonly endpointId: string;
  readonly event: Omit<LoggedEvent, "body">;
  readonly state: DeliveryState;
  /** When the next attempt is due; null where none is. */
  readonly dueAt: string | null;
  readonly attempts: readonly Attempt[];
}

/** Which deliveries are asked for. */
export interface DeliveriesQuery {
  readonly state?: DeliveryState | undefined;
  readonly event?: EventName | undefined;
  /** At most so many, the latest; 100 unless set. */
  readonly limit?: number | undefined;
}

/** A fault of the API side. */
export interface ApiFault {
  readonly kind: "401" | "429" | "500" | "latency";
  /** Only requests whose path begins with it; all unless set, the token endpoint's too. */
  readonly path?: string | undefined;
  /** How many requests it meets; all unless set. */
  readonly times?: number | undefined;
  /** The share of requests that it meets, drawn by the seed; 1 unless set. */
  readonly rate?: number | undefined;
  /** Of a 429; 1 unless set. */
  readonly retryAfterSeconds?: number | undefined;
  /** Of latency, in real milliseconds; latency needs it. */
  readonly delayMs?: number | undefined;
}

/** A fault of deliveries. */
export interface DeliveryFault {
  readonly kind: "duplicate" | "reorder" | "drop" | "delay";
  /** Only deliveries of it; all unless set. */
  readonly event?: EventName | undefined;
  /** How many deliveries it meets; all unless set. */
  readonly times?: number | undefined;
  /** The share of deliveries that it meets, drawn by the seed; 1 unless set. */
  readonly rate?: number | undefined;
  /** Of a delay, by the sandbox's clock; 30,000 unless set. */
  readonly delayMs?: number | undefined;
}

/** What goes wrong on demand; none of it is the interface's. */
export interface Faults {
  readonly api: readonly ApiFault[];
  readonly deliveries: readonly DeliveryFault[];
  /** How far collections lag behind events, by the sandbox's clock. */
  readonly listLagMs: number;
}

/** Which events are asked for. */
export interface EventsQuery {
  /** Those later in the log than this one. */
  readonly after?: number | undefined;
  readonly name?: EventName | undefined;
  readonly accountId?: string | undefined;
  /** At most so many, the oldest; 1,000 unless set. */
  readonly limit?: number | undefined;
}

/** Which resources are asked for. */
export interface ResourcesQuery {
  readonly accountId?: string | undefined;
  /** At most so many, the latest; 100 unless set. */
  readonly limit?: number | undefined;
}

/** What a reset begins with. */
export interface ResetParams {
  /** The one that the sandbox began with unless set. */
  readonly world?: WorldName | undefined;
  /** The present one unless set. */
  readonly seed?: number | undefined;
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
