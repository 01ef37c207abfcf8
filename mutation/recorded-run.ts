import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Evidence, EvidenceReader, evidenceLine } from "../conformance/wire/evidence.ts";
import { writeAtomically } from "../src/cli/file.ts";
import { failedClaims, runTrial } from "./trial.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The code that a recorded run depends on. */
const DECIDING = ["{src,generated,conformance}/**/*.{ts,js}", "mutation/{trial,relay,mutant}.ts"];

/**
 * The file with the evidence of a run of the whole suite, with every option, against the
 * unmodified sandbox. It is recorded once for each state of the code.
 */
export async function recordedRun(): Promise<string> {
  const hash = createHash("sha256");
  for (const file of globSync(DECIDING, { cwd: ROOT }).toSorted()) {
    hash.update(file).update(readFileSync(join(ROOT, file)));
  }
  const name = `${hash.digest("hex").slice(0, 16)}.ndjson`;
  const file = join(ROOT, "node_modules/.cache/recorded-run", name);
  if (existsSync(file)) return file;
  const entries: Evidence[] = [];
  const { report } = await runTrial({ onEvidence: (entry) => entries.push(entry) });
  if (report.claims.failed > 0 || report.brokenOff !== undefined) {
    const found = report.brokenOff ?? failedClaims(report).join(" ");
    throw new Error(`no run was recorded: the suite finds in the unmodified sandbox: ${found}`);
  }
  mkdirSync(dirname(file), { recursive: true });
  await writeAtomically(file, entries.map(evidenceLine).join(""));
  return file;
}

/** Reads the entries of a recorded run. */
export function readRun(file: string): readonly Evidence[] {
  const reader = new EvidenceReader();
  for (const [at, line] of readFileSync(file, "utf8").trimEnd().split("\n").entries()) {
    reader.add(line, at + 1);
  }
  return reader.end();
}
