import type { Command } from "./command.ts";

/**
 * Every command, by its name and in the order in which the help shows them. A program runs one: to
 * load the others would take longer than to start a sandbox.
 */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  validate: async () => (await import("./validate.ts")).validate,
  history: async () => (await import("./history.ts")).history,
  listen: async () => (await import("./listen.ts")).listen,
  conformance: async () => (await import("./conformance.ts")).conformance,
  report: async () => (await import("./report.ts")).report,
  mock: async () => (await import("./mock.ts")).mock,
  sandbox: async () => (await import("./sandbox.ts")).sandbox,
  breaks: async () => (await import("./breaks.ts")).breaks,
  trigger: async () => (await import("./trigger.ts")).trigger,
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
