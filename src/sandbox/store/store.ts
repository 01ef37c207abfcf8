import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { notFound } from "../refusal.ts";
import type { Kind, Resource } from "./resources.ts";

const COLUMNS = `seq, kind, id, account_id, subaccount_id, parent, day, created_ms, open, listed,
  body, hidden`;

/** A filter of children: a range of days, both included, and whether they are open. */
interface ChildrenOptions {
  readonly from?: string;
  readonly to?: string;
  readonly onlyOpen?: boolean;
  /** A text in the JSON of the internal state. Children without it need not be parsed. */
  readonly mentions?: string | undefined;
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

/** Stores resources, typed by their kind. Prepares each statement once. */
export class Store {
  readonly database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** A cache by kind and id: polling clients request the same text repeatedly. */
  readonly #served = new Map<string, ServedResource>();

  constructor(database: DatabaseSync) {
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

  /** The resource, or undefined. */
  get<K extends Kind>(kind: K, id: string): Resource<K> | undefined {
    const row = this.sql(`SELECT ${COLUMNS} FROM resources WHERE id = ? AND kind = ?`);
    return resourceOf<K>(row.get(id, kind));
  }

  /** The resource. Throws a Refusal 404 if there is none. */
  find<K extends Kind>(kind: K, id: string): Resource<K> {
    const found = this.get(kind, id);
    if (!found) throw notFound(nameOf(kind), id);
    return found;
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

  /** The resources of a parent, by day and then in order of creation. */
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

  /** The resources of an account, or of all accounts, the latest first. */
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

  /** Inserts a resource after all others. */
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

  /** Updates the mutable fields of a resource: body, internal state, `open` and `listed`. */
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

  /** Deletes a resource. */
  remove(kind: Kind, id: string): void {
    this.#served.delete(`${kind}/${id}`);
    this.sql("DELETE FROM resources WHERE id = ? AND kind = ?").run(id, kind);
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

const NAMES: Record<Kind, string> = {
  subaccounts: "subaccount",
  cards: "card",
  "card-subscriptions": "card subscription",
  "network-bulk-feeds": "bulk feed",
  "bank-links": "bank link",
  "bank-accounts": "bank account",
  "bank-transactions": "bank transaction",
  transactions: "transaction",
  "transaction-messages": "transaction message",
  "transaction-matches": "match",
};

/** Every kind of resource. */
export const kinds = Object.keys(NAMES) as readonly Kind[];

/** Whether the sandbox keeps resources of this kind. */
export function isKind(name: string): name is Kind {
  return Object.hasOwn(NAMES, name);
}

/** The name of a kind in messages. */
export function nameOf(kind: Kind): string {
  return NAMES[kind];
}
