import { type RequirementId, requirementIds } from "../../generated/requirements.ts";
import { type TxfeedError, UsageError } from "../../src/errors.ts";
import { suggestion } from "../../src/nearest.ts";
import { assertDuration, assertInteger } from "../../src/options.ts";
import { type Group, groups } from "../report/report.ts";
import type { Target } from "../target.ts";
import { certificateProblem, type GatewayHeader, gatewayHeader } from "../wire/gateway.ts";

/** Validates the options of a run, for the API and for the command line. */

/** A day. */
export const LONGEST_COLLECT_SECONDS = 86_400;

/** Describes why a base URL is invalid. The URL may contain a secret: it is not repeated. */
export function addressProblem(address: unknown): string | undefined {
  const url = typeof address === "string" ? URL.parse(address) : null;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url && isHttp && !url.username && !url.password && !/[?#]/.test(url.href)) return undefined;
  return "takes http(s)://HOST[:PORT][/PATH], with no user, query or fragment";
}

export function profileProblem(profile: unknown): string | undefined {
  return profile === "full" || profile === "mock"
    ? undefined
    : `takes full or mock, not "${profile}"`;
}

/**
 * Finds the groups and ids with these names, in upper or lower case.
 *
 * @param errorOf Makes the error for an unknown name.
 */
export function requirementsNamed(
  words: readonly string[],
  errorOf: (problem: string) => TxfeedError,
): readonly (Group | RequirementId)[] {
  const known: readonly (Group | RequirementId)[] = [...groups, ...requirementIds];
  return words.map((word) => {
    const name = String(word).trim();
    const found = known.find((one) => one === name.toUpperCase());
    if (found) return found;
    const advice = suggestion(name, known, "txfeed conformance --list shows all");
    throw errorOf(`there is no group or requirement "${name}"; ${advice}`);
  });
}

/**
 * Validates the option `only`.
 *
 * @throws {TxfeedError} `usage` for an unknown name, and for an empty list.
 */
export function onlyOption(
  only: readonly string[] | undefined,
): readonly (Group | RequirementId)[] | undefined {
  if (only === undefined) return undefined;
  if (!Array.isArray(only) || only.length === 0) {
    throw new UsageError(
      "option 'only' takes a list of groups and ids; omit it to run every check",
    );
  }
  return requirementsNamed(only, (problem) => new UsageError(`only: ${problem}`));
}

/**
 * Validates a target.
 *
 * @throws {TxfeedError} `usage` if it is invalid; the message repeats no secret
 */
export function checkTarget(target: Target | undefined): asserts target is Target {
  if (typeof target !== "object" || target === null) {
    throw new UsageError("the target is missing: pass baseUrl, credentials and profile");
  }
  const { baseUrl, profile, credentials, sdkCredentials, secondAccount, webhooks } = target;
  const address = addressProblem(baseUrl);
  if (address !== undefined) throw new UsageError(`baseUrl ${address}`);
  const wrongProfile = profileProblem(profile);
  if (wrongProfile !== undefined) throw new UsageError(`profile ${wrongProfile}`);
  const ofClient = ["clientId", "clientSecret"];
  checkTexts("credentials", credentials, ["accountId", ...ofClient]);
  if (sdkCredentials) checkTexts("sdkCredentials", sdkCredentials, ofClient);
  if (secondAccount) checkTexts("secondAccount", secondAccount, ["accountId", ...ofClient]);
  if (target.rate !== undefined) assertInteger("rate", target.rate);
  const problem = target.clientCertificate && certificateProblem(target.clientCertificate);
  if (problem !== undefined) throw new UsageError(`clientCertificate can't be used: ${problem}`);
  const seconds = webhooks?.collectSeconds ?? 0;
  if (isCollectTime(seconds)) return;
  throw new UsageError(`webhooks.collectSeconds takes a number from 0 to 86,400, not ${seconds}`);
}

/**
 * Reads the headers of a target.
 *
 * @throws {TxfeedError} `usage` if one is invalid; the message repeats no value
 */
export function headersOf({ headers = {} }: Target): readonly GatewayHeader[] {
  return Object.entries(headers).map(([name, text]) => {
    const header = gatewayHeader(name, String(text));
    if (typeof header === "string")
      throw new UsageError(`headers: ${JSON.stringify(name)}: ${header}`);
    return header;
  });
}

function checkTexts(name: string, values: unknown, wanted: readonly string[]): void {
  for (const each of wanted) {
    const value = (values as Record<string, unknown> | undefined)?.[each];
    if (typeof value !== "string" || value === "")
      throw new UsageError(`${name}.${each} is missing`);
  }
}

/**
 * Returns the time limit of a run, in milliseconds.
 *
 * @param name The name of the option.
 * @param standardMs The default, without the time for collecting deliveries.
 */
export function limitOption(
  name: string,
  given: number | undefined,
  { standardMs, collectMs }: { readonly standardMs: number; readonly collectMs: number },
): number {
  const limitMs = given ?? standardMs + collectMs;
  assertDuration(name, limitMs);
  if (limitMs > collectMs) return limitMs;
  const collecting = `webhooks.collectSeconds takes ${collectMs / 1_000} s`;
  throw new UsageError(`${name} of ${limitMs} ms is too short: ${collecting}`);
}

/** Returns the minimum time to collect deliveries, in milliseconds; 0 if it is invalid. */
export function collectMsOf(target: Target | undefined): number {
  const seconds = target?.webhooks?.collectSeconds ?? 0;
  return isCollectTime(seconds) ? Math.ceil(seconds * 1_000) : 0;
}

function isCollectTime(seconds: number): boolean {
  return seconds >= 0 && seconds <= LONGEST_COLLECT_SECONDS;
}
