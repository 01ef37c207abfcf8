/** An id of the interface, or a transaction reference. */
const IDENTITY = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|ref[0-9a-f]{12})/;

/** Renders the nth text of a template. */
export type Template = (n: number) => string;

/**
 * Creates a template that renders a text with different ids and the same length. For the same n, an
 * id that occurs twice, or in two templates, is replaced by the same id.
 *
 * @param kept Ids that do not change.
 */
export function template(text: string, preserved: ReadonlySet<string> = new Set()): Template {
  const parts = text.split(IDENTITY).map((part) => ({
    text: IDENTITY.test(part) && !preserved.has(part) ? part.slice(0, -12) : part,
    isIdentity: IDENTITY.test(part) && !preserved.has(part),
  }));
  return (n) => {
    let result = "";
    for (const part of parts)
      result += part.isIdentity ? part.text + suffixOf(part.text, n) : part.text;
    return result;
  };
}

/** Returns twelve hexadecimal digits: random-looking, and unique among the ids of this n. */
function suffixOf(text: string, n: number): string {
  let hash = 0x811c9dc5 ^ n;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 0;
  return (n % 0x10000).toString(16).padStart(4, "0") + mixed.toString(16).padStart(8, "0");
}
