import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Sandbox } from "../../src/sandbox/index.ts";
import { ROOT } from "../package-tarball.ts";
import type { TempWorkspace } from "../temp-workspace.ts";

/** The OpenAPI document that the tools read. */
export const DOCUMENT = join(ROOT, "generated/openapi.yaml");

/** Packages, and those that they depend on, are installed as of this moment. */
const PACKAGES_BEFORE = "2026-11-22T00:00:00Z";

/** The servers that tools send requests to. */
export interface Servers {
  /** The base address of the mock. */
  readonly mockUrl: string;
  readonly sandbox: Sandbox;
}

/** A tool that reads the OpenAPI document. */
export interface Tool {
  readonly name: string;
  /** The npm packages of the tool with their versions, itself first; empty for a dev dependency. */
  readonly packages: Readonly<Record<string, string>>;
  readonly version: string;
  /**
   * Runs the tool.
   *
   * @returns what worked, in a line. Throws a {@link ToolMissing} if the machine cannot run the
   * tool, and another Error if the tool fails or reports something against the document.
   */
  readonly check: (folder: ToolFolder, servers: Servers) => Promise<string>;
}

/** The machine lacks something that a tool needs. */
export class ToolMissing extends Error {}

/** A temporary folder with the packages of one tool. */
export class ToolFolder {
  readonly dir: string;
  readonly #workshop: TempWorkspace;

  constructor(workshop: TempWorkspace, name: string) {
    this.dir = join(workshop.dir, name.replaceAll(" ", "-"));
    this.#workshop = workshop;
  }

  /** Creates the folder and installs packages into it. No install script runs. */
  async install(packages: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(this.dir);
    await this.write("package.json", JSON.stringify({ type: "module", dependencies: packages }));
    if (Object.keys(packages).length === 0) return;
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"];
    await this.run("npm", ["install", ...flags, `--before=${PACKAGES_BEFORE}`]);
  }

  write(name: string, content: string): Promise<void> {
    return writeFile(join(this.dir, name), content);
  }

  /** Runs a script of the installed packages. */
  bin(name: string, args: readonly string[]): Promise<string> {
    return this.run(join(this.dir, "node_modules/.bin", name), args);
  }

  /** Runs a program in the folder, and gives what it printed. Throws if it fails. */
  async run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const { status, printed } = await this.end(command, args, env);
    if (status !== 0) throw new Error(printed);
    return printed;
  }

  /** Runs a program in the folder, whatever its exit status. */
  async end(
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    timeoutMs = 240_000,
  ) {
    const { stdout, stderr, status } = await this.#workshop.run(command, args, {
      cwd: this.dir,
      env: { ...process.env, ...QUIET, TMPDIR: this.#workshop.dir, ...env },
      timeoutMs,
    });
    return { status, printed: stripVTControlCharacters(stdout + stderr) };
  }
}

/** No tool reports its use or looks for updates. */
const QUIET = {
  DO_NOT_TRACK: "1",
  NO_COLOR: "1",
  NO_UPDATE_NOTIFIER: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  SPECMATIC_DISABLE_TELEMETRY: "true",
};
