/** An id of the interface, or a transaction reference: what tells one resource from another. */
const IDENTITY = /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|ref[0-9a-f]{12})/;

/** Makes the nth text of a template. */
export type Template = (n: number) => string;

/**
 * Makes a text that can be had any number of times with other ids and the same length. An id that
 * stands at two places, or in two templates, is the same there for the same n.
 *
 * @param kept What stays as it is.
 */
export function template(text: string, kept: ReadonlySet<string> = new Set()): Template {
  const parts = text.split(IDENTITY).map((part) => ({
    text: IDENTITY.test(part) && !kept.has(part) ? part.slice(0, -12) : part,
    isIdentity: IDENTITY.test(part) && !kept.has(part),
  }));
  return (n) => {
    let result = "";
    for (const part of parts)
      result += part.isIdentity ? part.text + suffixOf(part.text, n) : part.text;
    return result;
  };
}

/** Twelve digits that look drawn by lot, as those of an id are, and are no other id's of this n. */
function suffixOf(text: string, n: number): string {
  let hash = 0x811c9dc5 ^ n;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x9e3779b1) >>> 0;
  return (n % 0x10000).toString(16).padStart(4, "0") + mixed.toString(16).padStart(8, "0");
}
