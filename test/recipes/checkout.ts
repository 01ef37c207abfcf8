import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProgramResult } from "../../scripts/temp-workspace.ts";
import type { Breakage } from "../../src/breaks/change.ts";
import { ROOT } from "../document.ts";
import { start } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

const COPIED = [
  ...["spec", "generated", "scripts", "src", "conformance", "bin"],
  ...["package.json", "tsconfig.json", "tsconfig"],
];

/** A copy of the checkout that a test may edit. It is removed after the test. */
export class Checkout {
  readonly dir: string;

  private constructor(dir: string) {
    this.dir = dir;
  }

  static async copy(): Promise<Checkout> {
    const dir = tempDir();
    for (const part of COPIED) await cp(join(ROOT, part), join(dir, part), { recursive: true });
    await symlink(join(ROOT, "node_modules"), join(dir, "node_modules"));
    return new Checkout(dir);
  }

  /** Replaces text in a file. Throws if the file does not contain it. */
  async edit(file: string, from: string, to: string): Promise<void> {
    const path = join(this.dir, file);
    const before = await readFile(path, "utf8");
    if (!before.includes(from)) throw new Error(`${file} has no ${from}`);
    await writeFile(path, before.replaceAll(from, to));
  }

  read(file: string): Promise<string> {
    return readFile(join(this.dir, file), "utf8");
  }

  async write(file: string, text: string): Promise<void> {
    const path = join(this.dir, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }

  remove(path: string): Promise<void> {
    return rm(join(this.dir, path), { recursive: true });
  }

  /** Creates a git repository in the copy and commits `generated/`. */
  async commitGenerated(): Promise<void> {
    const author = ["-c", "user.name=test", "-c", "user.email=test@example.com"];
    const flags = ["--quiet", "--no-verify", "--no-gpg-sign", "--message", "generated"];
    for (const args of [
      ["init", "--quiet"],
      ["add", "generated"],
      [...author, "commit", ...flags],
    ]) {
      const { status, stderr } = await this.#run("git", ...args);
      if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
    }
  }

  /** Runs `npm run generate`. */
  generate(): Promise<ProgramResult> {
    return this.#node("scripts/generate/main.ts");
  }

  /** Runs `npm run check:coverage`. */
  coverage(): Promise<ProgramResult> {
    return this.#node("scripts/coverage.ts");
  }

  /** Compares the original checkout's document with this one by `txfeed breaks`. */
  async breaks(): Promise<ProgramResult & { readonly breakage: Breakage }> {
    const document = "generated/openapi.json";
    const documents = [join(ROOT, document), document];
    const outcome = await this.#node("bin/txfeed.ts", "breaks", ...documents, "--format=json");
    if (outcome.stdout === "") throw new Error(`breaks: ${outcome.stderr}`);
    return { ...outcome, breakage: JSON.parse(outcome.stdout) };
  }

  /**
   * Type-checks the published files, as `npm run typecheck` does for all files.
   *
   * @returns The files with errors, each once.
   */
  async filesWithTypeErrors(): Promise<string[]> {
    const tsc = "node_modules/typescript/bin/tsc";
    const flags = ["-p", "tsconfig/build.json", "--noEmit", "--pretty", "false"];
    const { stdout } = await this.#node(tsc, ...flags);
    const files = stdout.split("\n").flatMap((line) => /^(\S+?)\(\d+,\d+\): error/.exec(line)?.[1]);
    return [...new Set(files.filter((file) => file !== undefined))].sort();
  }

  #node(script: string, ...args: string[]): Promise<ProgramResult> {
    return this.#run(process.execPath, script, ...args);
  }

  #run(command: string, ...args: string[]): Promise<ProgramResult> {
    return start(command, args, { cwd: this.dir, env: { NO_COLOR: "1", TXFEED_DEBUG: "" } }).ended;
  }
}
