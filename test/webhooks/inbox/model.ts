import { expect } from "vitest";
import type { Delivery } from "../../../src/webhooks/delivery.ts";
import type {
  DeliveryFilter,
  InboxStatus,
  Lease,
  Settlement,
} from "../../../src/webhooks/inbox.ts";
import { MINUTE } from "./store.ts";

type Row = { -readonly [Name in keyof Delivery]: Delivery[Name] };

interface ModelLane {
  dueAt: number;
  token: string | null;
  interruptions: number;
  /** When a leased lane was due as it was taken; undefined if `once` leased it. */
  takenAt?: number;
}

/** A call of `once` whose work runs. */
export interface ModelCall {
  readonly key: string | null;
  readonly lanes: readonly string[];
  readonly expiresAt: number;
}

/** What an inbox must do, as simple as possible: slow lists, and a clock that only tests advance. */
export class InboxModel {
  now = 0;
  readonly #keepMs: number;
  rows: Row[] = [];
  /** The lanes that are leased or have waiting deliveries. */
  readonly #lanes = new Map<string, ModelLane>();
  readonly #handledUntil = new Map<string, number>();
  /** The committed texts of the user's own statements. */
  readonly effects: string[] = [];

  constructor(keepMs: number) {
    this.#keepMs = keepMs;
  }

