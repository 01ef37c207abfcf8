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
    const suffix = n.toString(16).padStart(12, "0");
    let result = "";
    for (const part of parts) result += part.isIdentity ? part.text + suffix : part.text;
    return result;
  };
}
