import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { Kind, Resource } from "../../world/resources.ts";
import type { SandboxAccount } from "../../world/sandbox-account.ts";
import { type ChildrenOptions, type Job, type NewEvent, Store } from "../../world/store.ts";

const COLUMNS = `seq, kind, id, account_id, subaccount_id, parent, day, created_ms, open, listed,
  body, hidden`;

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

  get<K extends Kind>(kind: K, id: string): Resource<K> | undefined {
    const row = this.sql(`SELECT ${COLUMNS} FROM resources WHERE id = ? AND kind = ?`);
    return resourceOf<K>(row.get(id, kind));
  }

  /** A resource with its unparsed body; undefined if there is none. */
  served(kind: Kind, id: string): ServedResource | undefined {
    const path = `${kind}/${id}`;
    const known = this.#served.get(path);
    if (known) return known;
    const row = this.sql(
      "SELECT account_id, subaccount_id, listed, body FROM resources WHERE id = ? AND kind = ?",
    ).get(id, kind);
    if (!row) return undefined;
    const served = {
      accountId: row["account_id"] as string,
      subaccountId: row["subaccount_id"] as string,
      listed: row["listed"] === 1,
      body: row["body"] as string,
    };
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
    const rows = this.sql(
      `SELECT ${COLUMNS} FROM resources
       WHERE kind = ? AND parent = ? AND ${isOpen} AND day BETWEEN ? AND ?
       AND instr(hidden, ?) ORDER BY day, seq`,
    );
    return rows
      .all(kind, parent, from, to, mentions)
      .map((row) => resourceOf<K>(row) as Resource<K>);
  }

  latest<K extends Kind>(kind: K, accountId?: string, limit = -1): Resource<K>[] {
    const rows = accountId
      ? this.sql(
          `SELECT ${COLUMNS} FROM resources WHERE kind = ? AND account_id = ?
           ORDER BY seq DESC LIMIT ?`,
        ).all(kind, accountId, limit)
      : this.sql(`SELECT ${COLUMNS} FROM resources WHERE kind = ? ORDER BY seq DESC LIMIT ?`).all(
          kind,
          limit,
        );
    return rows.map((row) => resourceOf<K>(row) as Resource<K>);
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
      Number(open),
      Number(listed),
      JSON.stringify(body),
      JSON.stringify(internal),
      id,
    );
  }

  remove(kind: Kind, id: string): void {
    this.#served.delete(`${kind}/${id}`);
    this.sql("DELETE FROM resources WHERE id = ? AND kind = ?").run(id, kind);
  }

  accounts(): SandboxAccount[] {
    return this.sql("SELECT * FROM accounts ORDER BY seq")
      .all()
      .map((row) => ({
        accountId: row["id"] as string,
        clientId: row["client_id"] as string,
        clientSecret: row["client_secret"] as string,
        sdkClientId: row["sdk_client_id"] as string,
        sdkClientSecret: row["sdk_client_secret"] as string,
      }));
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
    const row = this.sql("SELECT projection FROM accounts WHERE id = ?").get(accountId);
    return row?.["projection"] === 1;
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
    const row = this.sql("SELECT coalesce(max(seq), 0) AS seq FROM events").get();
    return row?.["seq"] as number;
  }

  eventsAfter(seq: number): NewEvent[] {
    const rows = this.sql(
      `SELECT at_ms AS atMs, account_id AS accountId, name, resource, body FROM events
       WHERE seq > ? ORDER BY seq`,
    );
    return rows.all(seq) as unknown as NewEvent[];
  }

  nextDueMs(): number | undefined {
    const row = this.sql("SELECT min(due_ms) AS due FROM jobs").get();
    return (row?.["due"] as number | null) ?? undefined;
  }

  dueJob(nowMs: number): Job | undefined {
    return this.sql(
      "SELECT seq, name, subject FROM jobs WHERE due_ms <= ? ORDER BY due_ms, seq LIMIT 1",
    ).get(nowMs) as Job | undefined;
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
    const row = this.sql("SELECT value FROM meta WHERE name = ?").get(name);
    return row?.["value"] as string | undefined;
  }

  /** Sets a value of the sandbox itself. */
  setMeta(name: string, value: string): void {
    this.sql(
      "INSERT INTO meta VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    ).run(name, value);
  }
}

function resourceOf<K extends Kind>(
  row: Record<string, SQLInputValue> | undefined,
): Resource<K> | undefined {
  if (!row) return undefined;
  return {
    kind: row["kind"] as K,
    id: row["id"] as string,
    accountId: row["account_id"] as string,
    subaccountId: row["subaccount_id"] as string,
    parent: row["parent"] as string,
    day: row["day"] as string,
    createdMs: row["created_ms"] as number,
    open: row["open"] === 1,
    listed: row["listed"] === 1,
    body: JSON.parse(row["body"] as string),
    internal: JSON.parse(row["hidden"] as string),
  };
}
