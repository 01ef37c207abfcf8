import { hasCode, UsageError } from "../errors.ts";
import { inTime, untilAborted } from "./attempt.ts";
import { type Delivery, storable } from "./delivery.ts";
import {
  type DeliveryFilter,
  type Inbox,
  type InboxStatus,
  LEASE_SIZE,
  type Lease,
  type RunPart,
  type Settlement,
} from "./inbox.ts";
import { type Receipt, Receipts } from "./receipts.ts";
import type { Row, Settle, Store } from "./store.ts";

/** The columns of a delivery. Single words and texts, because drivers convert others. */
export const COLUMNS = `CAST(id AS text) AS id, key, lane, event, CAST(headers AS text) AS headers,
  delivery_id AS sender, received_at AS received, CAST(quarantined AS text) AS quarantined,
  CAST(failures AS text) AS failures, reason, body`;

function deliveryOf(row: Row): Delivery {
  const lane = String(row["lane"]);
  const isQuarantined = row["quarantined"] === "true" || row["quarantined"] === "1";
  return {
    id: Number(row["id"]),
    key: row["key"] as string | null,
    lane: lane.startsWith("=") ? lane.slice(1) : null,
    event: row["event"] as string,
    body: row["body"] as string,
    headers: JSON.parse(row["headers"] as string),
    deliveryId: row["sender"] as string | null,
    receivedAt: row["received"] as string,
    state: isQuarantined ? "quarantined" : "waiting",
    failures: Number(row["failures"]),
    reason: row["reason"] as string | null,
    missing: Number(row["missing"] ?? 0),
  };
}

/** A lease, and the key of the delivery that `once` handles with it. */
interface Ended extends Settlement {
  readonly key?: string | null;
}

/** How a settlement changes a lane's interruptions, of which the lease counted one. */
function countOf(isProgress: boolean, retry: Settlement["retry"]): "one" | "none" | "reset" {
  if (isProgress || (retry && retry.isInterruption === undefined)) return "reset";
  return retry?.isInterruption ? "one" : "none";
}

/** Converts settlements to the parameters of `settle`. */
function settleOf(settlements: readonly Ended[], keepMs: number): Settle {
  const leases = settlements.map(({ lease, key = null, handled, quarantined, retry }) => {
    const { lane, token, dueAt } = lease;
    const isProgress = handled.length + quarantined.length > 0;
    return {
      ...{ lane, token, key },
      changed: isProgress || retry !== undefined,
      counted: countOf(isProgress, retry),
      due_at: dueAt,
      retry: retry?.id ?? null,
      delay_ms: Math.round(retry?.delayMs ?? 0),
    };
  });
  const failed = settlements.flatMap(({ quarantined, retry }) => {
    const ended = quarantined.map((one) => ({ ...one, quarantined: true, failures: 1 }));
    if (!retry) return ended;
    const { id, reason, isFailure } = retry;
    return [...ended, { id, reason, quarantined: false, failures: isFailure ? 1 : 0 }];
  });
  return [leases, settlements.flatMap(({ handled }) => handled), failed, keepMs];
}

/** The longest wait of `once` for the end of its leases after a failure. */
const END_MS = 1000;

/** How many deliveries an operator changes in a transaction. */
const MAX_CHANGED = 1000;

/** An inbox in a database: the conversion of parameters and rows. */
export class SqlInbox<Tx> implements Inbox<Tx> {
  readonly #store: Store<Tx>;
  readonly #keepMs: number;
  readonly maxTransactions: number | undefined;
  readonly #receipts: Receipts;
  #isClosed = false;

  constructor(store: Store<Tx>, keepMs: number) {
    this.#store = store;
    this.#keepMs = keepMs;
    this.#receipts = new Receipts(store);
    this.maxTransactions = store.maxTransactions;
  }

