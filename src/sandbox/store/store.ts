import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Kind, Resource } from "../../world/resources.ts";
import type { SandboxAccount } from "../../world/sandbox-account.ts";
import { type ChildrenOptions, type Job, type NewEvent, Store } from "../../world/store.ts";

const COLUMNS = `kind, id, account_id AS accountId, subaccount_id AS subaccountId, parent, day,
  created_ms AS createdMs, open, listed, body, hidden`;

/** A resource as it is stored. */
interface Row extends Omit<Resource, "open" | "listed" | "body" | "internal"> {
  readonly open: number;
  readonly listed: number;
  readonly body: string;
  readonly hidden: string;
}

/** The parts of a resource that a GET needs. */
interface ServedResource {
  readonly accountId: string;
  readonly subaccountId: string;
  readonly listed: boolean;
  /** The JSON text to serve. */
  readonly body: string;
}

/** The most served bodies in the cache; a few megabytes. */
const MAX_REMEMBERED = 1000;

/** An item of a page: its position in the list, and the JSON text to serve. */
export interface ListedBody {
  readonly seq: number;
  readonly body: string;
}

/** Keeps a world in SQLite. Prepares each statement once. */
export class SqliteStore extends Store {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** A cache by kind and id: polling clients request the same text repeatedly. */
  readonly #served = new Map<string, ServedResource>();

  constructor(database: DatabaseSync) {
    super();
    this.database = database;
  }

  /** Prepares a statement, or returns the prepared one. */
  sql(text: string): StatementSync {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  }

  atomic<T>(change: () => T): T {
    // An error of the disk may end the transaction.
    const end = (sql: string) => this.database.isTransaction && this.sql(sql).run();
    this.sql("SAVEPOINT change").run();
    try {
      return change();
    } catch (error) {
      end("ROLLBACK TO change");
      this.forget();
      throw error;
    } finally {
      end("RELEASE change");
    }
  }

  /** The rows that a query finds, as objects of its columns. */
  rows<Found>(text: string, ...values: SQLInputValue[]): Found[] {
    return this.sql(text)
      .all(...values)
      .map((row) => ({ ...row }) as Found);
  }

  /** The first row that a query finds, if any. */
  row<Found>(text: string, ...values: SQLInputValue[]): Found | undefined {
    return this.sql(text).get(...values) as Found | undefined;
  }

  get<K extends Kind>(kind: K, id: string): Resource<K> | undefined {
    const found = `SELECT ${COLUMNS} FROM resources WHERE id = ? AND kind = ?`;
    const row = this.row<Row>(found, id, kind);
    return row && resourceOf<K>(row);
  }

