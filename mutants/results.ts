import { createHash } from "node:crypto";
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./files.ts";
import type { Verdict } from "./task.ts";

/** The verdicts that are kept on disk, so that an interrupted run can be continued. */
export class Results {
  readonly #file: string;
  readonly #code: string;

  /** @param code The digest of the code that verdicts belong to. */
  constructor(file: string, code: string) {
    this.#file = file;
    this.#code = code;
  }

  /** The verdicts of the same code, by the mutant's key. */
  read(): Map<string, Verdict> {
    if (!existsSync(this.#file)) return new Map();
    const verdicts = new Map<string, Verdict>();
    for (const line of readFileSync(this.#file, "utf8").split("\n")) {
      try {
        const { key, code, verdict } = JSON.parse(line);
        if (code === this.#code) verdicts.set(key, verdict);
      } catch {
        // The last line of an interrupted run may be incomplete.
      }
    }
    return verdicts;
  }

  add(key: string, verdict: Verdict): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, `${JSON.stringify({ key, code: this.#code, verdict })}\n`);
  }
}

/** The code that decides a verdict. */
const DECIDING = [
  "{src,generated,conformance,mutants/scripts}/**/*.ts",
  "mutants/{files,instrument,run-task,task,worker}.ts",
  "mutation/trial.ts",
];

export function digestOfCode(): string {
  const hash = createHash("sha256");
  for (const file of globSync(DECIDING, { cwd: ROOT }).toSorted()) {
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex").slice(0, 12);
}