  async add(delivery: Delivery, isGone = () => false): Promise<Receipt> {
    if (this.#isClosed) throw new UsageError("the inbox is closed");
    return this.#receipts.add(delivery, isGone);
  }

  async take(limit: number, leaseMs: number): Promise<readonly Lease[]> {
    const rows = await this.#store.call("take", limit, LEASE_SIZE, leaseMs);
    const leases: (Lease & { readonly deliveries: Delivery[] })[] = [];
    for (const row of rows) {
      const lane = row["lane"] as string;
      let lease = leases.at(-1);
      if (lease?.lane !== lane) {
        const interruptions = Number(row["interruptions"]);
        const [token, dueAt] = [row["token"] as string, Number(row["due"])];
        lease = { lane, token, interruptions, dueAt, deliveries: [] };
        leases.push(lease);
      }
      lease.deliveries.push(deliveryOf(row));
    }
    return leases;
  }

  async renew(leases: readonly Lease[], leaseMs: number): Promise<readonly Lease[]> {
    const held = leases.map(({ lane, token }) => ({ lane, token }));
    const rows = await this.#store.call("renew", held, leaseMs);
    const lost = new Set(rows.map(({ lane }) => lane));
    return leases.filter(({ lane }) => lost.has(lane));
  }

  async transaction(
    leaseMs: number,
    work: (runPart: RunPart<Tx>) => Promise<readonly Settlement[]>,
  ): Promise<void> {
    await this.#store.transaction(leaseMs, async (runPart) =>
      settleOf(await work(runPart), this.#keepMs),
    );
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    await this.#store.call("settle", ...settleOf(settlements, this.#keepMs));
  }

  async once(
    { key, lane }: Pick<Delivery, "key" | "lane">,
    leaseMs: number,
    work: (tx: Tx) => Promise<unknown>,
    signal?: AbortSignal,
  ): Promise<"handled" | "duplicate" | "busy"> {
    const claims = await this.#store.call("claim", key, lane, leaseMs);
    const refusal = claims[0]?.["result"];
    if (refusal === "handled") return "duplicate";
    if (refusal === "busy") return "busy";
    const leases = claims.map((row) => ({
      lane: row["lane"] as string,
      token: row["token"] as string,
      interruptions: 0,
      dueAt: 0,
      deliveries: [],
    }));
    // No delivery has the id 0. With one that was handled, a lane with deliveries is due now.
    const endAll = (isHandled: boolean) =>
      leases.map((lease, at) => ({
        ...{ lease, handled: [0], quarantined: [] },
        key: isHandled && at === 0 ? key : null,
      }));
    // If a renewal fails, the next one may still be in time.
    const renewal = setInterval(
      () => void this.renew(leases, leaseMs).catch(() => {}),
      leaseMs / 3,
    );
    try {
      const run = async (runPart: RunPart<Tx>) => {
        await (signal ? untilAborted(runPart(work), signal) : runPart(work));
        return settleOf(endAll(true), this.#keepMs);
      };
      await this.#store.transaction(leaseMs, run, true);
      return "handled";
    } catch (error) {
      // If it fails, the leases expire.
      const ended = this.settle(endAll(false)).catch((reason: unknown) => reason);
      // If the database is gone, the response must not wait for it again.
      const failure = await inTime(END_MS, ended, () => undefined).catch(() => undefined);
      // The worker that takes a lease over may end the connection.
      throw hasCode(error, "unreachable") && hasCode(failure, "lease-lost") ? failure : error;
    } finally {
      clearInterval(renewal);
    }
  }

  async check(): Promise<void> {
    await this.#store.call("probe");
  }

  async status(): Promise<InboxStatus> {
    const { prefix, now: nowOf } = this.#store;
    const now = nowOf();
    const waits = `EXISTS (SELECT 1 FROM ${prefix}delivery WHERE lane = name AND NOT quarantined)`;
    const lanes = (condition: string) =>
      `(SELECT CAST(count(*) AS text) FROM ${prefix}lane WHERE ${condition} AND ${waits})`;
    const deliveries = (condition: string) =>
      `(SELECT CAST(count(*) AS text) FROM ${prefix}delivery WHERE ${condition})`;
    const [row = {}] = await this.#store.select(`SELECT
      ${deliveries("NOT quarantined")} AS waiting,
      ${deliveries("quarantined")} AS quarantined,
      ${lanes(`due_at > ${now} AND token IS NOT NULL`)} AS running,
      ${lanes(`due_at > ${now} AND token IS NULL`)} AS delayed,
      ${lanes(`due_at <= ${now} AND token IS NOT NULL`)} AS stalled,
      (SELECT received_at FROM ${prefix}delivery WHERE NOT quarantined ORDER BY id LIMIT 1)
        AS oldest,
      (SELECT CAST(${now} - due_at AS text) FROM ${prefix}lane WHERE due_at <= ${now} AND ${waits}
        ORDER BY due_at LIMIT 1) AS lag`);
    const { oldest, lag } = row;
    return {
      waiting: Number(row["waiting"]),
      quarantined: Number(row["quarantined"]),
      running: Number(row["running"]),
      delayed: Number(row["delayed"]),
      stalled: Number(row["stalled"]),
      oldestAgeMs: oldest ? Math.max(0, Date.now() - Date.parse(String(oldest))) : null,
      lagMs: lag === null || lag === undefined ? null : Number(lag),
    };
  }

  async list(filter: DeliveryFilter = {}): Promise<readonly Delivery[]> {
    const rows = await this.#select(COLUMNS, filter);
    return rows.map(deliveryOf);
  }

  async count(filter: DeliveryFilter = {}): Promise<number> {
    const counted = (rows: string) => `SELECT CAST(count(*) AS text) AS total FROM (${rows}) AS t`;
    const [row] = await this.#select("1 AS one", filter, counted);
    return Number(row?.["total"]);
  }

  replay(filter: DeliveryFilter): Promise<number> {
    return this.#change("replay", filter);
  }

  drop(filter: DeliveryFilter): Promise<number> {
    return this.#change("discard", filter);
  }

  close(): void | Promise<void> {
    this.#isClosed = true;
    const closing = this.#receipts.idle()?.then(() => this.#store.close());
    return closing ?? this.#store.close();
  }

  async #change(procedure: "replay" | "discard", filter: DeliveryFilter): Promise<number> {
    const rows = await this.#select("CAST(id AS text) AS id", filter);
    const ids = rows.map(({ id }) => Number(id));
    const { state } = filter;
    // A delivery may change its state meanwhile.
    const more = procedure === "replay" ? [] : [state === undefined ? null : state !== "waiting"];
    let total = 0;
    // Few at a time, because their lanes are locked.
    for (let at = 0; at < ids.length; at += MAX_CHANGED) {
      const [row] = await this.#store.call(procedure, ids.slice(at, at + MAX_CHANGED), ...more);
      total += Number(row?.["total"]);
    }
    return total;
  }

  async #select(columns: string, filter: DeliveryFilter, statementOf = (rows: string) => rows) {
    const { prefix, quote } = this.#store;
    const condition = conditionOf(filter, (text) => quote(storable(text)));
    const rows = `SELECT ${columns} FROM ${prefix}delivery AS delivery ${condition}`;
    return this.#store.select(statementOf(rows), true);
  }
}

/** The conditions of a filter in SQL. */
function conditionOf(filter: DeliveryFilter, quote: (text: string) => string): string {
  const { state, ids, event, lane, since, before, after, limit } = filter;
  const conditions = ["TRUE"];
  if (state !== undefined) conditions.push(state === "waiting" ? "NOT quarantined" : "quarantined");
  // Number() also stops a text of JavaScript callers.
  if (ids) conditions.push(ids.length === 0 ? "FALSE" : `id IN (${ids.map(Number).join()})`);
  if (event !== undefined) conditions.push(`event = ${quote(event)}`);
  if (lane !== undefined) conditions.push(`lane = ${quote(`=${lane}`)}`);
  if (since !== undefined) conditions.push(`received_at >= ${quote(isoTime("since", since))}`);
  if (before !== undefined) conditions.push(`received_at < ${quote(isoTime("before", before))}`);
  if (after !== undefined) conditions.push(`id > ${Number(after)}`);
  const end = limit === undefined ? "" : ` LIMIT ${Number(limit)}`;
  // Qualified, because `id` is a text in the result.
  return `WHERE ${conditions.join(" AND ")} ORDER BY delivery.id${end}`;
}

/** Converts a time to the format of `receivedAt`, which sorts as text. */
function isoTime(name: string, text: string): string {
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new UsageError(`${name} must be a time such as 2025-03-04T12:30:16Z; got ${text}`);
}
