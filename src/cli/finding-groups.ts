import type { RequirementId } from "../../generated/requirements.ts";
import type { Finding, Level } from "../contract/index.ts";

/** The same fault, however often it was found. */
export interface FindingGroup {
  readonly requirement: RequirementId;
  readonly level: Level;
  /** The event or operation. */
  readonly subject: string;
  /** Where in the body, whatever the index in an array: `/_embedded/messages/[]/superseded`. */
  readonly path: string;
  /** What the first finding says. */
  readonly first: string;
  count: number;
  /** Where it was found first: line numbers, with the file's name where there are several. */
  readonly places: string[];
  /** Whether it was found elsewhere, too. */
  isElsewhere: boolean;
}

const MAX_GROUPS = 1_000;
const MAX_PLACES = 5;

/** Findings, the same fault counted together, so that a million of them stay a page. */
export class FindingGroups {
  readonly #byKey = new Map<string, FindingGroup>();
  /** The findings of further faults, past those that are kept apart. */
  uncounted = 0;

  /** Adds a finding of a subject, at a place that people can look up. */
  add(finding: Finding, subject: string, place: string): void {
    const { requirement, level } = finding;
    const path = finding.path.replace(/\/\d+(?=\/|$)/g, "/[]");
    const key = [level, requirement, subject, path].join(" ");
    const known = this.#byKey.get(key);
    if (known) {
      known.count += 1;
      addPlace(known, place);
    } else if (this.#byKey.size < MAX_GROUPS) {
      this.#byKey.set(key, {
        ...{ requirement, level, subject, path },
        first: shortMessageOf(finding, subject),
        count: 1,
        places: [place],
        isElsewhere: false,
      });
    } else this.uncounted += 1;
  }

  /** The faults by level and requirement, what is worst first. */
  byRequirement(): FindingGroup[][] {
    const levels: Level[] = ["error", "warning", "notice"];
    return levels.flatMap((level) => {
      const faults = [...this.#byKey.values()].filter((fault) => fault.level === level);
      return [...Map.groupBy(faults, ({ requirement }) => requirement).values()];
    });
  }
}

/** A payload often has the same fault several times: its place is named once. */
function addPlace(fault: FindingGroup, place: string): void {
  if (fault.places.at(-1) === place) return;
  if (fault.places.length < MAX_PLACES) fault.places.push(place);
  else fault.isElsewhere = true;
}

/**
 * What a finding says besides its subject and its path, which are told apart; the whole message
 * where that says more.
 */
export function shortMessageOf(
  { path, expected, actual, message }: Finding,
  subject: string,
): string {
  const comparison = `expected ${expected}, got ${actual}`;
  return message === `${subject} ${path || "(body)"}: ${comparison}` ? comparison : message;
}