  /** A resource with its unparsed body; undefined if there is none. */
  served(kind: Kind, id: string): ServedResource | undefined {
    const path = `${kind}/${id}`;
    const known = this.#served.get(path);
    if (known) return known;
    const row = this.row<Omit<ServedResource, "listed"> & Pick<Row, "listed">>(
      `SELECT account_id AS accountId, subaccount_id AS subaccountId, listed, body FROM resources
       WHERE id = ? AND kind = ?`,
      ...[id, kind],
    );
    if (!row) return undefined;
    const served = { ...row, listed: row.listed === 1 };
    if (this.#served.size === MAX_REMEMBERED) this.#served.clear();
    this.#served.set(path, served);
    return served;
  }

  /** Clears the cache, after a rollback or a replaced state. */
  forget(): void {
    this.#served.clear();
  }

  children<K extends Kind>(
    kind: K,
    parent: string,
    { from = "", to = "9999", onlyOpen = false, mentions = "" }: ChildrenOptions = {},
  ): Resource<K>[] {
    const isOpen = onlyOpen ? "open = 1" : "open IN (0, 1)";
    return this.rows<Row>(
      `SELECT ${COLUMNS} FROM resources
       WHERE kind = ? AND parent = ? AND ${isOpen} AND day BETWEEN ? AND ?
       AND instr(hidden, ?) ORDER BY day, seq`,
      ...[kind, parent, from, to, mentions],
    ).map((row) => resourceOf<K>(row));
  }

  latest<K extends Kind>(kind: K, accountId?: string, limit = -1): Resource<K>[] {
    const isOwn = accountId ? "AND account_id = ?" : "";
    return this.rows<Row>(
      `SELECT ${COLUMNS} FROM resources WHERE kind = ? ${isOwn} ORDER BY seq DESC LIMIT ?`,
      ...[kind, ...(accountId ? [accountId] : []), limit],
    ).map((row) => resourceOf<K>(row));
  }

  insert<K extends Kind>(resource: Resource<K>): void {
    const { kind, id, accountId, subaccountId, parent, day, createdMs, open, listed } = resource;
    this.sql(
      `INSERT INTO resources (kind, id, account_id, subaccount_id, parent, day, created_ms, open,
       listed, body, hidden) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      ...[kind, id, accountId, subaccountId, parent, day, createdMs, Number(open), Number(listed)],
      ...[JSON.stringify(resource.body), JSON.stringify(resource.internal)],
    );
  }

  update<K extends Kind>({ kind, id, open, listed, body, internal }: Resource<K>): void {
    this.#served.delete(`${kind}/${id}`);
    this.sql("UPDATE resources SET open = ?, listed = ?, body = ?, hidden = ? WHERE id = ?").run(
      ...[Number(open), Number(listed), JSON.stringify(body), JSON.stringify(internal), id],
    );
  }

  remove(kind: Kind, id: string): void {
    this.#served.delete(`${kind}/${id}`);
    this.sql("DELETE FROM resources WHERE id = ? AND kind = ?").run(id, kind);
  }

  accounts(): SandboxAccount[] {
    return this.rows(
      `SELECT id AS accountId, client_id AS clientId, client_secret AS clientSecret,
       sdk_client_id AS sdkClientId, sdk_client_secret AS sdkClientSecret
       FROM accounts ORDER BY seq`,
    );
  }

  addAccount({
    accountId,
    clientId,
    clientSecret,
    sdkClientId,
    sdkClientSecret,
  }: SandboxAccount): void {
    this.sql(
      `INSERT INTO accounts (id, seq, client_id, client_secret, sdk_client_id, sdk_client_secret)
       VALUES (?, (SELECT count(*) + 1 FROM accounts), ?, ?, ?, ?)`,
    ).run(accountId, clientId, clientSecret, sdkClientId, sdkClientSecret);
  }

  hasProjection(accountId: string): boolean {
    const account = "SELECT projection FROM accounts WHERE id = ?";
    return this.row<{ projection: number }>(account, accountId)?.projection === 1;
  }

  setProjection(accountId: string, isOn: boolean): void {
    this.sql("UPDATE accounts SET projection = ? WHERE id = ?").run(Number(isOn), accountId);
  }

  append({ atMs, accountId, name, resource, body }: NewEvent): number {
    const { lastInsertRowid } = this.sql(
      "INSERT INTO events (at_ms, account_id, name, resource, body) VALUES (?, ?, ?, ?, ?)",
    ).run(atMs, accountId, name, resource, body);
    return Number(lastInsertRowid);
  }

  lastEvent(): number {
    return this.row<{ seq: number | null }>("SELECT max(seq) AS seq FROM events")?.seq ?? 0;
  }

  eventsAfter(seq: number): NewEvent[] {
    return this.rows(
      `SELECT at_ms AS atMs, account_id AS accountId, name, resource, body FROM events
       WHERE seq > ? ORDER BY seq`,
      seq,
    );
  }

  nextDueMs(): number | undefined {
    const first = this.row<{ dueMs: number | null }>("SELECT min(due_ms) AS dueMs FROM jobs");
    return first?.dueMs ?? undefined;
  }

  dueJob(nowMs: number): Job | undefined {
    const due =
      "SELECT seq, name, subject FROM jobs WHERE due_ms <= ? ORDER BY due_ms, seq LIMIT 1";
    return this.row(due, nowMs);
  }

  addJob(name: Job["name"], subject: string, dueMs: number): void {
    this.sql("INSERT INTO jobs (due_ms, name, subject) VALUES (?, ?, ?)").run(dueMs, name, subject);
  }

  removeJob(seq: number): void {
    this.sql("DELETE FROM jobs WHERE seq = ?").run(seq);
  }

  cancelJobs(name: Job["name"], subject: string): void {
    this.sql("DELETE FROM jobs WHERE name = ? AND subject = ?").run(name, subject);
  }

  removeDueJobs(nowMs: number): void {
    this.sql("DELETE FROM jobs WHERE due_ms <= ?").run(nowMs);
  }

  /** A value of the sandbox itself; undefined if it was never set. */
  meta(name: string): string | undefined {
    return this.row<{ value: string }>("SELECT value FROM meta WHERE name = ?", name)?.value;
  }

  /** Sets a value of the sandbox itself. */
  setMeta(name: string, value: string): void {
    this.sql(
      "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    ).run(name, value);
  }
}

function resourceOf<K extends Kind>({ open, listed, body, hidden, ...row }: Row): Resource<K> {
  return {
    ...{ ...row, open: open === 1, listed: listed === 1 },
    ...{ body: JSON.parse(body), internal: JSON.parse(hidden) },
  } as Resource<K>;
}
