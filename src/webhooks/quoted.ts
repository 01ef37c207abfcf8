/** The longest part of a foreign text that a reason shows. */
const LONGEST = 80;

/** A foreign text for a message: in quotes, on one line, and not too long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
