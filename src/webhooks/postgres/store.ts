import { LeaseLostError, UsageError } from "../../errors.ts";
import type {
  DeliveryFilter,
  Inbox,
  InboxStatus,
  Lease,
  ListedDelivery,
  NewDelivery,
  RunPart,
  Settlement,
} from "../inbox.ts";
import { LEASE_SIZE } from "../memory-inbox.ts";
import type { Database, Row } from "./database.ts";
import { describe } from "./errors.ts";
import { isCurrent, migrate } from "./migrate.ts";
import { type Receipt, Receipts } from "./receipts.ts";
import { COLUMNS, conditionOf, leasesOf, listedOf, settlementOf } from "./rows.ts";
import { disable, trackParts } from "./running-parts.ts";
import { Slots } from "./slots.ts";
import { Sweep } from "./sweep.ts";

/** An inbox in a schema. */
export class PostgresStore<Tx> implements Inbox<Tx> {
  readonly #database: Database<Tx>;
  /** The quoted name. */
  readonly #schema: string;
  readonly #keepMs: number;
  readonly maxTransactions: number;
  readonly #slots: Slots;
  readonly #receipts = new Receipts((deliveries) => this.#store(deliveries));
  #ready: Promise<void> | undefined;
  #isClosed = false;
  readonly #sweep: Sweep;

  constructor(database: Database<Tx>, schema: string, keepMs: number, maxTransactions: number) {
    this.#database = database;
    this.#schema = schema;
    this.#keepMs = keepMs;
    this.maxTransactions = maxTransactions;
    this.#slots = new Slots(maxTransactions);
    this.#sweep = new Sweep(database, schema);
  }

  async migrate() {
    this.#ready = undefined;
    await this.#prepare();
  }

  async add(delivery: NewDelivery): Promise<Receipt> {
    this.#assertOpen();
    try {
      return await this.#receipts.add(delivery);
    } catch (error) {
      throw describe(error);
    }
  }

