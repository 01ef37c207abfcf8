import { isAbsolute, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { type RequirementId, requirementIds, requirements } from "../../generated/requirements.ts";
import type { Finding, Level } from "../contract/index.ts";
import { segmentsOf } from "../contract/pointer.ts";
import { counted, printable, shortened } from "../text.ts";
import { type Command, type CommandCall, type Flag, usageError } from "./command.ts";
import { refuseUnwritable, writeAtomically } from "./file.ts";
import { LEVELS } from "./finding-groups.ts";
import type { Input } from "./input.ts";
import { isSameTarget } from "./output-target.ts";

/** The limit of GitHub code scanning. */
const MAX_RESULTS = 5_000;
const MAX_UNREADABLE = 100;
const MAX_RELATED = 10;
const MAX_TEXT_LENGTH = 2_000;

const SCHEMA =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const SARIF_LEVELS: Readonly<Record<Level, string>> = {
  error: "error",
  warning: "warning",
  notice: "note",
};

interface Result {
  readonly finding: Finding;
  readonly file: string;
  readonly lines: readonly number[];
  /** Its index among all findings. */
  readonly index: number;
}

/**
 * A log of findings as SARIF 2.1.0, for code scanning. Past the limit it keeps the most severe and
 * notes how many are omitted.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export class SarifLog {
  readonly #most: number;
  readonly #byLevel: Record<Level, Result[]> = { error: [], warning: [], notice: [] };
  readonly #found: Record<Level, number> = { error: 0, warning: 0, notice: 0 };
  readonly #unreadable: object[] = [];

  constructor(most = MAX_RESULTS) {
    this.#most = most;
  }

  /**
   * Adds a finding.
   *
   * @param file The file's name as given; `-` for standard input.
   * @param lines The lines concerned, numbered from 1, ascending; the result is at the last.
   */
  add(finding: Finding, file: string, lines: readonly number[]): void {
    const { level } = finding;
    const index = this.#found.error + this.#found.warning + this.#found.notice;
    this.#found[level] += 1;
    const kept = this.#byLevel[level];
    if (kept.length < this.#most) kept.push({ finding, file, lines, index });
  }

  /** Adds an unreadable line. */
  addUnreadable(file: string, line: number, problem: string): void {
    if (this.#unreadable.length >= MAX_UNREADABLE) return;
    this.#unreadable.push({
      level: "error",
      message: messageOf(`unreadable: ${problem}`),
      locations: [{ physicalLocation: placeOf(file, line) }],
    });
  }

  /**
   * Renders the log.
   *
   * @param unreadable The number of unreadable lines.
   */
  render(unreadable: number): string {
    const results = this.#results();
    const rules = rulesOf(results);
    const places = new Map(rules.map(({ id }, at) => [id, at]));
    const notifications = [...this.#unreadable, ...this.#omitted(results, unreadable)];
    const run = {
      tool: { driver: { name: "txfeed", rules } },
      invocations: [
        {
          executionSuccessful: true,
          ...(notifications.length > 0 && { toolExecutionNotifications: notifications }),
        },
      ],
      columnKind: "utf16CodeUnits",
      results: results.map((result) => resultOf(result, places)),
    };
    return renderRun(run);
  }

  /** The kept results, in the order of their discovery. */
  #results(): Result[] {
    const worst = LEVELS.flatMap((level) => this.#byLevel[level]).slice(0, this.#most);
    return worst.sort((a, b) => a.index - b.index);
  }

  /** Notifications of what is omitted. */
  #omitted(results: readonly Result[], unreadable: number): object[] {
    const left = LEVELS.map((level) => {
      const kept = results.filter(({ finding }) => finding.level === level).length;
      return { level, count: this.#found[level] - kept };
    }).filter(({ count }) => count > 0);
    const found = left.map(({ level, count }) => counted(count, level)).join(", ");
    const lines = unreadable - this.#unreadable.length;
    return [
      ...(left.length > 0 ? [`Omitted, past ${counted(this.#most, "result")}: ${found}`] : []),
      ...(lines > 0 ? [`${counted(lines, "more line")} unreadable`] : []),
    ].map((text) => ({ level: "warning", message: { text } }));
  }
}

/** Renders a SARIF log of one run. */
export function renderRun(run: object): string {
  return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

/** The requirements with findings, in the order of the catalogue. */
function rulesOf(results: readonly Result[]) {
  const broken = new Set(results.map(({ finding }) => finding.requirement));
  return requirementIds
    .filter((id) => broken.has(id))
    .map((id) => {
      const { text, derived } = requirements[id];
      return {
        id,
        shortDescription: messageOf(text),
        defaultConfiguration: { level: derived ? "warning" : "error" },
      };
    });
}

function resultOf({ finding, file, lines }: Result, rules: ReadonlyMap<RequirementId, number>) {
  const { requirement, level, message, path } = finding;
  const earlier = lines.slice(0, -1).slice(-MAX_RELATED);
  const related = earlier.map((line, at) => {
    const message = { text: `line ${line} is concerned, too` };
    return { id: at + 1, physicalLocation: placeOf(file, line), message };
  });
  return {
    ruleId: requirement,
    ruleIndex: rules.get(requirement),
    level: SARIF_LEVELS[level],
    message: messageOf(message),
    locations: [
      {
        physicalLocation: placeOf(file, lines.at(-1)),
        ...(path !== "" && { logicalLocations: [memberAt(path)] }),
      },
    ],
    ...(related.length > 0 && { relatedLocations: related }),
  };
}

function placeOf(file: string, line: number | undefined) {
  const artifactLocation = { uri: uriOf(file), uriBaseId: "%SRCROOT%" };
  return { artifactLocation, ...(line !== undefined && { region: { startLine: line } }) };
}

/** The location of a member in a body. */
function memberAt(path: string) {
  const name = segmentsOf(path).at(-1) ?? "";
  return {
    name: printable(shortened(name, MAX_TEXT_LENGTH)),
    fullyQualifiedName: printable(shortened(path, MAX_TEXT_LENGTH)),
    kind: "value",
  };
}

/** A file as a URI reference, relative to the working directory. */
function uriOf(file: string): string {
  if (file === "-") return file;
  const path = relative(process.cwd(), resolve(file));
  // The file is on another drive.
  if (isAbsolute(path)) return pathToFileURL(path).href;
  return path
    .split(sep)
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
}

/** Escapes a message: SARIF reads braces as placeholders and `](` as part of a link. */
export function messageOf(text: string) {
  const plain = printable(shortened(text, MAX_TEXT_LENGTH)).replace(/[{}]/g, "$&$&");
  return { text: plain.replaceAll("](", "\\](") };
}

export const SARIF_FLAG: Flag = {
  type: "string",
  value: "FILE",
  help: "write the findings to FILE as SARIF 2.1.0",
};

/** A log and the file to write it to. */
export interface SarifFile {
  readonly log: SarifLog;
  /**
   * Writes the log, atomically.
   *
   * @param unreadable The number of unreadable lines.
   * @throws {TxfeedError} `file` if that fails.
   */
  readonly write: (unreadable: number) => Promise<void>;
}

/**
 * The log of `--sarif`; undefined if the flag is absent.
 *
 * @throws {TxfeedError} `file` if it can't be written, `usage` if it would overwrite an input.
 */
export async function sarifIn(
  command: Pick<Command, "name">,
  { sarif }: CommandCall["values"],
  inputs: readonly Input[],
): Promise<SarifFile | undefined> {
  if (sarif === undefined) return undefined;
  const file = String(sarif);
  if (inputs.some(({ name }) => name !== "-" && isSameTarget(name, file))) {
    throw usageError(command, `--sarif would overwrite an input: ${file}`);
  }
  await refuseUnwritable(file);
  const log = new SarifLog();
  return { log, write: (unreadable) => writeAtomically(file, log.render(unreadable)) };
}
