import type { SQLInputValue } from "node:sqlite";
import type { Kind } from "../store/resources.ts";
import type { ListedBody, Store } from "../store/store.ts";

/** Which resources a collection shows of an account, as SQL has it. */
interface Condition {
  readonly where: string;
  readonly values: readonly SQLInputValue[];
}

/** What tells that a resource is listed no more, and where its body has the resource's id. */
const RETIREMENTS: Partial<Record<Kind, readonly [event: string, id: string]>> = {
  "bank-transactions": ["banktransaction.deleted", "$.id"],
  "transaction-matches": ["transaction.match.deleted", "$.matchId"],
};

/** A collection of an account, in the order in which its resources came. */
export class Listing {
  readonly #store: Store;
  readonly #condition: Condition;

  /** @param asOfMs where lists lag behind: the moment that they are at; undefined for now */
  constructor(store: Store, kind: Kind, accountId: string, asOfMs: number | undefined) {
    this.#store = store;
    this.#condition =
      asOfMs === undefined
        ? { where: "kind = ? AND account_id = ? AND listed = 1", values: [kind, accountId] }
        : conditionAsOf(kind, accountId, asOfMs);
  }

  /** Those behind a place, at most so many. */
  after(seq: number, count: number): ListedBody[] {
    return this.#rows("AND seq > ? ORDER BY seq LIMIT ?", [seq, count]);
  }

  /** Those from a position on, at most so many. */
  from(offset: number, count: number): ListedBody[] {
    return this.#rows("ORDER BY seq LIMIT ? OFFSET ?", [count, offset]);
  }

  /** How many there are. */
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

/** What came since is not there yet, and what was retired since is there still. */
function conditionAsOf(kind: Kind, accountId: string, asOfMs: number): Condition {
  const [event = "", id = "$"] = RETIREMENTS[kind] ?? [];
  return {
    where: `kind = ? AND account_id = ? AND created_ms <= ? AND (listed = 1 OR id IN
      (SELECT json_extract(body, ?) FROM events WHERE name = ? AND at_ms > ?))`,
    values: [kind, accountId, asOfMs, id, event, asOfMs],
  };
}
