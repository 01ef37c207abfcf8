import { UnreachableError } from "../../errors.ts";

// Classes and codes of PostgreSQL: connection exceptions, invalid authorization, unknown database,
// too many connections, shutdown, crash and start. Then those of Node.js and of the drivers.
const CODES = /^(08|28|3D|53300|57P0[1-5]|ECONN|EPIPE|ENOTFOUND|ENOENT|EAI_|ETIMEDOUT|EHOST|CONN)/;
const MESSAGES = [
  /connection (terminated|timeout|error)/i,
  /timeout exceeded when trying to connect/,
  /not queryable|client was closed/i,
];

/** The error of the driver: Drizzle and others wrap it. */
function driverError(error: unknown): unknown {
  const { code, cause } = Object(error);
  return code === undefined && cause instanceof Error ? driverError(cause) : error;
}

/** The code of PostgreSQL, Node.js or the driver. */
export function codeOf(error: unknown): string | undefined {
  const { code } = Object(driverError(error));
  return typeof code === "string" ? code : undefined;
}

/** Whether the connection failed, so that it is not known whether a statement was committed. */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof UnreachableError) return true;
  const code = codeOf(error);
  if (code !== undefined) return CODES.test(code);
  return MESSAGES.some((message) => message.test(messageOf(error)));
}

function messageOf(error: unknown): string {
  const inner = driverError(error);
  // Node.js tries all addresses of a host name and reports all failures.
  const first = inner instanceof AggregateError ? inner.errors[0] : inner;
  return first instanceof Error ? first.message : String(first);
}

/** Describes a failure in one line. Those of a connection become `unreachable`. */
export function describe(error: unknown): unknown {
  if (!isConnectionFailure(error) || error instanceof UnreachableError) return error;
  const reason = messageOf(error).split("\n", 1)[0];
  return new UnreachableError(`the database of the inbox can't be reached: ${reason}`, {
    cause: error,
  });
}
