/** Increase it with each change of the tables: a file of another version is refused. */
export const SCHEMA_VERSION = 1;

/**
 * The whole state of the sandbox. A resource is one row with its body as the interface serves it,
 * its internal state (`hidden`), and the columns that it is searched by.
 */
export const SCHEMA = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    client_id TEXT NOT NULL UNIQUE, client_secret TEXT NOT NULL,
    sdk_client_id TEXT NOT NULL UNIQUE, sdk_client_secret TEXT NOT NULL,
    projection INTEGER NOT NULL DEFAULT 1
  ) WITHOUT ROWID;

  CREATE TABLE resources (
    seq INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    account_id TEXT NOT NULL,
    subaccount_id TEXT NOT NULL,
    parent TEXT NOT NULL,
    day TEXT NOT NULL,
    created_ms INTEGER NOT NULL,
    open INTEGER NOT NULL,
    listed INTEGER NOT NULL,
    body TEXT NOT NULL,
    hidden TEXT NOT NULL
  );
  CREATE INDEX resources_in_lists ON resources (kind, account_id, seq, listed);
  CREATE INDEX resources_of_kinds ON resources (kind, seq);
  CREATE INDEX resources_of_parents ON resources (kind, parent, open, day);

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    account_id TEXT NOT NULL,
    name TEXT NOT NULL,
    resource TEXT NOT NULL,
    body TEXT NOT NULL
  );

  CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY,
    due_ms INTEGER NOT NULL,
    name TEXT NOT NULL,
    subject TEXT NOT NULL
  );
  CREATE INDEX jobs_due ON jobs (due_ms, seq);
  CREATE INDEX jobs_of_subjects ON jobs (name, subject);

  CREATE TABLE endpoints (
    id TEXT PRIMARY KEY,
    seq INTEGER NOT NULL,
    account_id TEXT,
    url TEXT NOT NULL,
    events TEXT NOT NULL,
    secret TEXT NOT NULL,
    ordered INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE deliveries (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    endpoint_id TEXT NOT NULL,
    event_seq INTEGER NOT NULL,
    resource TEXT NOT NULL,
    lane TEXT NOT NULL, place INTEGER NOT NULL,
    state TEXT NOT NULL,
    is_first INTEGER NOT NULL,
    is_held INTEGER NOT NULL,
    repeats INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    due_ms INTEGER NOT NULL
  );
  CREATE INDEX deliveries_due ON deliveries (endpoint_id, due_ms, seq)
    WHERE state = 'waiting' AND is_first = 1;
  CREATE INDEX deliveries_in_lanes ON deliveries (endpoint_id, lane, place)
    WHERE state = 'waiting';
  CREATE INDEX deliveries_held ON deliveries (endpoint_id, resource)
    WHERE state = 'waiting' AND is_held = 1;

  CREATE TABLE attempts (
    seq INTEGER PRIMARY KEY,
    delivery_seq INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    duration_ms REAL NOT NULL
  );
  CREATE INDEX attempts_of_deliveries ON attempts (delivery_seq);
`;

/** The tables that a reset and a snapshot replace. */
export const STATE_TABLES = [
  "meta",
  "accounts",
  "resources",
  "events",
  "jobs",
  "endpoints",
  "deliveries",
  "attempts",
] as const;
