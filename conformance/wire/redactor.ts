import { eventNames } from "../../generated/events.ts";
import { operations } from "../../generated/operations.ts";
import { requirements } from "../../generated/requirements.ts";
import { contractWords } from "../../generated/schema-index.ts";

/** Text that contains every name and value of the interface. */
const TEXT = [
  ...Object.values(requirements).map(({ text }) => text),
  ...Object.values(operations).map(({ path }) => path),
  ...contractWords,
  ...eventNames,
  // Common words of JSON over HTTP.
  "true false null application/json charset utf-8 bearer basic",
]
  .join("\n")
  .toLowerCase();

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

function redactionScope(value: string): RedactionScope {
  if (value.length < SHORTEST || TEXT.includes(value.toLowerCase())) return "nowhere";
  return /^[\d\W_]+$/.test(value) || /^[0-9a-f]{1,7}$/i.test(value) ? "whole" : "anywhere";
}

/** Above this total length of all forms, tokens are ignored: a target may send many. */
const MAX_CHARS = 40_000_000;

/** Maximum depth of nested escapes that are decoded. */
const MAX_LAYERS = 5;

interface Match {
  readonly start: number;
  readonly end: number;
  readonly instead: string;
}

/** Number of last characters of a needle that are hashed. */
const WINDOW = 6;

const BASE = 0x01000193;
const POWER = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

const BITS = 1 << 18;

function bitOf(hash: number): number {
  return (hash ^ (hash >>> 14)) & (BITS - 1);
}

/** Maximum number of comparisons per character, to bound the time for malicious texts. */
const MAX_WORK = 64;

/**
 * Replaces secrets and tokens: plain, escaped as in JSON or URLs, in base64 and in hex. A rolling
 * hash (Rabin-Karp) finds all forms in one pass, in a time that is linear in the length of the
 * text: beyond the limit of comparisons, an equal hash counts as a match.
 */
export class Redactor {
  readonly #byHash = new Map<number, { readonly form: Form; readonly instead: string }[]>();
  /** A filter: whether any form may have a hash. */
  readonly #bits = new Uint8Array(BITS);
  readonly #known = new Set<string>();
  /** Patterns of secrets that match only as a complete value. */
  readonly #patterns: { readonly pattern: RegExp; readonly instead: string }[] = [];
  #chars = 0;

  /** Adds a secret. `redactionScope` decides whether it also matches inside a longer text. */
  addSecret(secret: string, instead: string): void {
    const reach = redactionScope(secret);
    if (reach === "nowhere") return;
    const forms = formsOf(secret);
    if (reach === "whole") this.#patterns.push({ pattern: valuePattern(secret), instead });
    this.#add(reach === "whole" ? forms.filter(({ text }) => text !== secret) : forms, instead);
  }

  /** Adds a token. It matches anywhere in a text. */
  addToken(token: string, instead: string): void {
    if (redactionScope(token) !== "anywhere" || this.#chars > MAX_CHARS) return;
    this.#add(formsOf(token), instead);
  }

  /** Adds forms. Duplicates and forms of fewer than 6 characters are ignored. */
  #add(forms: readonly Form[], instead: string): void {
    for (const form of forms) {
      const { text } = form;
      this.#chars += text.length;
      if (text.length < WINDOW || this.#known.has(text)) continue;
      this.#known.add(text);
      let hash = 0;
      for (let at = text.length - WINDOW; at < text.length; at++) {
        hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
      }
      this.#bits[bitOf(hash)] = 1;
      const others = this.#byHash.get(hash);
      if (others) others.push({ form, instead });
      else this.#byHash.set(hash, [{ form, instead }]);
    }
  }

  /** Returns a text with all matches replaced. The time is linear in its length. */
  redact(text: string): string {
    const matches: Match[] = [];
    const plain = viewOf(text);
    this.#find(plain, matches);
    // A secret may contain what looks like an escape of the other kind, so each is decoded alone.
    for (const starters of ESCAPES) {
      let view = unescaped(plain, starters);
      for (let layer = 1; view && layer < MAX_LAYERS; layer++) {
        this.#find(view, matches);
        view = unescaped(view, starters);
      }
    }
    return this.#patterns.reduce(
      (rest, { pattern, instead }) => rest.replace(pattern, () => instead),
      replaced(text, matches),
    );
  }

  #find(view: View, matches: Match[]): void {
    const { codes } = view;
    let work = MAX_WORK * codes.length;
    let hash = 0;
    for (let at = 0; at < codes.length; at++) {
      hash = (Math.imul(hash, BASE) + (codes[at] as number)) | 0;
      if (at >= WINDOW) hash = (hash - Math.imul(codes[at - WINDOW] as number, POWER)) | 0;
      if (this.#bits[bitOf(hash)] === 0) continue;
      for (const { form, instead } of this.#byHash.get(hash) ?? []) {
        const { text, before = 0, after = 0 } = form;
        const end = at + 1;
        const start = end - text.length;
        if (start < 0) continue;
        const same = work > 0 ? sameFromEnd(codes, end, text) : text.length;
        work -= same + 1;
        if (same < text.length) continue;
        matches.push({
          start: placeIn(view, Math.max(0, start - before)),
          end: placeIn(view, Math.min(codes.length, end + after)),
          instead,
        });
      }
    }
  }
}

