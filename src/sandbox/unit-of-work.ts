import { createHmac } from "node:crypto";
import type { EventName, EventPayloads } from "../../generated/events.ts";
import { type Networks, validateEvent } from "../contract/index.ts";
import type { Clock } from "./clock.ts";
import { enqueue } from "./delivery/outbox.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { Random } from "./random.ts";
import type { Kind, Resource } from "./store/resources.ts";
import type { Store } from "./store/store.ts";

/** The meta name of the key that random secrets are derived from. */
export const SECRETS_KEY = "secrets-key";

/** The name of a scheduled job. */
export type JobName = "rematch" | "poll-link";

/** The settings that stay the same while a sandbox runs. */
export interface EngineSettings {
  readonly networks: Networks;
  /** Whether every event and response is validated against the contract. */
  readonly validate: boolean;
  /** Injects faults into deliveries. Default: none. */
  readonly faults?: FaultInjector | undefined;
}

/** A resource to insert; the other fields have defaults. */
type NewResource<K extends Kind> = Omit<Resource<K>, "createdMs" | "open" | "listed" | "day"> &
  Partial<Pick<Resource<K>, "open" | "day">>;

/**
 * Writes one change: resources, events, their deliveries, and jobs. They share one moment, and are
 * stored together or not at all.
 */
export class UnitOfWork {
  readonly store: Store;
  readonly random: Random;
  readonly settings: EngineSettings;
  readonly #clock: Clock;
  #nowMs = 0;

  constructor(store: Store, random: Random, clock: Clock, settings: EngineSettings) {
    this.store = store;
    this.random = random;
    this.settings = settings;
    this.#clock = clock;
  }

  /** Begins a change at the present time of the clock. */
  begin(): void {
    this.#nowMs = this.#clock.now();
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

  /**
   * Makes a secret from hexadecimal digits: the digits themselves, or if secrets are random, the
   * same number of digits derived from a key.
   */
  secretOf(drawn: string): string {
    const key = this.store.meta(SECRETS_KEY);
    if (key === undefined) return drawn;
    return createHmac("sha256", key).update(drawn).digest("hex").slice(0, drawn.length);
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
    const text = JSON.stringify(body);
    const { lastInsertRowid } = this.store
      .sql("INSERT INTO events (at_ms, account_id, name, resource, body) VALUES (?, ?, ?, ?, ?)")
      .run(this.#nowMs, accountId, name, resource, text);
    const seq = Number(lastInsertRowid);
    const event = { seq, accountId, name, resource, atMs: this.#nowMs };
    enqueue(this.store, event, this.settings.faults);
  }

  /** Schedules a job about a resource. */
  schedule(name: JobName, subject: string, inMs: number): void {
    this.store
      .sql("INSERT INTO jobs (due_ms, name, subject) VALUES (?, ?, ?)")
      .run(this.#nowMs + inMs, name, subject);
  }

  /**
   * Deletes jobs that are already due: the back-dated history of seed data must not trigger them.
   */
  deleteDueJobs(): void {
    this.store.sql("DELETE FROM jobs WHERE due_ms <= ?").run(this.#nowMs);
  }

  /** Deletes a resource's jobs of that name. */
  cancel(name: JobName, subject: string): void {
    this.store.sql("DELETE FROM jobs WHERE name = ? AND subject = ?").run(name, subject);
  }

  #validate(name: EventName, body: unknown): void {
    if (!this.settings.validate) return;
    const { networks } = this.settings;
    const { findings } = validateEvent(name, body, { networks });
    const wrong = findings.find(({ level }) => level !== "notice");
    if (wrong) throw new Error(`${name} breaks ${wrong.requirement}: ${wrong.message}`);
  }
}
