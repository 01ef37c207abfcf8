/**
 * The state tables of the interface ("States and transitions"), row by row. The model is written
 * from them, not from any server.
 */

/** A row of a state table. */
interface Row {
  readonly trigger: string;
  /** The state after it. */
  readonly to: string;
  /**
   * The ways in which the row applies, each of which must happen for the row to be covered: the
   * states before it, of which "any" and "non-active" include several, or what else the row names:
   * kinds of new resources, confidences.
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

const row = (trigger: string, to: string, ...cases: string[]): Row => ({ trigger, to, cases });

export const TABLES = {
  "card subscription": [
    row("card enrollment created, cardholder-single", "reqSCA", "cardholder-single"),
    row("network-bulk or bank-feed subscription created", "active", "network-bulk", "bank-feed"),
    row("SCA cleared", "active", "reqSCA"),
    row("lifecycle", "deactivated", "active"),
    row("real card number enrolled on a bank-feed subscription", "reqSCA", "active"),
    row("card linked to a connected bank account", "unchanged", "reqSCA", "active", "deactivated"),
  ],
  transaction: [
    row("bank posting matched with high confidence", "SETTLED", "PENDING"),
    row("network's own clearing arrives", "SETTLED", "SETTLED"),
    row(
      "standalone bank-only: any later match of its movement",
      "SETTLED",
      "HIGH",
      "MEDIUM",
      "LOW",
    ),
    row("bank-only movement synced", "SETTLED", "(new)"),
  ],
  "network bulk feed": [
    row("feed accepted", "active", "submitted"),
    row("feed rejected", "failed", "submitted"),
  ],
  "bank account connection": [
    row("consent expiring or re-authentication needed", "auth_required", "active"),
    // An event is sent only when the state changes, so "any" leaves out `disconnected`.
    row("connection lost", "disconnected", "active", "auth_required"),
    row("recovery", "active", "auth_required", "disconnected"),
  ],
} as const satisfies Record<string, readonly Row[]>;

/** The states of each table. */
const STATES: Readonly<Record<TableName, readonly string[]>> = {
  "card subscription": ["reqSCA", "active", "deactivated"],
  transaction: ["PENDING", "SETTLED"],
  "network bulk feed": ["submitted", "active", "failed"],
  "bank account connection": ["active", "auth_required", "disconnected"],
};

interface Count {
  readonly covered: number;
  readonly total: number;
}

/** The covered part of a table. */
export interface TableCoverage {
  readonly table: TableName;
  /** The states that a transition left or entered. */
  readonly states: Count;
  readonly rows: Count;
  readonly cases: Count;
  /** The cases that did not happen, such as `row 6 from deactivated`. */
  readonly missing: readonly string[];
}

/** Counts the transitions that happened. */
export class Coverage {
  /** The cases of rows that happened, and the states that these left or entered. */
  readonly #seen = new Set<string>();

  note({ table, row, case: name }: Transition): void {
    const { to } = TABLES[table][row - 1] as Row;
    this.#seen.add(`${table}/${row}/${name}`);
    // "unchanged" is no state, and neither is a case that names something else: none asks for it.
    for (const state of [name, to]) this.#seen.add(`${table}/${state}`);
  }

  /** The coverage of each table. */
  tables(): TableCoverage[] {
    return (Object.keys(TABLES) as TableName[]).map((table) => {
      const count = (all: readonly (readonly string[])[]): Count => {
        const covered = all.filter((keys) => keys.every((key) => this.#seen.has(key)));
        return { covered: covered.length, total: all.length };
      };
      const rows = (TABLES[table] as readonly Row[]).map(({ cases }, index) =>
        cases.map((name) => ({
          key: `${table}/${index + 1}/${name}`,
          label: `row ${index + 1} ${cases.length > 1 ? name : ""}`.trim(),
        })),
      );
      return {
        table,
        states: count(STATES[table].map((state) => [`${table}/${state}`])),
        rows: count(rows.map((cases) => cases.map(({ key }) => key))),
        cases: count(rows.flat().map(({ key }) => [key])),
        missing: rows.flat().flatMap(({ key, label }) => (this.#seen.has(key) ? [] : label)),
      };
    });
  }
}
