/**
 * Hashes a body's content, to detect duplicates without keeping bodies. The order of members does
 * not matter. The envelope's `metadata` may differ between attempts (WHK-03), so it is excluded.
 */
export function contentHash(body: unknown): number {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return hashOf(body, 0);
  let sum = 0;
  for (const name in body) {
    if (name !== "metadata") sum = (sum + hashOfMember(body, name, 0)) | 0;
  }
  return sum;
}

/** Deeper than any payload of the contract. Values below it count as equal. */
const MAX_DEPTH = 64;

const OFFSET = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

function hashOf(value: unknown, depth: number): number {
  switch (typeof value) {
    case "string":
      return hashOfText(value, OFFSET);
    case "number":
      return Number.isInteger(value) ? Math.imul(value | 0, PRIME) ^ 1 : hashOfText(`${value}`, 2);
    case "boolean":
      return value ? 3 : 5;
    case "object":
      if (value === null) return 7;
      if (depth === MAX_DEPTH) return 11;
      return Array.isArray(value) ? hashOfList(value, depth + 1) : hashOfMembers(value, depth + 1);
    default:
      return 0;
  }
}

function hashOfList(list: readonly unknown[], depth: number): number {
  let hash = list.length;
  for (const item of list) hash = Math.imul(hash ^ hashOf(item, depth), PRIME);
  return hash;
}

function hashOfMembers(value: object, depth: number): number {
  let sum = 13;
  for (const name in value) sum = (sum + hashOfMember(value, name, depth)) | 0;
  return sum;
}

function hashOfMember(value: object, name: string, depth: number): number {
  const member = hashOf((value as Record<string, unknown>)[name], depth);
  const hash = Math.imul(hashOfName(name) ^ member, 0x9e3779b1);
  return hash ^ (hash >>> 15);
}

/** The hashes of member names: there are few names, but they make up most of the text. */
const NAMES = new Map<string, number>();
const MAX_NAMES = 1000;

function hashOfName(name: string): number {
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  const hash = hashOfText(name, OFFSET);
  if (NAMES.size < MAX_NAMES) NAMES.set(name, hash);
  return hash;
}

/** FNV-1a over UTF-16 code units. */
function hashOfText(text: string, start: number): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  }
  return hash;
}
