import type { RequirementId } from "../../generated/requirements.ts";
import type { Finding, Level } from "../contract/index.ts";

/** The levels, most severe first. */
export const LEVELS: readonly Level[] = ["error", "warning", "notice"];

/** Findings that differ only in where they were found. */
export interface FindingGroup {
  readonly requirement: RequirementId;
  readonly level: Level;
  /** The event or operation. */
  readonly subject: string;
  /** The path in the body, for any index of an array: `/_embedded/messages/[]/superseded`. */
  readonly path: string;
  /** The message of the first finding. */
  readonly first: string;
  count: number;
  /** The first places: line numbers, with the file's name if there are several files. */
  readonly places: string[];
  /** Whether there are more places. */
  isElsewhere: boolean;
}

const MAX_GROUPS = 1_000;
const MAX_PLACES = 5;

/** Groups findings, so that the report on a million of them stays short. */
export class FindingGroups {
  readonly #byKey = new Map<string, FindingGroup>();
  /** How many findings belong to further groups, beyond the limit. */
  uncounted = 0;

  /** Adds a finding about a subject, at a place such as a line number. */
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

  /** The groups of each requirement, errors first. */
  byRequirement(): FindingGroup[][] {
    return LEVELS.flatMap((level) => {
      const groups = [...this.#byKey.values()].filter((group) => group.level === level);
      return [...Map.groupBy(groups, ({ requirement }) => requirement).values()];
    });
  }
}

/** Adds a place, once for consecutive findings in the same payload. */
function addPlace(group: FindingGroup, place: string): void {
  if (group.places.at(-1) === place) return;
  if (group.places.length < MAX_PLACES) group.places.push(place);
  else group.isElsewhere = true;
}

/** A finding's message without its subject and path, unless the message says more than these. */
export function shortMessageOf(
  { path, expected, actual, message }: Finding,
  subject: string,
): string {
  const comparison = `expected ${expected}, got ${actual}`;
  return message === `${subject} ${path || "(body)"}: ${comparison}` ? comparison : message;
}

const MAX_UNREADABLE = 10;

/** An unreadable line. */
interface UnreadableLine {
  /** Its number, with the file's name if there are several files. */
  readonly place: string;
  readonly problem: string;
}

/** Counts unreadable lines and keeps the first ten. */
export class Unreadable {
  readonly first: UnreadableLine[] = [];
  count = 0;

  add(place: string, problem: string): void {
    this.count += 1;
    if (this.first.length < MAX_UNREADABLE) this.first.push({ place, problem });
  }
}
