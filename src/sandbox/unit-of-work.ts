import { createHmac } from "node:crypto";
import type { EventName, EventPayloads } from "../../generated/events.ts";
import { type Networks, validateEvent } from "../contract/index.ts";
import type { Clock } from "./clock.ts";
import { enqueue } from "./delivery/outbox.ts";
import type { FaultInjector } from "./fault-injector.ts";
import type { Random } from "./random.ts";
import type { Kind, Resource } from "./store/resources.ts";
import type { Store } from "./store/store.ts";

/** What keys the secrets of a sandbox whose secrets are random. */
export const SECRETS_KEY = "secrets-key";

/** A job that is done when the clock comes to it, by its name in `jobs.ts`. */
export type JobName = "rematch" | "poll-link";

/** What a sandbox is run with, once and for all. */
export interface EngineSettings {
  readonly networks: Networks;
  /** Whether every event and answer is held against the contract. */
  readonly validate: boolean;
  /** What goes wrong with deliveries on demand; nothing unless set. */
  readonly faults?: FaultInjector | undefined;
}

/** What a resource begins with; the rest has its usual value. */
export type NewResource<K extends Kind> = Omit<
  Resource<K>,
  "createdMs" | "open" | "listed" | "day"
> &
  Partial<Pick<Resource<K>, "open" | "day">>;

/**
 * What a change is written with. All that happens between the beginning and the end of a change
 * happens at one moment, and together or not at all: resources, events, their deliveries and jobs.
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

  /** Begins a change: its moment is now. */
  begin(): void {
    this.#nowMs = this.#clock.now();
  }

  /** Has what follows happen at another moment: a world has a past. */
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
   * Makes a secret of hexadecimal digits that were drawn: themselves, or where secrets are random,
   * as many others, which stay the same for the same draw.
   */
  secretOf(drawn: string): string {
    const key = this.store.meta(SECRETS_KEY);
    if (key === undefined) return drawn;
    return createHmac("sha256", key).update(drawn).digest("hex").slice(0, drawn.length);
  }

  /** Adds a resource that is created now. */
  insert<K extends Kind>(resource: NewResource<K>): Resource<K> {
    const whole = { day: "", open: false, listed: true, createdMs: this.#nowMs, ...resource };
    this.store.insert(whole as Resource<K>);
    return whole as Resource<K>;
  }

  /**
   * Sends an event, once the change is through.
   *
   * @param accountId whose event it is
   * @param resource what its order is kept by: the id of the transaction for what tells of it and
   * its messages, of the bank transaction for what tells of it and its matches, otherwise its own
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

  /** Has a job done in some time, about a resource. */
  schedule(name: JobName, subject: string, inMs: number): void {
    this.store
      .sql("INSERT INTO jobs (due_ms, name, subject) VALUES (?, ?, ?)")
      .run(this.#nowMs + inMs, name, subject);
  }

  /** Calls off what was due by now: the past that a world begins with had its jobs done. */
  callOffPast(): void {
    this.store.sql("DELETE FROM jobs WHERE due_ms <= ?").run(this.#nowMs);
  }

  /** Calls off all jobs of that name about a resource. */
  callOff(name: JobName, subject: string): void {
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
