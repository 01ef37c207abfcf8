import { eventNames } from "../../generated/events.ts";
import { operations } from "../../generated/operations.ts";
import { requirements } from "../../generated/requirements.ts";
import { responseExamples } from "../../generated/response-examples.ts";
import {
  asBase64,
  asHex,
  encodedForms,
  type Form,
  plainForms,
  rangeIn,
  unescaped,
  type View,
  viewOf,
  withoutNul,
} from "./encodings.ts";

/** Text that contains every name and value of the interface. */
const TEXT = [
  ...Object.values(requirements).map(({ text }) => text),
  ...Object.values(operations).map(({ path }) => path),
  ...Object.values(responseExamples).flatMap((shown) => shown.map(({ body }) => namesIn(body))),
  ...eventNames,
  // Common words of JSON over HTTP.
  "true false null application/json charset utf-8 bearer basic",
]
  .join("\n")
  .toLowerCase();

/** The member names of a body, and its values in capitals. */
function namesIn(body: unknown): string {
  return (JSON.stringify(body).match(/"\w+":|"[A-Z_]+"/g) ?? []).join("\n");
}

/** Minimum length of a redacted value: shorter ones are part of too many words. */
const SHORTEST = 6;

/**
 * How a value is redacted in the target's responses:
 * - `anywhere`: as part of any text, because the value is distinctive;
 * - `whole`: only as a complete value, because numbers and parts of ids may look the same;
 * - `nowhere`: not at all, because it is a word of the interface or too short. Replacing it would
 *   change the response, and it can't be recognized as a secret.
 */
type RedactionScope = "anywhere" | "whole" | "nowhere";

export function redactionScope(value: string): RedactionScope {
  if (value.length < SHORTEST || TEXT.includes(value.toLowerCase())) return "nowhere";
  return /^[\d\W_]+$/.test(value) || /^[0-9a-f]{1,7}$/i.test(value) ? "whole" : "anywhere";
}

/** Maximum depth of nested escapes that are decoded. */
const MAX_LAYERS = 5;

/** Above this total length of all forms, tokens are added without their encoded forms. */
const MAX_ENCODED_CHARS = 20_000_000;

/** Above this total length, tokens are ignored: a target may send one with each response. */
const MAX_PLAIN_CHARS = 40_000_000;

/** The replacement of a match, or a function of the matched text that returns it. */
type Instead = string | ((found: string) => string);

interface Value extends Pick<Form, "before" | "after"> {
  readonly instead: Instead;
  /** Whether it matches only as a whole word. */
  readonly isWord?: boolean;
}

interface Match {
  readonly start: number;
  readonly end: number;
  readonly instead: Instead;
}

/** Replaces secrets, tokens and ids in texts, in any of their encodings. */
export class Redactor {
  readonly #needles = {
    text: new Needles<Value>(),
    base64: new Needles<Value>(),
    hex: new Needles<Value>(),
  };
  /** Patterns of ids, and of secrets that match only as a complete value. */
  readonly #patterns: { readonly pattern: RegExp; readonly instead: string }[] = [];
  #chars = 0;

  /** Adds a secret. `redactionScope` decides whether it also matches inside a longer text. */
  addSecret(secret: string, instead: string): void {
    const reach = redactionScope(secret);
    if (reach === "nowhere") return;
    if (reach === "whole") this.#addPattern(valuePattern(secret), instead);
    else this.#addForms(plainForms(secret), { instead });
    this.#addForms(encodedForms(secret), { instead });
  }

  /** Adds a token. It matches anywhere in a text. */
  addToken(token: string, instead: string): void {
    if (redactionScope(token) !== "anywhere" || this.#chars > MAX_PLAIN_CHARS) return;
    const forms = this.#chars > MAX_ENCODED_CHARS ? [] : encodedForms(token);
    this.#addForms([...plainForms(token), ...forms], { instead });
  }

  /**
   * Adds an id. It matches as a whole word, ignoring case.
   *
   * @param encoded Returns the replacement of an encoded id, such as one in a cursor.
   */
  addId(id: string, instead: string, encoded: (found: string) => string): void {
    const reach = redactionScope(id);
    if (reach === "nowhere") return;
    this.#addPattern(reach === "whole" ? valuePattern(id) : wordPattern(id), instead);
    if (reach === "whole") return;
    this.#addForms(plainForms(id), { instead: encoded, isWord: true });
    this.#addForms(encodedForms(id), { instead: encoded });
  }

  #addForms(forms: readonly Form[], value: Value): void {
    for (const { as, text, before = 0, after = 0 } of forms) {
      this.#chars += text.length;
      this.#needles[as].add({ text, value: { ...value, before, after } });
    }
  }

  #addPattern(pattern: RegExp, instead: string): void {
    this.#patterns.push({ pattern, instead });
  }

  /** Returns a text with all matches replaced. The time is linear in its length. */
  redact(text: string): string {
    // Replace secrets first: they may contain an id.
    return this.#patterns.reduce(
      (rest, { pattern, instead }) => rest.replace(pattern, () => instead),
      replaced(text, this.#matchesIn(text)),
    );
  }

  #matchesIn(text: string): Match[] {
    const matches: Match[] = [];
    let view: View | undefined = viewOf(text);
    for (let layer = 0; view && layer < MAX_LAYERS; layer++) {
      this.#find("text", view, matches);
      this.#find("base64", asBase64(view), matches);
      this.#find("hex", asHex(view), matches);
      view = unescaped(view) ?? withoutNul(view);
    }
    return matches;
  }

  #find(as: Form["as"], view: View, matches: Match[]): void {
    this.#needles[as].find(view.codes, ({ value }: Needle<Value>, start, end) => {
      const { before = 0, after = 0, instead, isWord } = value;
      if (isWord && (isWordAt(view, start - 1) || isWordAt(view, end))) return;
      const first = Math.max(0, start - before);
      const last = Math.min(view.codes.length, end + after);
      const [from, to] = rangeIn(view, first, last);
      matches.push({ start: from, end: to, instead });
    });
  }
}

