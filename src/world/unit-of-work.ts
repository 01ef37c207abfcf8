import type { EventName, EventPayloads } from "../../generated/events.ts";
import { type Networks, validateEvent } from "../contract/index.ts";
import type { Random } from "./random.ts";
import type { Kind, Resource } from "./resources.ts";
import type { JobName, NewEvent, Store } from "./store.ts";

/** The settings of a world, which stay the same. */
export interface WorldSettings {
  readonly networks: Networks;
  /** Whether every event is validated against the contract. */
  readonly validate: boolean;
}

/** An event of the log. */
export interface EmittedEvent extends NewEvent {
  readonly seq: number;
}

/** What surrounds a world. */
interface Surroundings {
  readonly random: Random;
  /** Default: {@link UnitOfWork.turnTo} sets the time. */
  readonly clock?: { now(): number } | undefined;
  /** Makes a secret from as many hexadecimal digits. Default: the digits themselves. */
  readonly secretOf?: ((drawn: string) => string) | undefined;
  /** Called with each event, within its change. */
  readonly onEvent?: ((event: EmittedEvent) => void) | undefined;
}

/** A resource to insert; the other fields have defaults. */
type NewResource<K extends Kind> = Omit<Resource<K>, "createdMs" | "open" | "listed" | "day"> &
  Partial<Pick<Resource<K>, "open" | "day">>;

/**
 * Writes one change: resources, events and jobs. They share one moment.
 */
export class UnitOfWork<S extends Store = Store> {
  readonly store: S;
  readonly random: Random;
  readonly settings: WorldSettings;
  readonly #around: Surroundings;
  #nowMs = 0;

  constructor(store: S, settings: WorldSettings, surroundings: Surroundings) {
    this.store = store;
    this.random = surroundings.random;
    this.settings = settings;
    this.#around = surroundings;
  }

  /** Begins a change at the present time of the clock. */
  begin(): void {
    this.#nowMs = this.#around.clock?.now() ?? this.#nowMs;
  }

  /** Sets the time of the next changes: seed data is back-dated. */
  turnTo(timeMs: number): void {
    this.#nowMs = timeMs;
  }

  /** Milliseconds since 1970. */
  nowMs(): number {
    return this.#nowMs;
  }

  /** CONV-02: a timestamp of now. */
  now(): string {
    return new Date(this.#nowMs).toISOString();
  }

  /** CONV-02: a timestamp of now for `updatedAt`, at least 1 ms later than the one before. */
  nowAfter(before: string): string {
    return new Date(Math.max(this.#nowMs, Date.parse(before) + 1)).toISOString();
  }

  /** CONV-03: the date of now. */
  today(): string {
    return this.now().slice(0, 10);
  }

  /** Makes a secret from hexadecimal digits, of the same length. */
  secretOf(drawn: string): string {
    return this.#around.secretOf?.(drawn) ?? drawn;
  }

  /** Inserts a resource with the present time as its creation time. */
  insert<K extends Kind>(resource: NewResource<K>): Resource<K> {
    const whole = { day: "", open: false, listed: true, createdMs: this.#nowMs, ...resource };
    this.store.insert(whole as Resource<K>);
    return whole as Resource<K>;
  }

  /**
   * Sends an event after the change is committed.
   *
   * @param accountId the account of the event
   * @param resource the ordering key: the id of the transaction for its events and those of its
   * messages, the id of the bank transaction for its events and those of its matches, otherwise the
   * id of the resource
   */
  announce<Name extends EventName>(
    name: Name,
    { accountId, resource }: { readonly accountId: string; readonly resource: string },
    body: EventPayloads[Name],
  ): void {
    this.#validate(name, body);
    const event = { atMs: this.#nowMs, accountId, name, resource, body: JSON.stringify(body) };
    const seq = this.store.append(event);
    this.#around.onEvent?.({ ...event, seq });
  }

  /** Schedules a job about a resource. */
  schedule(name: JobName, subject: string, inMs: number): void {
    this.store.addJob(name, subject, this.#nowMs + inMs);
  }

  /**
   * Deletes jobs that are already due: the back-dated history of seed data must not trigger them.
   */
  deleteDueJobs(): void {
    this.store.removeDueJobs(this.#nowMs);
  }

  /** Deletes a resource's jobs of that name. */
  cancel(name: JobName, subject: string): void {
    this.store.cancelJobs(name, subject);
  }

  #validate(name: EventName, body: unknown): void {
    if (!this.settings.validate) return;
    const { networks } = this.settings;
    const { findings } = validateEvent(name, body, { networks });
    const wrong = findings.find(({ level }) => level !== "notice");
    if (wrong) throw new Error(`${name} breaks ${wrong.requirement}: ${wrong.message}`);
  }
}