  async take(limit: number, leaseMs: number): Promise<readonly Lease[]> {
    const rows = await this.#query(
      `SELECT lane, token::text, interruptions::text, ${COLUMNS}, missing::text
      FROM ${this.#schema}.take($1::text::integer, $2::text::integer, $3::text::bigint)`,
      [String(limit), String(LEASE_SIZE), String(leaseMs)],
    );
    this.#sweep.start();
    return leasesOf(rows);
  }

  async renew(leases: readonly Lease[], leaseMs: number): Promise<readonly Lease[]> {
    if (leases.length === 0) return [];
    const held = leases.map(({ lane, token }) => ({ lane, token }));
    const rows = await this.#query(
      `SELECT lane FROM ${this.#schema}.renew($1::text::json, $2::text::bigint)`,
      [JSON.stringify(held), String(leaseMs)],
    );
    const lost = new Set(rows.map(({ lane }) => lane));
    return leases.filter(({ lane }) => lost.has(lane));
  }

  async transaction(work: (runPart: RunPart<Tx>) => Promise<readonly Settlement[]>): Promise<void> {
    await this.#prepare();
    const statement = `SELECT ${this.#schema}.settle(
      $1::text::json, $2::text::json, $3::text::json, $4::text::bigint
    )::text AS result`;
    const { promise: abandoned, reject: abandon } = Promise.withResolvers<never>();
    const ended = this.#inTransaction(work, (database, run) =>
      database.transaction(async (connection, runPart) => {
        const { parts, runTracked } = trackParts(runPart);
        const settlements = await run(runTracked).catch(async (error: unknown) => {
          if (parts.size > 0) {
            abandon(error);
            await disable(connection, parts);
          }
          throw error;
        });
        const { leases, handled, failed } = settlementOf(settlements);
        // Also without settlements: it fails if a statement failed and the work ignored that.
        const values = [leases, handled, failed, this.#keepMs].map((one) => JSON.stringify(one));
        const [row] = await connection.query(statement, values);
        if (row?.["result"] !== "true") {
          const reason = "because it was not renewed in time";
          throw new LeaseLostError(`the lease of a lane was lost, ${reason}`);
        }
      }),
    );
    await Promise.race([ended, abandoned]);
  }

  async once(
    { key, lane }: Pick<NewDelivery, "key" | "lane">,
    work: (tx: Tx) => Promise<unknown>,
  ): Promise<"handled" | "duplicate" | "busy"> {
    await this.#prepare();
    const reserve = `SELECT ${this.#schema}.reserve($1::text, $2::text) AS result`;
    const remember = `SELECT ${this.#schema}.remember($1::text, $2::text::bigint)::text AS result`;
    try {
      return await this.#inTransaction(work, (database, run) =>
        database.transaction(async (connection, _, tx) => {
          const [state] = await connection.query(reserve, [key, lane]);
          if (state?.["result"] === "handled") return "duplicate";
          if (state?.["result"] !== "free") return "busy";
          await run(tx);
          const [row] = await connection.query(remember, [key, String(this.#keepMs)]);
          if (row?.["result"] !== "true") throw new Overtaken();
          return "handled";
        }),
      );
    } catch (error) {
      if (error instanceof Overtaken) return "busy";
      throw error;
    }
  }

  async status(): Promise<InboxStatus> {
    const schema = this.#schema;
    const [row] = await this.#query(
      `SELECT
        (SELECT count(*) FROM ${schema}.delivery WHERE NOT quarantined)::text AS waiting,
        (SELECT count(*) FROM ${schema}.delivery WHERE quarantined)::text AS quarantined,
        (count(*) FILTER (WHERE token IS NOT NULL AND due_at > moment))::text AS running,
        (count(*) FILTER (WHERE token IS NULL AND due_at > moment))::text AS delayed,
        (count(*) FILTER (WHERE token IS NOT NULL AND due_at <= moment))::text AS stalled,
        GREATEST(0, round(extract(epoch FROM clock_timestamp() - (
          SELECT received_at FROM ${schema}.delivery WHERE NOT quarantined ORDER BY id LIMIT 1
        )) * 1000))::text AS age,
        (
          SELECT round(extract(epoch FROM clock_timestamp() - due.due_at) * 1000)
          FROM ${schema}.lane AS due
          WHERE due.due_at <= clock_timestamp() AND EXISTS (
            SELECT FROM ${schema}.delivery WHERE lane = due.name AND NOT quarantined
          )
          ORDER BY due.due_at LIMIT 1
        )::text AS lag
      FROM ${schema}.lane CROSS JOIN clock_timestamp() AS moment`,
      [],
    );
    const count = (name: string) => Number(row?.[name]);
    return {
      waiting: count("waiting"),
      quarantined: count("quarantined"),
      running: count("running"),
      delayed: count("delayed"),
      stalled: count("stalled"),
      oldestAgeMs: count("waiting") === 0 ? null : count("age"),
      lagMs: row?.["lag"] ? count("lag") : null,
    };
  }

  async list(filter: DeliveryFilter = {}): Promise<readonly ListedDelivery[]> {
    const { condition, values } = conditionOf(filter);
    const rows = await this.#query(
      `SELECT lane, quarantined::text, reason, ${COLUMNS}
      FROM ${this.#schema}.delivery ${condition}`,
      values,
    );
    return rows.map(listedOf);
  }

  async count(filter: DeliveryFilter = {}): Promise<number> {
    const { condition, values } = conditionOf(filter);
    const [row] = await this.#query(
      `SELECT count(*)::text AS total
      FROM (SELECT FROM ${this.#schema}.delivery ${condition}) AS selected`,
      values,
    );
    return Number(row?.["total"]);
  }

  replay(filter: DeliveryFilter): Promise<number> {
    return this.#change("replay", filter);
  }

  drop(filter: DeliveryFilter): Promise<number> {
    return this.#change("discard", filter);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#receipts.idle();
    await this.#sweep.stop();
    this.#database.detach?.();
  }

  async #change(name: "replay" | "discard", filter: DeliveryFilter): Promise<number> {
    const { condition, values } = conditionOf(filter);
    const ids = `ARRAY(SELECT id FROM ${this.#schema}.delivery ${condition})`;
    const statement = `SELECT ${this.#schema}.${name}(${ids})::text AS total`;
    const [row] = await this.#query(statement, values);
    return Number(row?.["total"]);
  }

  async #store(deliveries: readonly NewDelivery[]): Promise<readonly (Receipt | "again")[]> {
    const input = deliveries.map((one) => ({
      key: one.key,
      lane: one.lane === null ? `#${crypto.randomUUID()}` : `=${one.lane}`,
      event: one.event,
      headers: one.headers,
      delivery_id: one.deliveryId,
      received_at: one.receivedAt,
    }));
    const bodies = deliveries.map(({ body }) => body);
    const rows = await this.#query(
      `SELECT "position"::text AS position, result
      FROM ${this.#schema}.receive($1::text::json, $2::text::json)`,
      [JSON.stringify(input), JSON.stringify(bodies)],
    );
    const receipts: (Receipt | "again")[] = deliveries.map(() => "added");
    for (const { position, result } of rows) {
      receipts[Number(position) - 1] = result as Receipt | "again";
    }
    return receipts;
  }

  async #query(text: string, values: readonly (string | null)[]): Promise<readonly Row[]> {
    await this.#prepare();
    try {
      return await this.#database.query(text, values);
    } catch (error) {
      throw describe(error);
    }
  }

  /** Runs a transaction that calls the work once. The errors of the work are not changed. */
  async #inTransaction<Input, Output, Result>(
    work: (input: Input) => Promise<Output>,
    transact: (database: Database<Tx>, run: (input: Input) => Promise<Output>) => Promise<Result>,
  ): Promise<Result> {
    return this.#slots.run(async () => {
      let failure: { readonly error: unknown } | undefined;
      const run = async (input: Input) => {
        try {
          return await work(input);
        } catch (error) {
          failure = { error };
          throw error;
        }
      };
      try {
        return await transact(this.#database, run);
      } catch (error) {
        throw failure ? failure.error : describe(error);
      }
    });
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new UsageError("the inbox is closed");
  }

  /** Makes sure that the tables exist. A failure is repeated by the next call. */
  #prepare(): Promise<void> {
    this.#assertOpen();
    const prepare = async () => {
      try {
        if (await isCurrent(this.#database, this.#schema)) return;
        await migrate(this.#database, this.#schema);
      } catch (error) {
        this.#ready = undefined;
        throw describe(error);
      }
    };
    this.#ready ??= prepare();
    return this.#ready;
  }
}

/** Another process stored or handled the delivery meanwhile. */
class Overtaken extends Error {}
