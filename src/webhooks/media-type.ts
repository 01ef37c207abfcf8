const JSON_TYPE = /^\s*application\/(?:json|[\w.!#$&^+-]+\+json)\s*(?:;|$)/i;

/**
 * Tells whether a content type is that of JSON; its parameters don't matter.
 *
 * @see RFC 6839, 3.1
 */
export function isJson(contentType: string | null): boolean {
  return contentType !== null && JSON_TYPE.test(contentType);
}
