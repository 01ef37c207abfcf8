import type { VerbDescription } from "../sandbox/control/client.ts";
import { membersOf } from "./trigger-params.ts";

type Dim = (text: string) => string;

/** As wide as a terminal is at least. */
const COLUMNS = 80;

/** What there is, and what each takes, by name. */
export function renderVerbs(verbs: readonly VerbDescription[], dim: Dim): string {
  const width = Math.max(0, ...verbs.map(({ name }) => name.length)) + 2;
  const rows = verbs.flatMap(({ name, summary, params }) => {
    const names = membersOf(params).map((member) => member.name);
    const [first = "", ...rest] = lines(summary.split(" "), COLUMNS - 2 - width);
    const members = [...rest, ...lines(names, COLUMNS - 2 - width).map(dim)];
    const inner = members.map((line) => `  ${" ".repeat(width)}${line}`);
    return [`  ${name.padEnd(width)}${first}`, ...inner];
  });
  const more = "txfeed trigger SCENARIO --list tells more of one";
  return [...rows, "", more, "txfeed trigger SCENARIO [NAME=VALUE...] does it"].join("\n");
}

/** What a verb takes, a line each. */
export function renderVerb(verb: VerbDescription, dim: Dim): string {
  const { name, summary, requirements, params } = verb;
  const members = membersOf(params);
  const width = Math.max(0, ...members.map((member) => member.name.length)) + 2;
  const rows = members.map((member) => `  ${member.name.padEnd(width)}${dim(member.takes)}`);
  const ids = requirements.length > 0 ? [`  ${dim(requirements.join(" "))}`] : [];
  const last = `txfeed trigger ${name} [NAME=VALUE...] does it`;
  return [`${name}: ${summary}`, ...ids, "", ...rows, "", last].join("\n");
}

/** Words in lines of at most so many characters. */
function lines(words: readonly string[], most: number): string[] {
  const made: string[] = [];
  for (const word of words) {
    const last = made.at(-1);
    if (last === undefined || last.length + 1 + word.length > most) made.push(word);
    else made[made.length - 1] = `${last} ${word}`;
  }
  return made;
}
