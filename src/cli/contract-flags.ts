import { DEFAULT_NETWORKS, type Networks } from "../contract/index.ts";
import { type CommandCall, type Flag, usageError } from "./command.ts";

type Named = Readonly<{ name: string }>;

/** The flag of every command that validates payloads. */
export const NETWORKS_FLAG: Flag = {
  type: "string",
  value: "A=...,B=...,C=...",
  help: "network codes (default: NETWORK_A, NETWORK_B, NETWORK_C)",
};

/** The flags of the commands that report on a capture. */
export const REPORT_FLAGS = {
  networks: NETWORKS_FLAG,
  strict: { type: "boolean", help: "count warnings as errors" },
} as const satisfies Record<string, Flag>;

/**
 * The networks of `--networks`.
 *
 * @throws {TxfeedError} `usage` if the value is malformed.
 */
export function networksIn(command: Named, { networks }: CommandCall["values"]): Networks {
  const codes: Record<string, string> = {};
  if (typeof networks === "string") {
    for (const part of networks.split(",")) {
      const [, key, code] = /^\s*([ABCabc])=([^=\s]+)\s*$/.exec(part) ?? [];
      if (!key || !code || codes[key.toLowerCase()] !== undefined) {
        throw usageError(command, `--networks takes A=...,B=...,C=..., not "${networks}"`);
      }
      codes[key.toLowerCase()] = code;
    }
  }
  const configured = { ...DEFAULT_NETWORKS, ...codes };
  if (new Set(Object.values(configured)).size < 3) {
    throw usageError(command, `--networks gives two networks one code: "${networks}"`);
  }
  return configured;
}