  /** The result of an addition. If it is `added`, the caller adds the row with its id. */
  add(key: string | null): "added" | "waiting" | "handled" | "replayed" {
    if (this.#isHandled(key)) return "handled";
    const row = this.#rowOf(key);
    if (row?.state === "waiting") return "waiting";
    if (!row) return "added";
    this.#replay(row);
    return "replayed";
  }

  addRow(row: Row): void {
    this.rows.push(row);
    if (!this.#lanes.has(laneOf(row))) this.#wake(row);
  }

  /** Checks the lanes that were taken, and takes them. Lanes due at the same time have no order. */
  take(limit: number, leaseMs: number, leases: readonly Lease[]): void {
    const due = [...this.#lanes].filter(
      ([name, { dueAt }]) => dueAt <= this.now && this.#waiting(name).length > 0,
    );
    expect(leases).toHaveLength(Math.min(limit, due.length));
    const names = leases.map(({ deliveries: [first] }) => laneOf(this.#row(first?.id)));
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(leases.map(({ token }) => token)).size).toBe(names.length);
    const latest = Math.max(...names.map((name) => this.#lanes.get(name)?.dueAt ?? Number.NaN));
    for (const [name, { dueAt }] of due) {
      if (!names.includes(name)) expect(dueAt).toBeGreaterThanOrEqual(latest);
    }
    for (const [at, { token, interruptions, deliveries }] of leases.entries()) {
      const name = names[at] ?? "";
      const lane = this.#lanes.get(name) as ModelLane;
      const waiting = this.#waiting(name);
      expect(interruptions).toBe(lane.interruptions);
      expect(deliveries).toHaveLength(interruptions > 0 ? 1 : waiting.length);
      for (const [index, delivery] of deliveries.entries()) {
        const row = waiting[index] as Row;
        const missing = this.rows.filter(
          (each) => laneOf(each) === name && each.state === "quarantined" && each.id < row.id,
        );
        expect(delivery).toEqual({ ...row, missing: missing.length });
      }
      this.#lanes.set(name, {
        token,
        dueAt: this.now + leaseMs,
        interruptions: interruptions + 1,
        takenAt: lane.dueAt,
      });
    }
  }

  isCurrent({ token }: Lease): boolean {
    return [...this.#lanes.values()].some((lane) => lane.token === token);
  }

  renew({ token }: Lease, leaseMs: number): void {
    for (const lane of this.#lanes.values()) {
      if (lane.token === token) lane.dueAt = this.now + leaseMs;
    }
  }

  /** Ends a current lease. */
  settle({ lease, handled, quarantined, retry }: Settlement): void {
    const [name] = [...this.#lanes].find(([, { token }]) => token === lease.token) ?? [""];
    for (const row of this.rows.filter(({ id }) => handled.includes(id))) {
      if (row.key !== null) this.#handledUntil.set(row.key, this.now + this.#keepMs);
    }
    this.rows = this.rows.filter(({ id }) => !handled.includes(id));
    for (const row of this.rows) {
      const isolated = quarantined.find(({ id }) => id === row.id);
      if (isolated) {
        const { reason } = isolated;
        Object.assign(row, { state: "quarantined", reason, failures: row.failures + 1 });
      }
      if (row.id !== retry?.id) continue;
      row.reason = retry.reason;
      if (retry.isFailure) row.failures += 1;
    }
    const isUnchanged = handled.length + quarantined.length === 0;
    const isReleased = isUnchanged && !retry;
    // A replay or a drop may have reset the count of the lane since it was taken.
    const { interruptions: counted = 0, takenAt = this.now } = this.#lanes.get(name) ?? {};
    const isUncounted = isReleased || (isUnchanged && retry?.isInterruption === false);
    const interruptions = isUncounted
      ? counted - 1
      : isUnchanged && retry?.isInterruption
        ? counted
        : 0;
    const [first] = this.#waiting(name);
    this.#lanes.delete(name);
    if (!first) return;
    this.#lanes.set(name, {
      dueAt: isReleased ? takenAt : this.now + (retry && first.id === retry.id ? retry.delayMs : 0),
      token: null,
      interruptions,
    });
  }

  /** Whether dropping deliveries would leave a lane empty that a worker has leased. */
  emptiesLease(ids: readonly number[]): boolean {
    return [...this.#lanes].some(
      ([name, { token, takenAt }]) =>
        token !== null &&
        takenAt !== undefined &&
        this.#waiting(name).every(({ id }) => ids.includes(id)),
    );
  }

  select({ state, ids, event, lane, since, before, after, limit }: DeliveryFilter): readonly Row[] {
    const isWanted = (row: Row) =>
      (state === undefined || row.state === state) &&
      (ids === undefined || ids.includes(row.id)) &&
      (event === undefined || row.event === event) &&
      (lane === undefined || row.lane === lane) &&
      (since === undefined || Date.parse(row.receivedAt) >= Date.parse(since)) &&
      (before === undefined || Date.parse(row.receivedAt) < Date.parse(before)) &&
      (after === undefined || row.id > after);
    return this.rows.filter(isWanted).slice(0, limit);
  }

  replay(ids: readonly number[]): void {
    for (const row of this.rows.filter(({ id }) => ids.includes(id))) this.#replay(row);
  }

  drop(ids: readonly number[]): void {
    const dropped = this.rows.filter(({ id }) => ids.includes(id));
    this.rows = this.rows.filter(({ id }) => !ids.includes(id));
    for (const row of dropped) if (row.state === "waiting") this.#wake(row);
  }

  /** Begins a call of `once`, or returns why not. */
  begin(key: string | null, lane: string | null): ModelCall | "duplicate" | "busy" {
    if (this.#isHandled(key)) return "duplicate";
    if (this.#rowOf(key)?.state === "waiting") return "busy";
    const lanes = [
      ...(key === null ? [] : [`#key ${key}`]),
      ...(lane === null ? [] : [`=${lane}`]),
    ];
    const isBusy = lanes.some((name) => {
      const dueAt = this.#lanes.get(name)?.dueAt;
      return dueAt !== undefined && (dueAt > this.now || this.#waiting(name).length > 0);
    });
    if (isBusy) return "busy";
    const expiresAt = this.now + MINUTE;
    for (const name of lanes) {
      this.#lanes.set(name, { dueAt: expiresAt, token: "once", interruptions: 1 });
    }
    return { key, lanes, expiresAt };
  }

  /** Ends a call of `once`. Its work does not count if the key was stored or handled meanwhile. */
  end({ key, lanes }: ModelCall, succeeds: boolean): boolean {
    for (const name of lanes) {
      if (this.#waiting(name).length === 0) this.#lanes.delete(name);
      else this.#lanes.set(name, { dueAt: this.now, token: null, interruptions: 0 });
    }
    const row = this.#rowOf(key);
    if (!succeeds || row?.state === "waiting" || this.#isHandled(key)) return false;
    this.rows = this.rows.filter((each) => each !== row);
    if (key !== null) this.#handledUntil.set(key, this.now + this.#keepMs);
    return true;
  }

  /** The status, with the time at which the first waiting delivery was received. */
  status(): Omit<InboxStatus, "oldestAgeMs"> & { readonly oldest: string | null } {
    const waiting = this.rows.filter(({ state }) => state === "waiting");
    const lanes = [...this.#lanes].filter(([name]) => this.#waiting(name).length > 0);
    const lags = lanes.map(([, { dueAt }]) => this.now - dueAt).filter((lag) => lag >= 0);
    const count = (matches: (lane: ModelLane) => boolean) =>
      lanes.filter(([, lane]) => matches(lane)).length;
    return {
      waiting: waiting.length,
      quarantined: this.rows.length - waiting.length,
      running: count(({ token, dueAt }) => token !== null && dueAt > this.now),
      delayed: count(({ token, dueAt }) => token === null && dueAt > this.now),
      stalled: count(({ token, dueAt }) => token !== null && dueAt <= this.now),
      oldest: waiting[0]?.receivedAt ?? null,
      lagMs: lags.length === 0 ? null : Math.max(...lags),
    };
  }

  #replay(row: Row): void {
    if (row.state === "quarantined") {
      Object.assign(row, { state: "waiting", failures: 0, reason: null });
    }
    // A lane that is already due keeps its place.
    this.#wake(row, this.#lanes.get(laneOf(row))?.dueAt);
  }

  #wake(row: Row, since = this.now): void {
    const name = laneOf(row);
    const lane = this.#lanes.get(name);
    const dueAt = Math.min(since, this.now);
    if (lane && lane.token !== null) lane.interruptions = 1;
    else if (this.#waiting(name).length === 0) this.#lanes.delete(name);
    else this.#lanes.set(name, { dueAt, token: null, interruptions: 0 });
  }

  #isHandled(key: string | null): boolean {
    return key !== null && (this.#handledUntil.get(key) ?? -1) > this.now;
  }

  #rowOf(key: string | null): Row | undefined {
    return key === null ? undefined : this.rows.find((row) => row.key === key);
  }

  #row(id: number | undefined): Row {
    const row = this.rows.find((each) => each.id === id);
    if (!row) throw new Error(`delivery ${id} is not stored`);
    return row;
  }

  #waiting(name: string): Row[] {
    return this.rows.filter((row) => row.state === "waiting" && laneOf(row) === name);
  }
}

const laneOf = ({ lane, id }: Row) => (lane === null ? `#${id}` : `=${lane}`);
