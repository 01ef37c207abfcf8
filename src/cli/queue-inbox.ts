import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import {
  FileError,
  NotInstalledError,
  reasonOf,
  TxfeedError,
  UnreachableError,
  UsageError,
} from "../errors.ts";
import { existingPostgresInbox, type PostgresClient } from "../webhooks/postgres/index.ts";
import { type CommandCall, usageError } from "./command.ts";
import type { OperatedInbox } from "./queue-verbs.ts";

const COMMAND = { name: "queue" };

const NO_INBOX = "has no inbox of this version; a receiver creates or updates it when it starts";

/** An opened inbox. */
interface OpenedInbox {
  readonly inbox: OperatedInbox;
  /** Closes the inbox and its connections. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the inbox of `--inbox` or TXFEED_INBOX. It creates no file and no table.
 *
 * @throws {TxfeedError} `usage` if there is no such target or no inbox in it, `file` if a file
 * can't be read, `not-installed` if the driver is missing, `unreachable` if the connection fails.
 * No message contains a password.
 */
export async function openInbox(
  { inbox: flag, schema }: CommandCall["values"],
  env: NodeJS.ProcessEnv,
): Promise<OpenedInbox> {
  const target = String(flag ?? env["TXFEED_INBOX"] ?? "");
  if (target === "") throw usageError(COMMAND, "--inbox or TXFEED_INBOX is missing");
  const [, scheme] = /^([a-z][a-z\d+.-]*):\/\//i.exec(target) ?? [];
  const isPostgres = scheme !== undefined && /^postgres(ql)?$/i.test(scheme);
  if (scheme !== undefined && !isPostgres) {
    // The rest of the address may contain a password.
    throw usageError(COMMAND, `--inbox takes a file, postgres:// or pglite:, not "${scheme}://"`);
  }
  const name = schema === undefined ? {} : { schema: String(schema) };
  if (isPostgres) return openPostgres(target, name);
  if (target.startsWith("pglite:")) return openPGlite(target.slice("pglite:".length), name);
  if (schema !== undefined) throw usageError(COMMAND, "--schema is for Postgres and PGlite");
  return openFile(target);
}

async function openFile(path: string): Promise<OpenedInbox> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new FileError(`${path} does not exist; a receiver creates it when it starts`);
  if (found.isDirectory())
    throw new FileError(`${path} is a folder; write pglite:${path} for PGlite`);
  const [{ DatabaseSync }, { sqliteInbox }] = await Promise.all([
    import("../sqlite.ts"),
    import("../webhooks/sqlite/index.ts"),
  ]);
  let table: unknown;
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    const find = "SELECT 1 FROM sqlite_master WHERE name = 'webhook_delivery'";
    try {
      table = database.prepare(find).get();
    } finally {
      database.close();
    }
  } catch (error) {
    throw new FileError(`${path}: can't be used as a database: ${reasonOf(error)}`, {
      cause: error,
    });
  }
  if (table === undefined) throw new UsageError(`${path} ${NO_INBOX}`);
  const inbox = sqliteInbox({ path });
  return { inbox, close: async () => inbox.close() };
}

interface Schema {
  readonly schema?: string;
}

async function openPostgres(target: string, schema: Schema): Promise<OpenedInbox> {
  const url = URL.parse(target);
  if (!url) {
    const advice = "percent-encode special characters in the password";
    throw usageError(COMMAND, `--inbox: the URL of Postgres can't be parsed; ${advice}`);
  }
  const place = `${url.protocol}//${url.host}${url.pathname}`;
  const pg = load<PgModule>("pg");
  if (!pg) throw notInstalled("pg");
  const pool = new pg.Pool({
    connectionString: target,
    application_name: "txfeed queue",
  });
  return opened(pool, schema, place, () => pool.end());
}

async function openPGlite(folder: string, schema: Schema): Promise<OpenedInbox> {
  // PGlite would create the folder.
  if (!existsSync(join(folder, "PG_VERSION"))) {
    throw new FileError(`${folder === "" ? '""' : folder} is not a folder of PGlite`);
  }
  // PGlite has no lock. Two programs that open a folder corrupt it.
  const lock = join(folder, "postmaster.pid");
  if (existsSync(lock)) {
    const advice = `stop it, or delete ${lock} if it was killed`;
    throw new FileError(`${folder} is open in another program; ${advice}`);
  }
  const pglite = load<PGliteModule>("@electric-sql/pglite");
  if (!pglite) throw notInstalled("@electric-sql/pglite");
  const client = new pglite.PGlite(folder);
  return opened(client, schema, folder, () => client.close());
}

/** Opens the inbox of a client, unless its tables are missing. */
async function opened(
  client: PostgresClient,
  { schema = "txfeed" }: Schema,
  place: string,
  end: () => Promise<unknown>,
): Promise<OpenedInbox> {
  try {
    const inbox = await existingPostgresInbox({ client, schema });
    if (!inbox) throw new UsageError(`${place}: the schema ${schema} ${NO_INBOX}`);
    const close = async () => {
      await inbox.close();
      await end();
    };
    return { inbox, close };
  } catch (error) {
    await end().catch(() => undefined);
    if (error instanceof TxfeedError && !(error instanceof UnreachableError)) throw error;
    throw new UnreachableError(`can't reach ${place}: ${reasonOf(error)}`, { cause: error });
  }
}

interface PgModule {
  readonly Pool: new (options: object) => PostgresClient & { end(): Promise<void> };
}

interface PGliteModule {
  readonly PGlite: new (folder: string) => PostgresClient & { close(): Promise<void> };
}

/** Loads a package of the user's project, or near this one; undefined if it is not installed. */
function load<Module>(name: string): Module | undefined {
  // Vitest has no import.meta.resolve.
  for (const place of [resolve("package.json"), import.meta.url]) {
    const require = createRequire(place);
    try {
      require.resolve(name);
    } catch {
      continue;
    }
    return require(name) as Module;
  }
  return undefined;
}

function notInstalled(name: string): NotInstalledError {
  return new NotInstalledError(`this inbox needs the package ${name}: npm install ${name}`);
}
