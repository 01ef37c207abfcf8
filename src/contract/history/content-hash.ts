/**
 * A number for what a body says, so that a repeat is known without keeping the body. Two bodies
 * with the same members and values have the same number, whatever the order of their members; the
 * envelope's `metadata` is left out, as it may tell one attempt from another (WHK-03).
 */
export function contentHash(body: unknown): number {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return hashOf(body, 0);
  let sum = 0;
  for (const name in body) {
    if (name !== "metadata") sum = (sum + hashOfMember(body, name, 0)) | 0;
  }
  return sum;
}

/** Deeper than any payload of the contract; what lies below counts as equal. */
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

/** The names of members are few, and most of the text. */
const NAMES = new Map<string, number>();
const MAX_NAMES = 1000;

function hashOfName(name: string): number {
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  const hash = hashOfText(name, OFFSET);
  if (NAMES.size < MAX_NAMES) NAMES.set(name, hash);
  return hash;
}

/** FNV-1a, over UTF-16 code units. */
function hashOfText(text: string, start: number): number {
  let hash = start;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  }
  return hash;
}
