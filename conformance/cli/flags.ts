import { statSync } from "node:fs";
import module from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { RequirementId } from "../../generated/requirements.ts";
import {
  type Command,
  type CommandCall,
  type Example,
  type Flag,
  usageError,
} from "../../src/cli/command.ts";
import { NETWORKS_FLAG, networksIn } from "../../src/cli/contract-flags.ts";
import { textOf } from "../../src/cli/input.ts";
import { reasonOf, UsageError } from "../../src/errors.ts";
import { type Driver, type DriverContext, loadDriver } from "../driver.ts";
import type { Group } from "../report/report.ts";
import {
  addressProblem,
  LONGEST_COLLECT_SECONDS,
  profileProblem,
  requirementsNamed,
} from "../run/usage.ts";
import type { Credentials, Profile, Target } from "../target.ts";
import { certificateProblem, gatewayHeader } from "../wire/gateway.ts";
import { pathProblem, randomPath } from "../wire/receiver.ts";

export type Named = Pick<Command, "name">;
export type Values = CommandCall["values"];

/** A flag with a value. */
export const taking = (value: string, help: string) => ({ type: "string", value, help }) as const;

/** A flag without a value. */
export const switching = (help: string) => ({ type: "boolean", help }) as const;

/** The examples of a command: what each call does, by its arguments. */
export function examplesOf(call: string, all: Readonly<Record<string, string>>): Example[] {
  return Object.entries(all).map(([args, does]) => ({ command: `${call} ${args}`.trim(), does }));
}

/** The flags that describe the target and what the run may do to it. */
export const TARGET_FLAGS = {
  "account-id": taking("ID", "account id; or set TXFEED_ACCOUNT_ID"),
  "client-id": taking("ID", "client id; or set TXFEED_CLIENT_ID"),
  "client-secret": taking("SECRET", "client secret, never printed; or set TXFEED_CLIENT_SECRET"),
  "sdk-client-id": taking("ID", "SDK client id; or set TXFEED_SDK_CLIENT_ID"),
  "sdk-client-secret": taking("SECRET", "SDK client secret; or set TXFEED_SDK_CLIENT_SECRET"),
  "second-account": taking("ID:CLIENT_ID:SECRET", "second account; or set TXFEED_SECOND_ACCOUNT"),
  networks: NETWORKS_FLAG,
  profile: taking("full|mock", "full (default), or mock (stateless, without credentials)"),
  writes: switching("complete bank links by PATCH, which changes the server"),
  "bank-link": taking("ID", "incomplete bank link that the run may complete"),
  "webhook-listen": taking(
    "HOST:PORT[/PATH]",
    "receive deliveries at this address (default PATH: random)",
  ),
  collect: taking("SECONDS", "minimum time to collect deliveries (default: 0)"),
  driver: taking("MODULE", "driver that triggers events: a file, a package, or sandbox"),
  header: {
    ...taking("'NAME: VALUE'", "send a gateway's header; VALUE may be $VARIABLE; repeatable"),
    multiple: true,
  },
  "client-cert": taking("FILE", "client certificate in PEM"),
  "client-key": taking("FILE", "its key in PEM (default: in --client-cert FILE)"),
  concurrency: taking("N", "maximum number of concurrent requests (default: 8)"),
  rate: taking("N", "maximum number of requests in a second (default: unlimited)"),
} as const satisfies Record<string, Flag>;

/** A line of the help of commands with `--baseline`. */
export const BASELINE_NOTE =
  'A baseline is a JSON list of {"requirement","reason","expires"}, the last a day (YYYY-MM-DD).';

/** The flags that select and grade the checks. */
export const CHECK_FLAGS = {
  only: {
    ...taking("GROUP|ID", "check only these, such as PAGE or TXN-05,MSG; repeatable"),
    multiple: true,
  },
  strict: switching("count warnings as failures"),
  baseline: taking("FILE", "accept the failures that FILE lists"),
} as const satisfies Record<string, Flag>;

