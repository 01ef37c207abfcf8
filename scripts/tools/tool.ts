import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Sandbox } from "../../src/sandbox/index.ts";
import { ROOT } from "../package-tarball.ts";
import type { TempWorkspace } from "../temp-workspace.ts";

/** The OpenAPI document that the tools read. */
export const DOCUMENT = join(ROOT, "generated/openapi.yaml");

/** Packages and their dependencies are installed as of this date. */
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
   * @returns One line that describes what worked.
   * @throws {ToolMissing} The machine cannot run the tool.
   * @throws {Error} The tool fails or reports findings on the document.
   */
  readonly check: (folder: ToolFolder, servers: Servers) => Promise<string>;
}

/** The machine lacks a program that a tool requires. */
export class ToolMissing extends Error {}

/** A temporary folder with the packages of one tool. */
export class ToolFolder {
  readonly dir: string;
  readonly #workspace: TempWorkspace;

  constructor(workspace: TempWorkspace, name: string) {
    this.dir = join(workspace.dir, name.replaceAll(" ", "-"));
    this.#workspace = workspace;
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

  /** Runs a program in the folder and returns its output. Throws if it fails. */
  async run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const { status, printed } = await this.end(command, args, env);
    if (status !== 0) throw new Error(printed);
    return printed;
  }

  /** Runs a program in the folder and returns its output and exit status. */
  async end(
    command: string,
    args: readonly string[],
    env: NodeJS.ProcessEnv = {},
    timeoutMs = 240_000,
  ) {
    const { stdout, stderr, status } = await this.#workspace.run(command, args, {
      cwd: this.dir,
      env: { ...process.env, ...QUIET, TMPDIR: this.#workspace.dir, ...env },
      timeoutMs,
    });
    return { status, printed: stripVTControlCharacters(stdout + stderr) };
  }
}

/** Disables telemetry and update checks of tools. */
const QUIET = {
  DO_NOT_TRACK: "1",
  NO_COLOR: "1",
  NO_UPDATE_NOTIFIER: "1",
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  SPECMATIC_DISABLE_TELEMETRY: "true",
};
