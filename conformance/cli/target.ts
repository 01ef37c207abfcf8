import { statSync } from "node:fs";
import module from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Command, type CommandCall, usageError } from "../../src/cli/command.ts";
import { networksIn } from "../../src/cli/contract-flags.ts";
import { textOf } from "../../src/cli/input.ts";
import { reasonOf, UsageError } from "../../src/errors.ts";
import { type Driver, type DriverContext, loadDriver } from "../driver.ts";
import { addressProblem, LONGEST_COLLECT_SECONDS, profileProblem } from "../run/usage.ts";
import type { Credentials, Profile, Target } from "../target.ts";
import { certificateProblem, gatewayHeader } from "../wire/gateway.ts";
import { pathProblem, randomPath } from "../wire/receiver.ts";
import { numberIn } from "./flags.ts";

type Named = Pick<Command, "name">;
type Values = CommandCall["values"];

/**
 * Reads the target from the arguments and the environment.
 *
 * @throws {TxfeedError} `usage` if they are invalid; the message repeats no secret
 */
export async function targetIn(
  command: Named,
  { positionals, values }: CommandCall,
): Promise<Target> {
  const [baseUrl = ""] = positionals;
  if (baseUrl === "") throw usageError(command, "BASE_URL is missing");
  const url = baseUrlIn(command, baseUrl);
  const profile = profileIn(command, values);
  const sdkCredentials = sdkCredentialsIn(command, values);
  const secondAccount = secondAccountIn(command, values);
  const bankLinkId = textIn(command, values, "bank-link");
  if (bankLinkId !== undefined && values.writes !== true) {
    throw usageError(command, "--bank-link requires --writes");
  }
  const listen = listenIn(command, values);
  const collectSeconds = numberIn(command, values, "collect", [0, LONGEST_COLLECT_SECONDS]);
  const driverName = textIn(command, values, "driver");
  const networks = networksIn(command, values);
  const rate = numberIn(command, values, "rate", [1, 1_000]);
  const headers = headersIn(command, values);
  const clientCertificate = await certificateIn(command, values);
  if (collectSeconds !== undefined && !listen && driverName === undefined) {
    throw usageError(command, "--collect requires --webhook-listen, or a driver that subscribes");
  }
  const target: Target = {
    baseUrl: url,
    profile,
    credentials: credentialsIn(command, values, profile),
    networks,
    writes: values.writes === true,
    ...(sdkCredentials && { sdkCredentials }),
    ...(secondAccount && { secondAccount }),
    ...(bankLinkId !== undefined && { bankLinkId }),
    ...(headers && { headers }),
    ...(clientCertificate && { clientCertificate }),
    ...(rate !== undefined && { rate }),
  };
  const driver =
    driverName === undefined
      ? undefined
      : await driverNamed(driverName, { baseUrl: url, networks });
  if (collectSeconds !== undefined && !listen && !driver?.subscribe) {
    throw usageError(
      command,
      "--collect requires --webhook-listen, because the driver does not subscribe",
    );
  }
  const isReceiving = listen !== undefined || collectSeconds !== undefined;
  return {
    ...target,
    ...(driver && { driver }),
    ...(isReceiving && {
      webhooks: {
        ...(listen ?? LOOPBACK),
        ...(collectSeconds !== undefined && { collectSeconds }),
      },
    }),
  };
}

const LOOPBACK = { host: "127.0.0.1", port: 0 };

function baseUrlIn(command: Named, text: string): string {
  const problem = addressProblem(text);
  if (problem !== undefined) throw usageError(command, `BASE_URL ${problem}`);
  return new URL(text).href;
}

function profileIn(command: Named, { profile }: Values): Profile {
  if (profile === undefined) return "full";
  const problem = profileProblem(profile);
  if (problem !== undefined) throw usageError(command, `--profile ${problem}`);
  return profile as Profile;
}

/** Default credentials for a stateless mock, which accepts any. */
const FOR_A_MOCK: Credentials = {
  accountId: "mock-account",
  clientId: "mock-client",
  clientSecret: "mock-secret",
};

function credentialsIn(command: Named, values: Values, profile: Profile): Credentials {
  const read = (name: keyof Credentials, flag: string, variable: string): string => {
    const value = given(values, flag, variable);
    if (value !== undefined) return value;
    if (profile === "mock") return FOR_A_MOCK[name];
    throw usageError(command, `--${flag} or ${variable} is missing`);
  };
  return {
    accountId: read("accountId", "account-id", "TXFEED_ACCOUNT_ID"),
    clientId: read("clientId", "client-id", "TXFEED_CLIENT_ID"),
    clientSecret: read("clientSecret", "client-secret", "TXFEED_CLIENT_SECRET"),
  };
}

function sdkCredentialsIn(command: Named, values: Values): Target["sdkCredentials"] {
  const clientId = given(values, "sdk-client-id", "TXFEED_SDK_CLIENT_ID");
  const clientSecret = given(values, "sdk-client-secret", "TXFEED_SDK_CLIENT_SECRET");
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret };
  if (clientId === undefined && clientSecret === undefined) return undefined;
  const [flag, variable] =
    clientId === undefined
      ? ["sdk-client-id", "TXFEED_SDK_CLIENT_ID"]
      : ["sdk-client-secret", "TXFEED_SDK_CLIENT_SECRET"];
  throw usageError(command, `--${flag} or ${variable} is missing: SDK credentials need both`);
}

/** Returns the value of a flag or its variable. CI sets empty variables: they count as unset. */
function given(values: Values, flag: string, variable: string): string | undefined {
  const value = values[flag] ?? process.env[variable];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Reads `ID:CLIENT_ID:SECRET`. The secret may contain colons. */
function secondAccountIn(command: Named, values: Values): Credentials | undefined {
  const flag = values["second-account"];
  const value = flag ?? given(values, "second-account", "TXFEED_SECOND_ACCOUNT");
  if (value === undefined) return undefined;
  const [, accountId, clientId, clientSecret] = /^([^:]+):([^:]+):(.+)$/s.exec(String(value)) ?? [];
  if (accountId && clientId && clientSecret) return { accountId, clientId, clientSecret };
  const source = flag === undefined ? "TXFEED_SECOND_ACCOUNT" : "--second-account";
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

function textIn(command: Named, values: Values, flag: string): string | undefined {
  const value = values[flag];
  if (value === "") throw usageError(command, `--${flag} is empty`);
  return value === undefined ? undefined : String(value);
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
