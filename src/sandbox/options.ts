import { BlockList, isIPv6 } from "node:net";
import * as z from "zod";
import { DEFAULT_NETWORKS } from "../contract/index.ts";
import { UsageError } from "../errors.ts";
import { assertKnownOptions } from "../options.ts";
import { ClockTime, filledText, textLike, WholeNumber } from "../world/fields.ts";
import { badRequest, Refusal } from "../world/refusal.ts";
import { readInput } from "../world/schema.ts";
import { ClockMode } from "./clock.ts";
import { EndpointParams } from "./delivery/endpoints.ts";
import type { SandboxOptions } from "./sandbox.ts";
import { WorldName } from "./seed-data/index.ts";

const DEFAULT_SEED = 1;

/** The start of a frozen clock if no time is set. */
const FROZEN_START = "2026-01-05T09:00:00.000Z";

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Whether only this machine reaches a host. A name other than localhost may lead anywhere. */
function isLoopback(host: string): boolean {
  return host === "localhost" || loopback.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

const ConfiguredCode = textLike(/^[^=\s]+$/, "a network's code, without blanks");

const Options = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  host: filledText().optional(),
  data: filledText().optional(),
  seed: WholeNumber.optional(),
  world: WorldName.optional(),
  clock: ClockMode.optional(),
  now: ClockTime.optional(),
  networks: z.strictObject({ a: ConfiguredCode, b: ConfiguredCode, c: ConfiguredCode }).optional(),
  webhooks: z.array(EndpointParams).optional(),
  validate: z.boolean().optional(),
});

/** The options of a sandbox, with all defaults. */
export type SandboxSettings = ReturnType<typeof settingsOf>;

/**
 * Reads the options of `createSandbox`.
 *
 * @throws {TxfeedError} `usage`: an error that names the first unknown or invalid option
 */
export function readOptions(options: SandboxOptions): SandboxSettings {
  assertKnownOptions("createSandbox", options, Object.keys(Options.shape));
  try {
    return settingsOf(options);
  } catch (error) {
    throw usageOf(error);
  }
}

function settingsOf(options: SandboxOptions) {
  const given = readInput(Options, options, "createSandbox");
  const { host = "127.0.0.1", seed, clock = "real", networks = DEFAULT_NETWORKS } = given;
  if (new Set([networks.a, networks.b, networks.c]).size < 3) {
    throw badRequest("createSandbox: networks: must be three different codes");
  }
  const start = given.now ?? (clock === "frozen" ? FROZEN_START : undefined);
  return {
    port: given.port ?? 0,
    host,
    data: given.data,
    world: given.world ?? "small",
    seed: seed ?? DEFAULT_SEED,
    // Anyone who knows the seed knows the secrets.
    hasRandomSecrets: seed === undefined && !isLoopback(host),
    clock,
    /** When the clock starts, in milliseconds since 1970; undefined for now. */
    startMs: start === undefined ? undefined : Date.parse(start),
    networks,
    webhooks: given.webhooks ?? [],
    validate: given.validate ?? false,
  };
}

/** Turns the Refusal of an option into a UsageError; returns other errors unchanged. */
export function usageOf(error: unknown): unknown {
  return error instanceof Refusal ? new UsageError(error.message) : error;
}
