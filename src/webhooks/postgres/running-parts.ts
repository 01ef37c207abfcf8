import type { RunPart } from "../inbox.ts";
import type { Connection } from "./database.ts";

/** Keeps the parts that are running. */
export function trackParts<Tx>(runPart: RunPart<Tx>) {
  const parts = new Set<Promise<unknown>>();
  const runTracked: RunPart<Tx> = (run) => {
    const part = runPart(run);
    parts.add(part);
    const remove = () => parts.delete(part);
    part.then(remove, remove);
    return part;
  };
  return { parts, runTracked };
}

/**
 * Rolls a transaction back whose handler was given up and still runs, and makes the handler's later
 * statements fail: without a transaction they would take effect. The connection is not used for
 * others before the handler has ended; if the driver can, it is closed at once.
 */
export async function disable(
  connection: Connection,
  parts: ReadonlySet<Promise<unknown>>,
): Promise<void> {
  if (connection.destroy) return connection.destroy();
  // In one message: a statement of the handler between two messages would take effect. A driver
  // that refuses several statements ends the transaction by that error.
  await connection.query("ROLLBACK; BEGIN; SELECT 1 / 0", []).catch(() => undefined);
  await Promise.allSettled(parts);
}
