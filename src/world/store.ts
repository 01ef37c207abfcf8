import type { EventName } from "../../generated/events.ts";
import { notFound } from "./refusal.ts";
import { type Kind, nameOf, type Resource } from "./resources.ts";
import type { SandboxAccount } from "./sandbox-account.ts";

/** A filter of children: a range of days, both included, and whether they are open. */
export interface ChildrenOptions {
  readonly from?: string;
  readonly to?: string;
  readonly onlyOpen?: boolean;
  /** A text in the JSON of the internal state. Children without it need not be parsed. */
  readonly mentions?: string | undefined;
}

/** An event to add to the log. */
export interface NewEvent {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly accountId: string;
  readonly name: EventName;
  /** The ordering key. */
  readonly resource: string;
  /** The payload as JSON. */
  readonly body: string;
}

/** The name of a scheduled job. */
export type JobName = "rematch" | "poll-link";

/** A job about a resource. */
export interface Job {
  readonly seq: number;
  readonly name: JobName;
  readonly subject: string;
}

/**
 * The state of a world: accounts, resources, events and jobs. Reads return copies, and only writes
 * change the state. SQLite keeps it in the sandbox, a Map in fixtures.
 */
export abstract class Store {
  /** Carries out a change. If it throws, nothing has changed. */
  abstract atomic<T>(change: () => T): T;

  /** All accounts, the oldest first. */
  abstract accounts(): readonly SandboxAccount[];
  /** Adds an account after all others. TXN-10: it has the projection of messages. */
  abstract addAccount(account: SandboxAccount): void;
  /** TXN-10: whether transactions of an account carry their messages. */
  abstract hasProjection(accountId: string): boolean;
  abstract setProjection(accountId: string, isOn: boolean): void;

  /** The resource, or undefined. */
  abstract get<K extends Kind>(kind: K, id: string): Resource<K> | undefined;
  /** The resources of an account, or of all accounts, the latest first; default limit: none. */
  abstract latest<K extends Kind>(kind: K, accountId?: string, limit?: number): Resource<K>[];
  /** The resources of a parent, by day and then in order of creation. */
  abstract children<K extends Kind>(
    kind: K,
    parent: string,
    options?: ChildrenOptions,
  ): Resource<K>[];
  /** Inserts a resource after all others. */
  abstract insert<K extends Kind>(resource: Resource<K>): void;
  /** Updates the mutable fields of a resource: body, internal state, `open` and `listed`. */
  abstract update<K extends Kind>(resource: Resource<K>): void;
  abstract remove(kind: Kind, id: string): void;

  /** Adds an event to the log, and returns its number. */
  abstract append(event: NewEvent): number;
  /** The number of the last event; 0 if there is none. */
  abstract lastEvent(): number;
  /** The events after a number, in order. */
  abstract eventsAfter(seq: number): readonly NewEvent[];

  /** When the next job is due, in milliseconds since 1970; undefined if there is none. */
  abstract nextDueMs(): number | undefined;
  /** The first job that is due at a time, if any. */
  abstract dueJob(nowMs: number): Job | undefined;
  abstract addJob(name: JobName, subject: string, dueMs: number): void;
  abstract removeJob(seq: number): void;
  /** Removes the jobs of that name about a resource. */
  abstract cancelJobs(name: JobName, subject: string): void;
  /** Removes the jobs that are due at a time. */
  abstract removeDueJobs(nowMs: number): void;

  /** The resource. Throws a Refusal 404 if there is none. */
  find<K extends Kind>(kind: K, id: string): Resource<K> {
    const found = this.get(kind, id);
    if (!found) throw notFound(nameOf(kind), id);
    return found;
  }
}
