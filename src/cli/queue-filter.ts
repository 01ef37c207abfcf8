import type { DeliveryFilter } from "../webhooks/index.ts";
import { type CommandCall, usageError } from "./command.ts";
import { wordIn } from "./format.ts";

const COMMAND = { name: "queue" };

const STATES = ["waiting", "quarantined"] as const;

/** The milliseconds of each unit of an age. */
const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

// Date.parse accepts almost anything, including "1.5".
const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * The filter of the flags.
 *
 * @param now The time from which ages count, in milliseconds since 1970.
 * @throws {TxfeedError} `usage` if a value is invalid.
 */
export function filterIn(values: CommandCall["values"], now: number): DeliveryFilter {
  const { state, event, lane, since, before, limit } = values as Readonly<
    Record<string, string | undefined>
  >;
  return {
    ...(state !== undefined && { state: wordIn(COMMAND, "state", state, STATES) }),
    ...(event !== undefined && { event: textIn("event", event) }),
    ...(lane !== undefined && { lane: textIn("lane", lane) }),
    ...(since !== undefined && { since: timeIn("since", since, now) }),
    ...(before !== undefined && { before: timeIn("before", before, now) }),
    ...(limit !== undefined && { limit: limitIn(limit) }),
  };
}

/** An empty value is that of a variable that is not set. */
function textIn(flag: string, value: string): string {
  if (value !== "") return value;
  throw usageError(COMMAND, `--${flag} is empty`);
}

function timeIn(flag: string, value: string, now: number): string {
  const [, count = "", unit = ""] = /^(\d{1,9})(s|min|h|d)$/.exec(value) ?? [];
  const iso = ISO.exec(value);
  const isLocal = iso?.[1] === undefined && value.includes("T");
  const at = UNITS[unit]
    ? new Date(now - Number(count) * UNITS[unit])
    : new Date(iso ? `${value}${isLocal ? "Z" : ""}` : Number.NaN);
  if (!Number.isNaN(at.getTime())) return at.toISOString();
  const examples = "a time such as 2025-03-04T12:30:16Z, or an age such as 2h";
  throw usageError(COMMAND, `--${flag} takes ${examples}, not "${value}"`);
}

function limitIn(value: string): number {
  const limit = Number(value);
  if (/^\d+$/.test(value) && limit > 0 && Number.isSafeInteger(limit)) return limit;
  throw usageError(COMMAND, `--limit takes a number from 1, not "${value}"`);
}
