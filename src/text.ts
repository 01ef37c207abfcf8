/** Styles for text on a terminal. With colours off, each function returns its argument. */
export interface TextStyle {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warn: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
}

// Control characters, lone surrogates, marks that turn the direction of writing, zero-width
// characters, separators of lines, and characters that XML can't represent.
const INVISIBLE =
  "[\\p{Cc}\\p{Cs}\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff\\ufffe\\uffff]";
const ANY_INVISIBLE = new RegExp(INVISIBLE, "gu");

/** The escape sequences of a TextStyle. */
const STYLE = "\\u001b\\[(?:[12]|22|3[1239])m";
const OWN_OR_INVISIBLE = new RegExp(`([\\n\\t]|${STYLE})|${INVISIBLE}`, "gu");

// GitHub reads `::name::` after white space, and `##[name]` anywhere; Azure `##vso[`; TeamCity
// `##teamcity[`. Line ends other than `\n` are escaped before. The pattern excludes them, so that
// it is linear.
const COLONS = new RegExp(`^((?:[^\\S\\n\\r\\u2028\\u2029]|${STYLE})*):(?=:)`, "gm");
const HASHES = /(?<=#)#(?=(?:vso|teamcity)?\[)/gi;

/** Escapes as in JSON and JavaScript. */
function escaped(mark: string): string {
  return `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Makes untrusted text safe for a line of a terminal by escaping invisible characters. */
export function printable(text: string): string {
  return text.replace(ANY_INVISIBLE, escaped);
}

/** Like {@link printable}, but keeps line feeds and tabs. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}

/**
 * Makes a finished output safe for a terminal and for the log of a CI service, which runs commands
 * in it. Keeps line feeds, tabs and the styles. The escapes do not change the values of JSON.
 */
export function harmless(output: string): string {
  return output
    .replace(OWN_OR_INVISIBLE, (mark, own) => own ?? escaped(mark))
    .replace(COLONS, (_all, before) => before + escaped(":"))
    .replace(HASHES, escaped);
}

/** Makes untrusted text safe for one line of a terminal and of the log of a CI service. */
export function harmlessLine(text: string): string {
  return harmless(printable(text));
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
