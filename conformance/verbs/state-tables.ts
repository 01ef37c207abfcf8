/**
 * The state tables of the interface ("States and transitions"), row by row. The model is written
 * from them, not from any server.
 */

/** A row of a state table. */
export interface Row {
  /** The state before; `(new)` if the row creates the resource. */
  readonly from: string;
  readonly trigger: string;
  readonly to: string;
  /**
   * The ways in which the row applies, each of which must happen for the row to be covered: the
   * states that "any" or "non-active" includes, or what else the row names: kinds of resources,
   * confidences.
   */
  readonly cases: readonly string[];
}

/** The name of a state table. */
export type TableName = keyof typeof TABLES;

/** A row in a table, and the way in which it applied. Rows count from 1. */
export interface Transition {
  readonly table: TableName;
  readonly row: number;
  readonly case: string;
}

export const TABLES = {
  "card subscription": [
    {
      from: "(new)",
      trigger: "card enrollment created, cardholder-single",
      to: "reqSCA",
      cases: ["cardholder-single"],
    },
    {
      from: "(new)",
      trigger: "network-bulk or bank-feed subscription created",
      to: "active",
      cases: ["network-bulk", "bank-feed"],
    },
    { from: "reqSCA", trigger: "SCA cleared", to: "active", cases: ["reqSCA"] },
    { from: "active", trigger: "lifecycle", to: "deactivated", cases: ["active"] },
    {
      from: "active",
      trigger: "real card number enrolled on a bank-feed subscription",
      to: "reqSCA",
      cases: ["active"],
    },
    {
      from: "any",
      trigger: "card later linked to a connected bank account",
      to: "unchanged",
      cases: ["reqSCA", "active", "deactivated"],
    },
  ],
  transaction: [
    {
      from: "PENDING",
      trigger: "bank posting matched with high confidence",
      to: "SETTLED",
      cases: ["PENDING"],
    },
    {
      from: "SETTLED",
      trigger: "network's own clearing arrives",
      to: "SETTLED",
      cases: ["SETTLED"],
    },
    {
      from: "SETTLED",
      trigger: "standalone bank-only: any later card match of its movement, of any confidence",
      to: "SETTLED",
      cases: ["HIGH", "MEDIUM", "LOW"],
    },
    { from: "(new)", trigger: "bank-only movement synced", to: "SETTLED", cases: ["(new)"] },
  ],
  "network bulk feed": [
    { from: "submitted", trigger: "feed accepted", to: "active", cases: ["submitted"] },
    { from: "submitted", trigger: "feed rejected", to: "failed", cases: ["submitted"] },
  ],
  "bank account connection": [
    {
      from: "active",
      trigger: "consent expiring or re-authentication needed",
      to: "auth_required",
      cases: ["active"],
    },
    {
      // An event is sent only when the state changes, so "any" leaves out `disconnected`.
      from: "any",
      trigger: "connection lost",
      to: "disconnected",
      cases: ["active", "auth_required"],
    },
    {
      from: "non-active",
      trigger: "recovery",
      to: "active",
      cases: ["auth_required", "disconnected"],
    },
  ],
} as const satisfies Record<string, readonly Row[]>;

/** The states of each table. */
const STATES: Readonly<Record<TableName, readonly string[]>> = {
  "card subscription": ["reqSCA", "active", "deactivated"],
  transaction: ["PENDING", "SETTLED"],
  "network bulk feed": ["submitted", "active", "failed"],
  "bank account connection": ["active", "auth_required", "disconnected"],
};

/** The covered part of a table. */
export interface TableCoverage {
  readonly table: TableName;
  /** The states that a transition left or entered. */
  readonly states: { readonly covered: number; readonly total: number };
  readonly rows: { readonly covered: number; readonly total: number };
  readonly cases: { readonly covered: number; readonly total: number };
  /** The cases that did not happen, such as `row 6 from deactivated`. */
  readonly missing: readonly string[];
}

/** Counts the transitions that happened. */
export class Coverage {
  readonly #seen = new Map<string, number>();
  readonly #states = new Set<string>();

  note({ table, row, case: name }: Transition): void {
    const key = keyOf(table, row, name);
    // "unchanged" is no state, and neither is a case that names something else.
    const { to } = TABLES[table][row - 1] as Row;
    for (const state of [name, to]) {
      if (STATES[table].includes(state)) this.#states.add(`${table}/${state}`);
    }
    this.#seen.set(key, (this.#seen.get(key) ?? 0) + 1);
  }

  /** The coverage of each table. */
  tables(): TableCoverage[] {
    return (Object.keys(TABLES) as TableName[]).map((table) => {
      const rows: readonly Row[] = TABLES[table];
      const missing: string[] = [];
      let [covered, total] = [0, 0];
      for (const [index, { cases }] of rows.entries()) {
        const row = index + 1;
        const absent = cases.filter((name) => !this.#seen.has(keyOf(table, row, name)));
        missing.push(...absent.map((name) => `row ${row} ${cases.length > 1 ? name : ""}`.trim()));
        total += cases.length;
        covered += cases.length - absent.length;
      }
      const whole = rows.filter(({ cases }, index) =>
        cases.every((name) => this.#seen.has(keyOf(table, index + 1, name))),
      ).length;
      const states = STATES[table];
      const reached = states.filter((state) => this.#states.has(`${table}/${state}`)).length;
      return {
        table,
        states: { covered: reached, total: states.length },
        rows: { covered: whole, total: rows.length },
        cases: { covered, total },
        missing,
      };
    });
  }
}

function keyOf(table: TableName, row: number, name: string): string {
  return `${table}/${row}/${name}`;
}
