import type { SQLInputValue } from "node:sqlite";
import type { Kind } from "../../world/resources.ts";
import type { ListedBody, SqliteStore } from "../store/store.ts";

/** The SQL condition for the resources of an account that a collection lists. */
interface Condition {
  readonly where: string;
  readonly values: readonly SQLInputValue[];
}

/** The events that remove a resource from its list, and where their bodies have its id. */
const RETIREMENTS: Partial<Record<Kind, readonly [event: string, id: string]>> = {
  "bank-transactions": ["banktransaction.deleted", "$.id"],
  "transaction-matches": ["transaction.match.deleted", "$.matchId"],
};

/** A collection of an account, in order of creation. */
export class Listing {
  readonly #store: SqliteStore;
  readonly #condition: Condition;

  /** @param asOfMs the moment to list, if lists lag behind; undefined for now */
  constructor(store: SqliteStore, kind: Kind, accountId: string, asOfMs: number | undefined) {
    this.#store = store;
    this.#condition =
      asOfMs === undefined
        ? { where: "kind = ? AND account_id = ? AND listed = 1", values: [kind, accountId] }
        : conditionAsOf(kind, accountId, asOfMs);
  }

  /** At most `limit` resources after a position. */
  after(seq: number, count: number): ListedBody[] {
    return this.#rows("AND seq > ? ORDER BY seq LIMIT ?", [seq, count]);
  }

  /** At most `limit` resources from an offset on. */
  from(offset: number, count: number): ListedBody[] {
    return this.#rows("ORDER BY seq LIMIT ? OFFSET ?", [count, offset]);
  }

  /** The number of resources. */
  total(): number {
    const { where, values } = this.#condition;
    const sql = `SELECT count(*) AS count FROM resources WHERE ${where}`;
    return this.#store.sql(sql).get(...values)?.["count"] as number;
  }

  #rows(rest: string, more: readonly number[]): ListedBody[] {
    const { where, values } = this.#condition;
    const sql = `SELECT seq, body FROM resources WHERE ${where} ${rest}`;
    return this.#store.sql(sql).all(...values, ...more) as unknown as ListedBody[];
  }
}

/** The list at an earlier moment: without later resources, and with those retired later. */
function conditionAsOf(kind: Kind, accountId: string, asOfMs: number): Condition {
  const [event = "", id = "$"] = RETIREMENTS[kind] ?? [];
  return {
    where: `kind = ? AND account_id = ? AND created_ms <= ? AND (listed = 1 OR id IN
      (SELECT json_extract(body, ?) FROM events WHERE name = ? AND at_ms > ?))`,
    values: [kind, accountId, asOfMs, id, event, asOfMs],
  };
}
