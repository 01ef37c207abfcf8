import type { Command } from "../src/cli/command.ts";

/**
 * Every command, by its name and in the order in which the help shows them. A program runs one: to
 * load the others would take longer than to start a sandbox.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  validate: async () => (await import("../src/cli/validate.ts")).validate,
  history: async () => (await import("../src/cli/history.ts")).history,
  listen: async () => (await import("../src/cli/listen.ts")).listen,
  conformance: async () => (await import("../conformance/cli/conformance.ts")).conformance,
  report: async () => (await import("../conformance/cli/report.ts")).report,
  mock: async () => (await import("../src/cli/mock.ts")).mock,
  sandbox: async () => (await import("../src/cli/sandbox.ts")).sandbox,
  breaks: async () => (await import("../src/cli/breaks.ts")).breaks,
  trigger: async () => (await import("../src/cli/trigger.ts")).trigger,
};

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(COMMANDS);

/** Loads a command; resolves to undefined where there is none of that name. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name]?.() : undefined;
}

/** Loads all commands. */
export function loadCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
