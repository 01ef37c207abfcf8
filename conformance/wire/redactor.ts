import { encodedForms, type Form, plainForms } from "./encodings.ts";
import { type Needle, Needles } from "./needles.ts";
import { redactionScope } from "./redaction-scope.ts";
import { asBase64, asHex, rangeIn, unescaped, type View, viewOf, withoutNul } from "./views.ts";

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
