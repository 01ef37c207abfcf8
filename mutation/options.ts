import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ScriptError } from "../scripts/run-script.ts";

const USAGE = `usage: npm run mutation -- [options]
  --only ID,...     run the mutations of these ids, prefixes of ids or requirements
  --changed [REV]   run those of the requirement groups that changed since REV (default: main)
  --shard N/OF      run one of several equal parts
  --scripts N       random scripts for the unmodified sandbox (default: 200)
  --processes N     runs at once (default: one for each core)
  --json FILE       write the results to FILE`;

/** The options of a mutation run. */
export interface Options {
  /** Comma-separated ids, id prefixes or requirements. */
  readonly only?: string | undefined;
  /** A revision; selects the mutations of requirement groups changed since then. */
  readonly changed?: string | undefined;
  readonly shard?: Shard | undefined;
  readonly scripts: number;
  readonly processes: number;
  readonly json?: string | undefined;
}

/** Shard `nr` of `of`, starting at 1. */
interface Shard {
  readonly nr: number;
  readonly of: number;
}

/** @throws {ScriptError} if a value is invalid */
export function readOptions(args: readonly string[] = process.argv.slice(2)): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: "string" },
      changed: { type: "boolean" },
      shard: { type: "string" },
      scripts: { type: "string", default: "200" },
      processes: { type: "string", default: String(availableParallelism()) },
      json: { type: "string" },
    },
  });
  const [scripts, processes] = [Number(values.scripts), Number(values.processes)];
  if (!Number.isInteger(scripts) || scripts < 0) throw usage("--scripts takes a whole number");
  if (!Number.isInteger(processes) || processes < 1) throw usage("--processes takes 1 or more");
  const [revision, ...others] = positionals;
  if (others.length > 0 || (revision !== undefined && !values.changed)) {
    throw usage(`unexpected argument ${positionals.at(-1)}`);
  }
  if (values.only !== undefined && values.changed) throw usage("--only excludes --changed");
  return {
    ...{ only: values.only, json: values.json, scripts, processes },
    changed: values.changed ? (revision ?? "main") : undefined,
    shard: values.shard === undefined ? undefined : shardOf(values.shard),
  };
}

function shardOf(text: string): Shard {
  const [, nr, of] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  if (!nr || !of || nr > of) throw usage(`--shard takes a part such as 1/4; got ${text}`);
  return { nr, of };
}

function usage(message: string): ScriptError {
  return new ScriptError([`mutation: ${message}`, USAGE]);
}