/** Replaces ranges of a text. Overlapping ranges get the replacement of the longest one. */
function replaced(text: string, matches: readonly Match[]): string {
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
    parts.push(text.slice(done, first.start), longest.instead);
    done = end;
  }
  return parts.join("") + text.slice(done);
}

/** Matches a value that is a whole JSON string, path segment or form value. */
function valuePattern(value: string): RegExp {
  const escaped = value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  return new RegExp(`(?<=["/=]|^)${escaped}(?=["/?#&\\\\]|$)(?!"\\s*:)`, "g");
}

/** Number of equal characters, comparing backwards from the end of a text and from `end`. */
function sameFromEnd(codes: Uint16Array, end: number, text: string): number {
  let same = 0;
  while (same < text.length && codes[end - 1 - same] === text.charCodeAt(text.length - 1 - same)) {
    same += 1;
  }
  return same;
}

/** A form of a secret to search for. */
interface Form {
  readonly text: string;
  /** Number of base64 characters before and after it that contain some bits of the secret. */
  readonly before?: number;
  readonly after?: number;
}

/** The forms of a secret: plain, in base64 and in hex. Escapes are decoded before the search. */
function formsOf(secret: string): Form[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  // Escaped bytes may have been decoded one by one. A form encodes a space as a plus sign.
  const texts = [secret, secret.replaceAll(" ", "+")];
  const plain = texts.flatMap((text) => [text, Buffer.from(text).toString("latin1")]);
  return [
    ...[...new Set([...plain, hex, hex.toUpperCase()])].map((text) => ({ text })),
    ...[0, 1, 2].flatMap((offset) => inBase64(bytes, offset)),
  ];
}

/**
 * The base64 of bytes after 0, 1 or 2 other bytes of a group of 3, in both alphabets. Characters
 * that are shared with adjacent bytes are omitted.
 */
function inBase64(bytes: Buffer, offset: number): Form[] {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  const bits = (offset + bytes.length) * 8;
  const shared = text.slice(offset === 0 ? 0 : offset + 1, Math.floor(bits / 6));
  const around = { ...(offset > 0 && { before: 1 }), ...(bits % 6 !== 0 && { after: 1 }) };
  const forUrls = shared.replaceAll("+", "-").replaceAll("/", "_");
  return [...new Set([shared, forUrls])].map((text) => ({ text, ...around }));
}

/** The character codes of a text, after any number of steps of decoding. */
interface View {
  readonly codes: Uint16Array;
  /** Where each code starts in the text, and where the last one ends. Default: the same place. */
  readonly starts?: Int32Array;
}

function viewOf(text: string): View {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < codes.length; at++) codes[at] = text.charCodeAt(at);
  return { codes };
}

/** The place in the text of a place in a view. */
function placeIn({ starts }: View, at: number): number {
  return starts?.[at] ?? at;
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/** The characters that start an escape: of JSON, of a URL, and of both. */
const ESCAPES: readonly (readonly number[])[] = [[BACKSLASH], [PERCENT], [BACKSLASH, PERCENT]];

/** Decodes the escapes that start with some characters; undefined if there are none. */
function unescaped(view: View, starters: readonly number[]): View | undefined {
  const { codes } = view;
  if (!starters.some((one) => codes.includes(one))) return undefined;
  const out = new Uint16Array(codes.length);
  const starts = new Int32Array(codes.length + 1);
  let size = 0;
  for (let at = 0; at < codes.length; size++) {
    const own = codes[at] as number;
    const [code, length] = (starters.includes(own) && escapeAt(codes, at)) || [own, 1];
    out[size] = code;
    starts[size] = placeIn(view, at);
    at += length;
  }
  starts[size] = placeIn(view, codes.length);
  if (size === codes.length) return undefined;
  return { codes: out.subarray(0, size), starts: starts.subarray(0, size + 1) };
}

const SHORT: Readonly<Record<string, string>> = {
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" },
};

/** The code of an escape, and its length. */
function escapeAt(codes: Uint16Array, at: number): [code: number, length: number] | undefined {
  const code = codes[at];
  if (code === PERCENT) return hexAt(codes, at + 1, 2, 3);
  if (code !== BACKSLASH) return undefined;
  const next = String.fromCharCode(codes[at + 1] ?? 0);
  if (next === "u") return hexAt(codes, at + 2, 4, 6);
  const short = SHORT[next];
  return short === undefined ? undefined : [short.charCodeAt(0), 2];
}

function hexAt(codes: Uint16Array, from: number, digits: number, length: number) {
  const text = String.fromCharCode(...codes.subarray(from, from + digits));
  if (text.length < digits || !/^[0-9a-f]+$/i.test(text)) return undefined;
  return [Number.parseInt(text, 16), length] as [number, number];
}