/** Replaces ranges of a text. Overlapping ranges get the replacement of the longest one. */
function replaced(text: string, matches: readonly Match[]): string {
  if (matches.length === 0) return text;
  const parts: string[] = [];
  let done = 0;
  const sorted = matches.toSorted((a, b) => a.start - b.start || b.end - a.end);
  for (let at = 0; at < sorted.length; ) {
    const first = sorted[at] as Match;
    let { end } = first;
    let longest = first;
    for (at += 1; (sorted[at]?.start ?? end) < end; at++) {
      const other = sorted[at] as Match;
      end = Math.max(end, other.end);
      if (other.end - other.start > longest.end - longest.start) longest = other;
    }
    const { instead } = longest;
    const found = text.slice(first.start, end);
    parts.push(text.slice(done, first.start));
    parts.push(typeof instead === "string" ? instead : instead(found));
    done = end;
  }
  return parts.join("") + text.slice(done);
}

function isWordAt({ codes }: View, at: number): boolean {
  return /\w/.test(String.fromCharCode(codes[at] ?? 0));
}

/** Matches an id as a whole word. An escape before it is not part of the word. */
function wordPattern(id: string): RegExp {
  const begin = "(?<!\\w)|(?<=%[0-9a-f]{2}|\\\\[bfnrt]|\\\\u[0-9a-f]{4})";
  return new RegExp(`(?:${begin})${escaped(id)}(?!\\w)`, "gi");
}

/** Matches a value that is a whole JSON string, path segment or form value. */
function valuePattern(value: string): RegExp {
  return new RegExp(`(?<=["/=]|^)${escaped(value)}(?=["/?#&\\\\]|$)(?!"\\s*:)`, "g");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** A text to find, and a value that belongs to it. */
interface Needle<T> {
  readonly text: string;
  readonly value: T;
}

/** Number of last characters of a needle that are hashed. */
const WINDOW = 6;

const BASE = 0x01000193;
const POWER = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

const BITS = 1 << 18;

/** Maximum number of comparisons per character, to bound the time for malicious texts. */
const MAX_WORK = 64;

/**
 * Finds many needles in one pass with a rolling hash (Rabin-Karp). The time is linear in the length
 * of the text: beyond the limit of comparisons, an equal hash counts as a match.
 */
class Needles<T> {
  readonly #byHash = new Map<number, Needle<T>[]>();
  /** A filter: whether any needle may have a hash. */
  readonly #bits = new Uint8Array(BITS);
  readonly #known = new Set<string>();

  /** Adds a needle. Duplicates and needles of fewer than 6 characters are ignored. */
  add(needle: Needle<T>): void {
    const { text } = needle;
    if (text.length < WINDOW || this.#known.has(text)) return;
    this.#known.add(text);
    let hash = 0;
    for (let at = text.length - WINDOW; at < text.length; at++) {
      hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
    }
    const others = this.#byHash.get(hash);
    if (others) others.push(needle);
    else this.#byHash.set(hash, [needle]);
    this.#bits[bitOf(hash)] = 1;
  }

  /** Calls `found` with each needle in the codes, and its start and end. */
  find(codes: Uint16Array, found: (needle: Needle<T>, start: number, end: number) => void): void {
    let work = MAX_WORK * codes.length;
    let hash = 0;
    for (let at = 0; at < codes.length; at++) {
      hash = (Math.imul(hash, BASE) + (codes[at] as number)) | 0;
      if (at >= WINDOW) hash = (hash - Math.imul(codes[at - WINDOW] as number, POWER)) | 0;
      if (this.#bits[bitOf(hash)] === 0) continue;
      for (const needle of this.#byHash.get(hash) ?? []) {
        const end = at + 1;
        const start = end - needle.text.length;
        if (start < 0) continue;
        const compared = work > 0 ? sameFromEnd(codes, end, needle.text) : needle.text.length;
        work -= compared + 1;
        if (compared === needle.text.length) found(needle, start, end);
      }
    }
  }
}

function bitOf(hash: number): number {
  return (hash ^ (hash >>> 14)) & (BITS - 1);
}

/** Number of equal characters, comparing backwards from the end of a text and from `end`. */
function sameFromEnd(codes: Uint16Array, end: number, text: string): number {
  let same = 0;
  while (same < text.length && codes[end - 1 - same] === text.charCodeAt(text.length - 1 - same)) {
    same += 1;
  }
  return same;
}
