import type { Kind, Resource } from "./resources.ts";
import type { SandboxAccount } from "./sandbox-account.ts";
import { type ChildrenOptions, type Job, type NewEvent, Store } from "./store.ts";

/** A resource with its mutable parts as JSON, so that each read gives a copy. */
interface Row extends Omit<Resource, "body" | "internal"> {
  readonly body: string;
  readonly internal: string;
}

interface DueJob extends Job {
  readonly dueMs: number;
}

/** Keeps a world in memory, in any JavaScript runtime. */
export class MemoryStore extends Store {
  readonly #accounts: SandboxAccount[] = [];
  #withoutProjection = new Set<string>();
  /** In order of creation. */
  #rows = new Map<string, Row>();
  /** The log. The number of an event is its place, from 1. */
  readonly #events: NewEvent[] = [];
  #jobs: readonly DueJob[] = [];
  #lastJob = 0;

  atomic<T>(change: () => T): T {
    const accounts = this.#accounts.length;
    const events = this.#events.length;
    const withoutProjection = new Set(this.#withoutProjection);
    const rows = new Map(this.#rows);
    const jobs = this.#jobs;
    const lastJob = this.#lastJob;
    try {
      return change();
    } catch (error) {
      this.#accounts.length = accounts;
      this.#events.length = events;
      this.#withoutProjection = withoutProjection;
      this.#rows = rows;
      this.#jobs = jobs;
      this.#lastJob = lastJob;
      throw error;
    }
  }

  accounts(): readonly SandboxAccount[] {
    return [...this.#accounts];
  }

  addAccount(account: SandboxAccount): void {
    this.#accounts.push(account);
  }

  hasProjection(accountId: string): boolean {
    const isKnown = this.#accounts.some((account) => account.accountId === accountId);
    return isKnown && !this.#withoutProjection.has(accountId);
  }

  setProjection(accountId: string, isOn: boolean): void {
    if (isOn) this.#withoutProjection.delete(accountId);
    else this.#withoutProjection.add(accountId);
  }

  get<K extends Kind>(kind: K, id: string): Resource<K> | undefined {
    const row = this.#rows.get(id);
    return row?.kind === kind ? resourceOf<K>(row) : undefined;
  }

  latest<K extends Kind>(kind: K, accountId?: string, limit = Number.POSITIVE_INFINITY) {
    return this.#rowsOf(kind, (row) => !accountId || row.accountId === accountId)
      .toReversed()
      .slice(0, limit)
      .map((row) => resourceOf<K>(row));
  }

  children<K extends Kind>(
    kind: K,
    parent: string,
    { from = "", to = "9999", onlyOpen = false, mentions = "" }: ChildrenOptions = {},
  ): Resource<K>[] {
    return this.#rowsOf(kind, (row) => {
      const isInRange = row.parent === parent && from <= row.day && row.day <= to;
      return isInRange && (row.open || !onlyOpen) && row.internal.includes(mentions);
    })
      .sort((one, other) => (one.day < other.day ? -1 : Number(one.day > other.day)))
      .map((row) => resourceOf<K>(row));
  }

  insert(resource: Resource): void {
    if (this.#rows.has(resource.id)) throw new Error(`there is a resource ${resource.id} already`);
    this.#rows.set(resource.id, rowOf(resource));
  }

  update({ id, open, listed, body, internal }: Resource): void {
    const before = this.#rows.get(id);
    if (before) this.#rows.set(id, { ...before, open, listed, ...textsOf({ body, internal }) });
  }

  remove(kind: Kind, id: string): void {
    if (this.#rows.get(id)?.kind === kind) this.#rows.delete(id);
  }

  append(event: NewEvent): number {
    return this.#events.push(event);
  }

  lastEvent(): number {
    return this.#events.length;
  }

  eventsAfter(seq: number): readonly NewEvent[] {
    return this.#events.slice(seq);
  }

  nextDueMs(): number | undefined {
    return this.#jobs[0]?.dueMs;
  }

  dueJob(nowMs: number): Job | undefined {
    return this.#jobs.find(({ dueMs }) => dueMs <= nowMs);
  }

  addJob(name: Job["name"], subject: string, dueMs: number): void {
    this.#lastJob += 1;
    const job = { seq: this.#lastJob, name, subject, dueMs };
    this.#jobs = [...this.#jobs, job].sort((one, other) => one.dueMs - other.dueMs);
  }

  removeJob(seq: number): void {
    this.#jobs = this.#jobs.filter((job) => job.seq !== seq);
  }

  cancelJobs(name: Job["name"], subject: string): void {
    this.#jobs = this.#jobs.filter((job) => job.name !== name || job.subject !== subject);
  }

  removeDueJobs(nowMs: number): void {
    this.#jobs = this.#jobs.filter(({ dueMs }) => dueMs > nowMs);
  }

  #rowsOf(kind: Kind, fits: (row: Row) => boolean): Row[] {
    return [...this.#rows.values()].filter((row) => row.kind === kind && fits(row));
  }
}

function textsOf({ body, internal }: Pick<Resource, "body" | "internal">) {
  return { body: JSON.stringify(body), internal: JSON.stringify(internal) };
}

function rowOf({ body, internal, ...rest }: Resource): Row {
  return { ...rest, ...textsOf({ body, internal }) };
}

function resourceOf<K extends Kind>({ body, internal, ...rest }: Row): Resource<K> {
  return { ...rest, body: JSON.parse(body), internal: JSON.parse(internal) } as Resource<K>;
}