/** The flags of `--explore`, which plays scripts instead of the checks. */
export const EXPLORE_FLAGS = {
  explore: switching("play random scripts of the driver's verbs; shrink failures"),
  seed: taking("N", "seed of the random scripts (default: 1)"),
  time: taking("TIME", "begin scripts for TIME, such as 60s or 5m"),
  scripts: taking("N", "play at most N scripts"),
  depth: taking("N", "play every script of up to N steps instead of random ones"),
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

/** Reads a flag as text; undefined without the flag. */
export function textIn(command: Named, values: Values, flag: string): string | undefined {
  const value = values[flag];
  if (value === "") throw usageError(command, `--${flag} is empty`);
  return value === undefined ? undefined : String(value);
}

/**
 * Reads the target from the arguments and the environment.
 *
 * @throws {TxfeedError} `usage` if they are invalid; the message repeats no secret
 */
export async function targetIn(
  command: Named,
  { positionals, values }: CommandCall,
): Promise<Target> {
  const [address = ""] = positionals;
  const problem = address === "" ? "is missing" : addressProblem(address);
  if (problem !== undefined) throw usageError(command, `BASE_URL ${problem}`);
  const baseUrl = new URL(address).href;
  const profile = profileIn(command, values);
  const bankLinkId = textIn(command, values, "bank-link");
  if (bankLinkId !== undefined && values.writes !== true) {
    throw usageError(command, "--bank-link requires --writes");
  }
  const listen = listenIn(command, values);
  const collectSeconds = numberIn(command, values, "collect", [0, LONGEST_COLLECT_SECONDS]);
  const driverName = textIn(command, values, "driver");
  const networks = networksIn(command, values);
  if (collectSeconds !== undefined && !listen && driverName === undefined) {
    throw usageError(command, "--collect requires --webhook-listen, or a driver that subscribes");
  }
  const target = {
    ...{ baseUrl, profile, networks, writes: values.writes === true },
    credentials: credentialsIn(command, values, profile),
    ...defined({
      ...{ bankLinkId, sdkCredentials: sdkCredentialsIn(command, values) },
      secondAccount: secondAccountIn(command, values),
      headers: headersIn(command, values),
      clientCertificate: await certificateIn(command, values),
      rate: numberIn(command, values, "rate", [1, 1_000]),
    }),
  };
  const driver =
    driverName === undefined ? undefined : await driverNamed(driverName, { baseUrl, networks });
  if (collectSeconds !== undefined && !listen && !driver?.subscribe) {
    const why = "because the driver does not subscribe";
    throw usageError(command, `--collect requires --webhook-listen, ${why}`);
  }
  const webhooks = { ...(listen ?? LOOPBACK), ...defined({ collectSeconds }) };
  const isReceiving = listen !== undefined || collectSeconds !== undefined;
  return { ...target, ...defined({ driver }), ...(isReceiving && { webhooks }) };
}

/** The members that have a value. */
function defined<T extends object>(all: T) {
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

const LOOPBACK = { host: "127.0.0.1", port: 0 };

function profileIn(command: Named, { profile = "full" }: Values): Profile {
  const problem = profileProblem(profile);
  if (problem !== undefined) throw usageError(command, `--profile ${problem}`);
  return profile as Profile;
}

/** Default credentials for a stateless mock, which accepts any. */
const FOR_A_MOCK = {
  "account-id": "mock-account",
  "client-id": "mock-client",
  "client-secret": "mock-secret",
};

function credentialsIn(command: Named, values: Values, profile: Profile): Credentials {
  const read = (flag: keyof typeof FOR_A_MOCK): string => {
    const value = given(values, flag) ?? (profile === "mock" ? FOR_A_MOCK[flag] : undefined);
    if (value === undefined) throw usageError(command, missing(flag));
    return value;
  };
  const [accountId, clientId] = [read("account-id"), read("client-id")];
  return { accountId, clientId, clientSecret: read("client-secret") };
}

function sdkCredentialsIn(command: Named, values: Values): Target["sdkCredentials"] {
  const flags = ["sdk-client-id", "sdk-client-secret"] as const;
  const [clientId, clientSecret] = flags.map((flag) => given(values, flag));
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  if (clientId === undefined && clientSecret === undefined) return undefined;
  const problem = missing(flags[clientId === undefined ? 0 : 1]);
  throw usageError(command, `${problem}: SDK credentials need both`);
}

/** The environment variable of a flag: `TXFEED_CLIENT_ID` of `client-id`. */
function variableOf(flag: string): string {
  return `TXFEED_${flag.toUpperCase().replaceAll("-", "_")}`;
}

function missing(flag: string): string {
  return `--${flag} or ${variableOf(flag)} is missing`;
}

/** Returns the value of a flag or its variable. CI sets empty variables: they count as unset. */
function given(values: Values, flag: string): string | undefined {
  const value = values[flag] ?? process.env[variableOf(flag)];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads `ID:CLIENT_ID:SECRET`. The secret may contain colons. */
function secondAccountIn(command: Named, values: Values): Credentials | undefined {
  const flag = values["second-account"];
  const value = flag ?? given(values, "second-account");
  if (value === undefined) return undefined;
  const [, accountId, clientId, clientSecret] = /^([^:]+):([^:]+):(.+)$/s.exec(String(value)) ?? [];
  if (accountId && clientId && clientSecret) return { accountId, clientId, clientSecret };
  const source = flag === undefined ? variableOf("second-account") : "--second-account";
  throw usageError(command, `${source} takes ID:CLIENT_ID:SECRET`);
}

/** Reads `HOST:PORT[/PATH]`. An IPv6 address is in brackets: `[::1]:4021`. */
function listenIn(
  command: Named,
  values: Values,
): { host: string; port: number; path?: string } | undefined {
  const value = values["webhook-listen"];
  if (value === undefined) return undefined;
  const [, bare, bracketed, digits, path] =
    /^(?:([^:[\]\s/]+)|\[([^\]\s]+)\]):(\d+)(\/\S*)?$/.exec(String(value)) ?? [];
  const host = bare ?? bracketed;
  const port = Number(digits);
  if (host === undefined || port > 65_535) {
    const wanted = "HOST:PORT[/PATH], such as 127.0.0.1:4021 or [::1]:0";
    throw usageError(command, `--webhook-listen takes ${wanted}, not "${value}"`);
  }
  if (path === undefined) return { host, port };
  const problem = pathProblem(path);
  if (problem === undefined) return { host, port, path };
  const example = `such as ${randomPath()}`;
  throw usageError(command, `--webhook-listen: invalid path "${path}": ${problem}, ${example}`);
}

/** Reads `NAME: VALUE`. No message repeats a value. */
function headersIn(command: Named, { header }: Values): Target["headers"] {
  if (header === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of [header].flat().map(String)) {
    const [, name, value = ""] = /^([^\s:]+):\s*(.*)$/s.exec(line) ?? [];
    if (name === undefined) throw usageError(command, "--header takes 'NAME: VALUE'");
    const read = gatewayHeader(name, value);
    if (typeof read === "string") throw usageError(command, `--header ${name}: ${read}`);
    if (read.name in headers) throw usageError(command, `--header ${name}: it is given twice`);
    headers[read.name] = value;
  }
  return headers;
}

async function certificateIn(command: Named, values: Values): Promise<Target["clientCertificate"]> {
  const cert = textIn(command, values, "client-cert");
  const key = textIn(command, values, "client-key") ?? cert;
  if (cert === undefined || key === undefined) {
    if (key !== undefined) throw usageError(command, "--client-key requires --client-cert");
    return undefined;
  }
  const certificate = { cert: await textOf(cert), key: await textOf(key) };
  const problem = certificateProblem(certificate);
  if (problem === undefined) return certificate;
  throw usageError(command, `--client-cert ${cert} can't be used: ${problem}`);
}

/**
 * Loads the driver that `--driver` names: a file, a package, or `sandbox` for the bundled one.
 *
 * @throws {TxfeedError} `usage` if it can't be loaded or is not a driver
 */
async function driverNamed(name: string, context: DriverContext): Promise<Driver> {
  try {
    return await loadDriver(await moduleNamed(name), context);
  } catch (error) {
    const [why] = reasonOf(error).split("\n");
    throw new UsageError(`--driver ${name}: ${why}`, { cause: error });
  }
}

/** Drivers are imported as by this module, with the packages of the working directory. */
const IMPORTER = join(process.cwd(), "txfeed-driver");

/** Imports a module of the working directory, in its ES module form if it has two. */
async function importHere(specifier: string): Promise<object> {
  // Node.js 22 has it since 22.15.
  const hooks = module.registerHooks?.({
    resolve: (wanted, context, next) => {
      const parentURL = pathToFileURL(IMPORTER).href;
      return next(wanted, wanted === specifier ? { ...context, parentURL } : context);
    },
  });
  try {
    return await import(specifier);
  } finally {
    hooks?.deregister();
  }
}

async function moduleNamed(name: string): Promise<object> {
  if (name === "sandbox") return import("../drivers/sandbox.ts");
  const specifier = specifierOf(name);
  try {
    return await importHere(specifier);
  } catch (error) {
    if (isMissing(error)) {
      const remedy = "txfeed driver init writes a skeleton";
      throw new Error(`there is no such file or package; ${remedy}`);
    }
    throw new Error(`it can't be loaded: ${reasonOf(error)}`);
  }
}

/** A file takes precedence over a package: `my-driver.js` may be in the working directory. */
function specifierOf(name: string): string {
  const file = resolve(name);
  const found = name.startsWith("file:") ? undefined : statSync(file, { throwIfNoEntry: false });
  if (found?.isFile()) return pathToFileURL(file).href;
  if (!isAbsolute(name) && !/^\.\.?([/\\]|$)/.test(name)) return name;
  if (found?.isDirectory()) throw new Error("it is a folder; give the path of its module");
  return pathToFileURL(file).href;
}

/** Whether the module itself is missing, not one that it imports. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === "ERR_MODULE_NOT_FOUND" && String(message).endsWith(`imported from ${IMPORTER}`);
}
