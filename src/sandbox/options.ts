import { BlockList, isIPv6 } from "node:net";
import * as z from "zod";
import { DEFAULT_NETWORKS, type Networks } from "../contract/index.ts";
import { UsageError } from "../errors.ts";
import { assertKnownOptions } from "../options.ts";
import * as schemas from "./control/schemas.ts";
import { read } from "./read.ts";
import { Refusal } from "./refusal.ts";
import type { SandboxOptions } from "./sandbox.ts";

const code = z.string().regex(/^[^=\s]+$/, "takes a network's code, without blanks");

const networks = z
  .strictObject({ a: code, b: code, c: code })
  .refine(({ a, b, c }) => new Set([a, b, c]).size === 3, "takes three different codes")
  .default(DEFAULT_NETWORKS) satisfies z.ZodType<Networks>;

const DEFAULT_SEED = 1;

/** Where a frozen clock stands unless it is told. */
const FROZEN_START = "2026-01-05T09:00:00.000Z";

const { mode, now } = schemas.clockSetting.shape;
const { world, seed } = schemas.resetParams.shape;

const members = z.strictObject({
  port: z.int().min(0).max(65_535).default(0),
  host: z.string().min(1).default("127.0.0.1"),
  data: z.string().min(1).optional(),
  seed,
  world: world.default("small"),
  clock: mode.default("real"),
  now,
  networks,
  webhooks: z.array(schemas.endpointParams).default([]),
  validate: z.boolean().default(false),
});

const sandboxOptions = members.transform(({ now, seed, ...rest }) => {
  const start = now ?? (rest.clock === "frozen" ? FROZEN_START : undefined);
  const startMs = start === undefined ? undefined : Date.parse(start);
  // Anyone who knows the seed knows the secrets.
  const hasRandomSecrets = seed === undefined && !isLoopback(rest.host);
  return { ...rest, seed: seed ?? DEFAULT_SEED, hasRandomSecrets, startMs };
});

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8);
loopback.addAddress("::1", "ipv6");

/** Whether only this machine reaches a host. A name other than localhost may lead anywhere. */
function isLoopback(host: string): boolean {
  return host === "localhost" || loopback.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

/** How a sandbox is to be, in all that it can be. */
export type SandboxSettings = z.output<typeof sandboxOptions>;

/**
 * Reads the options. Throws a TxfeedError `usage` that names the first one that is unknown, or out
 * of its range.
 */
export function readOptions(options: SandboxOptions): SandboxSettings {
  assertKnownOptions("createSandbox", options, Object.keys(members.shape));
  try {
    return read(sandboxOptions, options, "createSandbox");
  } catch (error) {
    throw usageOf(error);
  }
}

/** What an option was refused with, as the error of a call; any other error as it is. */
export function usageOf(error: unknown): unknown {
  return error instanceof Refusal ? new UsageError(error.message) : error;
}
