import type { RequirementId } from "../../generated/requirements.ts";
import { type Command, type CommandCall, type Flag, usageError } from "../../src/cli/command.ts";
import { NETWORKS_FLAG } from "../../src/cli/contract-flags.ts";
import type { Group } from "../reports/groups.ts";
import { requirementsNamed } from "../usage.ts";

type Named = Pick<Command, "name">;
type Values = CommandCall["values"];

/** The flags of who the run is, and what it may do to the target. */
export const TARGET_FLAGS = {
  "account-id": { type: "string", value: "ID", help: "or TXFEED_ACCOUNT_ID" },
  "client-id": { type: "string", value: "ID", help: "or TXFEED_CLIENT_ID" },
  "client-secret": {
    type: "string",
    value: "SECRET",
    help: "or TXFEED_CLIENT_SECRET; never printed",
  },
  "sdk-client-id": { type: "string", value: "ID", help: "or TXFEED_SDK_CLIENT_ID" },
  "sdk-client-secret": {
    type: "string",
    value: "SECRET",
    help: "or TXFEED_SDK_CLIENT_SECRET",
  },
  "second-account": {
    type: "string",
    value: "ID:CLIENT_ID:SECRET",
    help: "another account, or TXFEED_SECOND_ACCOUNT; never printed",
  },
  networks: NETWORKS_FLAG,
  profile: {
    type: "string",
    value: "full|mock",
    help: "full unless set; mock: without state, or credentials",
  },
  writes: { type: "boolean", help: "the run may PATCH: completes the bank link" },
  "bank-link": { type: "string", value: "ID", help: "a bank link that is not complete" },
  "webhook-listen": {
    type: "string",
    value: "HOST:PORT[/PATH]",
    help: "receive deliveries there; default PATH: random",
  },
  collect: {
    type: "string",
    value: "SECONDS",
    help: "receives for so long at least; 0 unless set",
  },
  driver: {
    type: "string",
    value: "MODULE",
    help: "makes things happen: a file, a package, or sandbox",
  },
  concurrency: {
    type: "string",
    value: "N",
    help: "requests under way at once; 8 unless set",
  },
} as const satisfies Record<string, Flag>;

/** The flags of what is judged. */
export const JUDGE_FLAGS = {
  only: {
    type: "string",
    multiple: true,
    value: "GROUP|ID",
    help: "some requirements: PAGE, or TXN-05,MSG; also repeated",
  },
  strict: { type: "boolean", help: "counts warnings as failures" },
  baseline: {
    type: "string",
    value: "FILE",
    help: "known failures: JSON [{requirement, reason, expires}]",
  },
} as const satisfies Record<string, Flag>;

/**
 * The groups and ids that `--only` names; undefined where it is not there. Throws a TxfeedError
 * `usage` where there is none of a name.
 */
export function onlyIn(
  command: Named,
  { only }: Values,
): readonly (Group | RequirementId)[] | undefined {
  if (only === undefined) return undefined;
  const words = [only].flat().flatMap((value) => String(value).split(","));
  return requirementsNamed(words, (problem) => usageError(command, `--only: ${problem}`));
}

/** A whole number within bounds. Throws a TxfeedError `usage` where it is none. */
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
  throw usageError(command, `--${flag} takes a whole number from ${range}, not '${value}'`);
}
