import { createHash } from "node:crypto";
import { appendFileSync, existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./files.ts";
import type { Verdict } from "./task.ts";

/** A line of the file: a mutant's verdict, and the state of the code that it belongs to. */
interface Row {
  readonly key: string;
  readonly code: string;
  readonly verdict: Verdict;
}

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
    const rows = readFileSync(this.#file, "utf8").split("\n").flatMap(rowOf);
    const own = rows.filter(({ code }) => code === this.#code);
    return new Map(own.map(({ key, verdict }) => [key, verdict]));
  }

  add(key: string, verdict: Verdict): void {
    mkdirSync(dirname(this.#file), { recursive: true });
    appendFileSync(this.#file, `${JSON.stringify({ key, code: this.#code, verdict })}\n`);
  }
}

/** The last line of an interrupted run may be incomplete. */
function rowOf(line: string): Row[] {
  try {
    return [JSON.parse(line) as Row];
  } catch {
    return [];
  }
}

/** The code that decides a verdict. */
const DECIDING = [
  "{src,generated,conformance,mutants/scripts}/**/*.ts",
  "mutants/{files,instrument,rank,run-task,worker}.ts",
  "mutation/trial.ts",
];

/** The digest of the code that decides a verdict. */
export function digestOfCode(): string {
  const hash = createHash("sha256");
  for (const file of globSync(DECIDING, { cwd: ROOT }).toSorted()) {
    hash.update(`${file}\n`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest("hex").slice(0, 12);
}
