import { reachOf } from "./words.ts";

/** Replaces values in texts by what stands for them. */
export class Masks {
  /** Forms of values, the longest first, as one may begin with another. */
  #forms: (readonly [form: string, instead: string])[] = [];
  /** Finds what no plain form does. */
  readonly #patterns: { readonly pattern: RegExp; readonly instead: string }[] = [];
  /** Finds values in texts with escapes of some kind. */
  readonly #escaped: { readonly pattern: RegExp; readonly instead: string }[] = [];

  /** A secret is found as a part of a longer text too, and however it is escaped. */
  addSecret(secret: string, instead: string): void {
    const reach = reachOf(secret);
    if (reach === "whole") this.#addPattern(asWhole(secret), instead);
    if (reach !== "anywhere") return;
    this.#addForms([secret, ...inBase64(secret)], instead);
    this.#escaped.push({ pattern: inEscapes(secret), instead });
  }

  /** A token is no common word, and needs no escape. */
  addToken(token: string, instead: string): void {
    if (reachOf(token) === "anywhere") this.#addForms([token, ...inBase64(token)], instead);
  }

  /** An id is found as a word of its own, in whatever case. */
  addId(id: string, instead: string): void {
    const reach = reachOf(id);
    if (reach === "nowhere") return;
    this.#addPattern(reach === "whole" ? asWhole(id) : asWord(id), instead);
    if (reach === "anywhere") this.#addForms(inBase64(id), instead);
  }

  #addForms(forms: readonly string[], instead: string): void {
    const known = new Map([...this.#forms, ...forms.map((form) => [form, instead] as const)]);
    this.#forms = [...known].sort(([a], [b]) => b.length - a.length);
  }

  #addPattern(pattern: RegExp, instead: string): void {
    this.#patterns.push({ pattern, instead });
  }

  /** A text with what stands for values in their place. */
  apply(text: string): string {
    let clean = text;
    for (const [form, instead] of this.#forms) {
      if (clean.includes(form)) clean = clean.replaceAll(form, () => instead);
    }
    const found = ESCAPES.test(clean) ? [...this.#escaped, ...this.#patterns] : this.#patterns;
    for (const { pattern, instead } of found) clean = clean.replace(pattern, () => instead);
    return clean;
  }
}

/** What begins an escape of JSON, of an address, of a form or of HTML. */
const ESCAPES = /[\\%+&]/;

/** Finds a text with any of its characters escaped. */
function inEscapes(text: string): RegExp {
  return new RegExp([...text].map(inAnyEscape).join(""), "g");
}

/**
 * A character in any of its escapes. The first of a text is looked for from the first of several
 * backslashes alone, so that a run of them is read once and not from each of its own.
 */
function inAnyEscape(char: string, at: number): string {
  const backslashes = at === 0 ? "(?<!\\\\)\\\\+" : "\\\\+";
  const bytes = [...Buffer.from(char)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`);
  const units = [...Array(char.length).keys()].map(
    (unit) =>
      `${unit === 0 ? backslashes : "\\\\+"}u${char.charCodeAt(unit).toString(16).padStart(4, "0")}`,
  );
  const forms = [inEitherCase(bytes.join("")), inEitherCase(units.join(""))];
  if (/\w/.test(char)) return `(?:${escaped(char)}|${forms.join("|")})`;
  const code = char.codePointAt(0);
  forms.push(`&#0*${code};`, `&#x0*${inEitherCase(code?.toString(16) ?? "")};`);
  const name = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" }[char];
  if (name) forms.push(name);
  if (char === " ") forms.push("\\+");
  return `(?:(?:${backslashes})?${escaped(char)}|${forms.join("|")})`;
}

function inEitherCase(text: string): string {
  return text.replace(/(?<![\\])[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function inBase64(text: string): string[] {
  const bytes = Buffer.from(text);
  return [bytes.toString("base64"), bytes.toString("base64url")];
}

/** Finds an id that is no part of a longer word. The end of an escape is none of it. */
function asWord(id: string): RegExp {
  const begin = "(?<!\\w)|(?<=%[0-9a-f]{2}|\\\\[bfnrt]|\\\\u[0-9a-f]{4})";
  return new RegExp(`(?:${begin})${escaped(id)}(?!\\w)`, "gi");
}

/** Finds a value that is a whole text of JSON, segment of a path, or value of a form. */
function asWhole(value: string): RegExp {
  return new RegExp(`(?<=["/=]|^)${escaped(value)}(?=["/?#&\\\\]|$)(?!"\\s*:)`, "g");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
