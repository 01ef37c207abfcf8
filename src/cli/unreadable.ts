import { counted, printable, type TextStyle } from "../text.ts";

const MOST_SHOWN = 10;

/** A line that can't be judged, and why. */
export interface UnreadableLine {
  /** Its number, with the file's name where there are several. */
  readonly place: string;
  readonly problem: string;
}

/** The lines that can't be judged: the first few of them, and how many there are. */
export class Unreadable {
  readonly first: UnreadableLine[] = [];
  count = 0;

  add(place: string, problem: string): void {
    this.count += 1;
    if (this.first.length < MOST_SHOWN) this.first.push({ place, problem });
  }
}

/** Renders what can't be judged for a person; empty where there is nothing such. */
export function renderUnreadable({ first, count }: Unreadable, style: TextStyle): string[] {
  if (count === 0) return [];
  const more = count - first.length;
  return [
    "",
    `  ${style.bad(`✗ ${counted(count, "line")}`)} ${style.bold("can't be judged")}`,
    ...first.map(({ place, problem }) => `    ${placed(place)}: ${printable(problem)}`),
    ...(more > 0 ? [style.dim(`    and ${more.toLocaleString("en-US")} more`)] : []),
  ];
}

function placed(place: string): string {
  return /^\d+$/.test(place) ? `line ${place}` : printable(place);
}
