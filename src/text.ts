/** Styles for text on a terminal. With colours off, each function returns its argument. */
export interface TextStyle {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

// C0 and C1 controls, line and paragraph separators, marks that turn the direction of writing.
const UNPRINTABLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Makes untrusted text safe for a terminal by escaping control characters. */
export function printable(text: string): string {
  return text.replace(
    UNPRINTABLE,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Cuts text to at most `most` characters, with an ellipsis; a surrogate pair stays whole. */
export function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  const beginning = text.slice(0, Math.max(0, most - 1));
  return `${beginning.replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Formats a count with its noun, in the singular or the plural: "1,234 lines". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}

/** A space that a line may end at: not the one between a number and its unit. */
const BREAK = / (?!(?<=\d )(?:ms|s|min|h)\b)/;

/** Wraps a text at `width` characters. A longer word gets a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(BREAK)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
