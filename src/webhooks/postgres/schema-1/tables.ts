/** The tables and their indexes. */
export function tables(schema: string): readonly string[] {
  return [
    // A lane has a row while it has deliveries. Adding a delivery and ending a lease lock the row.
    `CREATE TABLE ${schema}.lane (
      -- '=' and the name, or '#' and a UUID for a delivery without a lane.
      name text COLLATE "C" PRIMARY KEY,
      -- When it may be taken: at once, after a delay, or when the lease expires; null: never,
      -- because all its deliveries are in quarantine.
      due_at timestamptz,
      -- The token of the lease, null if there is none.
      token uuid,
      -- How often it was taken since a settlement ended a lease.
      interruptions integer NOT NULL DEFAULT 0
    ) WITH (
      fillfactor = 70,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000
    )`,
    `CREATE INDEX lane_due ON ${schema}.lane (due_at) WHERE due_at IS NOT NULL`,

    // Deliveries that wait or are in quarantine.
    `CREATE TABLE ${schema}.delivery (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      key text COLLATE "C",
      lane text COLLATE "C" NOT NULL,
      event text NOT NULL,
      headers json NOT NULL,
      delivery_id text,
      received_at timestamptz NOT NULL,
      quarantined boolean NOT NULL DEFAULT false,
      failures integer NOT NULL DEFAULT 0,
      reason text,
      body text NOT NULL
    ) WITH (
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
      autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000
    )`,
    `CREATE UNIQUE INDEX delivery_key ON ${schema}.delivery (key) WHERE key IS NOT NULL`,
    `CREATE INDEX delivery_waiting ON ${schema}.delivery (lane, id) WHERE NOT quarantined`,
    `CREATE INDEX delivery_quarantined ON ${schema}.delivery (lane, id) WHERE quarantined`,

    // The keys of handled deliveries.
    `CREATE TABLE ${schema}.handled (
      key text COLLATE "C" PRIMARY KEY,
      expires_at timestamptz NOT NULL
    )`,
    `CREATE INDEX handled_expiry ON ${schema}.handled (expires_at)`,
  ];
}
