import { NotInstalledError } from "./errors.ts";

/**
 * Node's SQLite. It is not imported statically, because an older Node.js would then fail with a
 * message that names no version.
 *
 * @throws {TxfeedError} `not-installed` if this module loads on a Node.js without SQLite.
 */
export const { DatabaseSync } = sqlite();
export type DatabaseSync = InstanceType<typeof DatabaseSync>;

function sqlite(): typeof import("node:sqlite") {
  const found = process.getBuiltinModule?.("node:sqlite");
  if (found) return found;
  const needed = "txfeed/sandbox and txfeed/webhooks/sqlite need Node.js 22.13 or later";
  throw new NotInstalledError(`${needed}; this is ${process.version}`);
}
