import { isAbsolute, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { type RequirementId, requirementIds, requirements } from "../../generated/requirements.ts";
import type { Finding, Level } from "../contract/index.ts";
import { segmentsOf } from "../contract/pointer.ts";
import { counted, printable, shortened } from "../text.ts";

/** As many results as code scanning shows. */
export const MOST_RESULTS = 5_000;
const MOST_UNREADABLE = 100;
const MOST_RELATED = 10;
const MOST_TEXT = 2_000;

export const SCHEMA =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

const LEVELS: Readonly<Record<Level, string>> = {
  error: "error",
  warning: "warning",
  notice: "note",
};

/** The levels, what is kept first. */
const BY_WEIGHT: readonly Level[] = ["error", "warning", "notice"];

interface Result {
  readonly finding: Finding;
  readonly file: string;
  readonly lines: readonly number[];
  /** Its place among all that were found. */
  readonly nr: number;
}

/**
 * The findings in captures as SARIF 2.1.0, for code scanning. Of more than it shows, what is worst
 * is kept, and the log tells how many are left out.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export class SarifLog {
  readonly #most: number;
  readonly #kept: Record<Level, Result[]> = { error: [], warning: [], notice: [] };
  readonly #found: Record<Level, number> = { error: 0, warning: 0, notice: 0 };
  readonly #unreadable: object[] = [];

  constructor(most = MOST_RESULTS) {
    this.#most = most;
  }

  /**
   * Adds a finding.
   *
   * @param file The file as it was called; `-` for standard input.
   * @param lines Those concerned, counted from 1, in ascending order; the last one completes it.
   */
  add(finding: Finding, file: string, lines: readonly number[]): void {
    const { level } = finding;
    const nr = this.#found.error + this.#found.warning + this.#found.notice;
    this.#found[level] += 1;
    const kept = this.#kept[level];
    if (kept.length < this.#most) kept.push({ finding, file, lines, nr });
  }

  /** Adds a line that can't be judged. */
  addUnreadable(file: string, line: number, problem: string): void {
    if (this.#unreadable.length >= MOST_UNREADABLE) return;
    this.#unreadable.push({
      level: "error",
      message: messageOf(`can't be judged: ${problem}`),
      locations: [{ physicalLocation: placeOf(file, line) }],
    });
  }

  /**
   * Renders the log.
   *
   * @param unreadable How many lines can't be judged in all.
   */
  render(unreadable: number): string {
    const results = this.#results();
    const rules = rulesOf(results);
    const places = new Map(rules.map(({ id }, at) => [id, at]));
    const notifications = [...this.#unreadable, ...this.#leftOut(results, unreadable)];
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
    return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2)}\n`;
  }

  /** What is kept, in the order in which it was found. */
  #results(): Result[] {
    const worst = BY_WEIGHT.flatMap((level) => this.#kept[level]).slice(0, this.#most);
    return worst.sort((a, b) => a.nr - b.nr);
  }

  /** What there would be more of. */
  #leftOut(results: readonly Result[], unreadable: number): object[] {
    const left = BY_WEIGHT.map((level) => {
      const kept = results.filter(({ finding }) => finding.level === level).length;
      return { level, count: this.#found[level] - kept };
    }).filter(({ count }) => count > 0);
    const found = left.map(({ level, count }) => counted(count, level)).join(", ");
    const lines = unreadable - this.#unreadable.length;
    return [
      ...(left.length > 0 ? [`Left out, past ${counted(this.#most, "result")}: ${found}`] : []),
      ...(lines > 0 ? [`${counted(lines, "more line")} can't be judged`] : []),
    ].map((text) => ({ level: "warning", message: { text } }));
  }
}

/** A rule for each requirement that is not held to, in the order of the catalogue. */
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
  const earlier = lines.slice(0, -1).slice(-MOST_RELATED);
  const related = earlier.map((line, at) => {
    const message = { text: `line ${line}, which is concerned, too` };
    return { id: at + 1, physicalLocation: placeOf(file, line), message };
  });
  return {
    ruleId: requirement,
    ruleIndex: rules.get(requirement),
    level: LEVELS[level],
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

/** Where a member stands in a body. */
function memberAt(path: string) {
  const name = segmentsOf(path).at(-1) ?? "";
  return {
    name: printable(shortened(name, MOST_TEXT)),
    fullyQualifiedName: printable(shortened(path, MOST_TEXT)),
    kind: "value",
  };
}

/** A file as a URI reference, relative to where the command runs. */
function uriOf(file: string): string {
  if (file === "-") return file;
  const path = relative(process.cwd(), resolve(file));
  // On another drive than the command.
  if (isAbsolute(path)) return pathToFileURL(path).href;
  return path
    .split(sep)
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join("/");
}

/** In a message braces are for what is filled in, and brackets before a parenthesis for a link. */
export function messageOf(text: string) {
  const plain = printable(shortened(text, MOST_TEXT)).replace(/[{}]/g, "$&$&");
  return { text: plain.replaceAll("](", "\\](") };
}
