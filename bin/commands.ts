import type { Command } from "../src/cli/command.ts";

/**
 * All commands by name, in the order of the help. Only the one that runs is loaded: loading the
 * others would take longer than starting a sandbox.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  validate: async () => (await import("../src/cli/validate.ts")).validate,
  history: async () => (await import("../src/cli/history.ts")).history,
  listen: async () => (await import("../src/cli/listen.ts")).listen,
  conformance: async () => (await import("../conformance/cli/conformance.ts")).conformance,
  report: async () => (await import("../conformance/cli/report.ts")).report,
  compare: async () => (await import("../conformance/cli/compare.ts")).compare,
  driver: async () => (await import("../conformance/cli/driver.ts")).driver,
  mock: async () => (await import("../src/cli/mock.ts")).mock,
  sandbox: async () => (await import("../src/cli/sandbox.ts")).sandbox,
  breaks: async () => (await import("../src/cli/breaks.ts")).breaks,
  trigger: async () => (await import("../src/cli/trigger.ts")).trigger,
  queue: async () => (await import("../src/cli/queue.ts")).queue,
};

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(COMMANDS);

/** Loads a command; undefined if there is no such command. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.() : undefined;
}

/** Loads all commands. */
export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
