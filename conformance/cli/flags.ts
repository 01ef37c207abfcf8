import type { RequirementId } from "../../generated/requirements.ts";
import { type Command, type CommandCall, type Flag, usageError } from "../../src/cli/command.ts";
import { NETWORKS_FLAG } from "../../src/cli/contract-flags.ts";
import type { Group } from "../report/report.ts";
import { requirementsNamed } from "../run/usage.ts";

type Named = Pick<Command, "name">;
type Values = CommandCall["values"];

/** The flags that describe the target and what the run may do to it. */
export const TARGET_FLAGS = {
  "account-id": { type: "string", value: "ID", help: "account id; or set TXFEED_ACCOUNT_ID" },
  "client-id": { type: "string", value: "ID", help: "client id; or set TXFEED_CLIENT_ID" },
  "client-secret": {
    type: "string",
    value: "SECRET",
    help: "client secret, never printed; or set TXFEED_CLIENT_SECRET",
  },
  "sdk-client-id": {
    type: "string",
    value: "ID",
    help: "SDK client id; or set TXFEED_SDK_CLIENT_ID",
  },
  "sdk-client-secret": {
    type: "string",
    value: "SECRET",
    help: "SDK client secret; or set TXFEED_SDK_CLIENT_SECRET",
  },
  "second-account": {
    type: "string",
    value: "ID:CLIENT_ID:SECRET",
    help: "second account; or set TXFEED_SECOND_ACCOUNT",
  },
  networks: NETWORKS_FLAG,
  profile: {
    type: "string",
    value: "full|mock",
    help: "full (default), or mock (stateless, without credentials)",
  },
  writes: { type: "boolean", help: "complete bank links by PATCH, which changes the server" },
  "bank-link": {
    type: "string",
    value: "ID",
    help: "incomplete bank link that the run may complete",
  },
  "webhook-listen": {
    type: "string",
    value: "HOST:PORT[/PATH]",
    help: "receive deliveries at this address (default PATH: random)",
  },
  collect: {
    type: "string",
    value: "SECONDS",
    help: "minimum time to collect deliveries (default: 0)",
  },
  driver: {
    type: "string",
    value: "MODULE",
    help: "driver that triggers events: a file, a package, or sandbox",
  },
  header: {
    type: "string",
    multiple: true,
    value: "'NAME: VALUE'",
    help: "send a gateway's header; VALUE may be $VARIABLE; repeatable",
  },
  "client-cert": {
    type: "string",
    value: "FILE",
    help: "client certificate in PEM",
  },
  "client-key": {
    type: "string",
    value: "FILE",
    help: "its key in PEM (default: in --client-cert FILE)",
  },
  concurrency: {
    type: "string",
    value: "N",
    help: "maximum number of concurrent requests (default: 8)",
  },
  rate: {
    type: "string",
    value: "N",
    help: "maximum number of requests in a second (default: unlimited)",
  },
} as const satisfies Record<string, Flag>;

/** A line of the help of commands with `--baseline`. */
export const BASELINE_NOTE =
  'A baseline is a JSON list of {"requirement","reason","expires"}, the last a day (YYYY-MM-DD).';

/** The flags that select and grade the checks. */
export const CHECK_FLAGS = {
  only: {
    type: "string",
    multiple: true,
    value: "GROUP|ID",
    help: "check only these, such as PAGE or TXN-05,MSG; repeatable",
  },
  strict: { type: "boolean", help: "count warnings as failures" },
  baseline: {
    type: "string",
    value: "FILE",
    help: "accept the failures that FILE lists",
  },
} as const satisfies Record<string, Flag>;

/** The flags of `--explore`, which plays scripts instead of the checks. */
export const EXPLORE_FLAGS = {
  explore: {
    type: "boolean",
    help: "play random scripts of the driver's verbs; shrink failures",
  },
  seed: { type: "string", value: "N", help: "seed of the random scripts (default: 1)" },
  time: { type: "string", value: "TIME", help: "begin scripts for TIME, such as 60s or 5m" },
  scripts: { type: "string", value: "N", help: "play at most N scripts" },
  depth: {
    type: "string",
    value: "N",
    help: "play every script of up to N steps instead of random ones",
  },
} as const satisfies Record<string, Flag>;

/**
 * Returns the groups and ids that `--only` names; undefined without the flag.
 *
 * @throws {TxfeedError} `usage` if a name is unknown
 */
export function onlyIn(
  command: Named,
  { only }: Values,
): readonly (Group | RequirementId)[] | undefined {
  if (only === undefined) return undefined;
  const words = [only].flat().flatMap((value) => String(value).split(","));
  return requirementsNamed(words, (problem) => usageError(command, `--only: ${problem}`));
}

/**
 * Reads a flag as an integer within bounds; undefined without the flag.
 *
 * @throws {TxfeedError} `usage` if it is anything else
 */
export function numberIn(
  command: Named,
  values: Values,
  flag: string,
  [least, most]: readonly [number, number],
): number | undefined {
  const value = values[flag];
  if (value === undefined) return undefined;
  const number = Number(value);
  if (/^\d+$/.test(String(value)) && number >= least && number <= most) return number;
  const range = `${least} to ${most.toLocaleString("en-US")}`;
  throw usageError(command, `--${flag} takes a whole number from ${range}, not "${value}"`);
}
