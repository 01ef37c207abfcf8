/**
 * The patterns that many values of a payload must match. They are tested character by character,
 * which is faster than a regular expression. The generator bundles this module into
 * `generated/validators.js`.
 */

const PATH = /^\/([^/\s].*)?$/u;
const LINE_END = /[\n\r\u2028\u2029]/;
const SLASH = 47;

function isPath(text: string): boolean {
  const second = text.charCodeAt(1);
  if (text.charCodeAt(0) !== SLASH) return false;
  return second > SLASH && second < 128 ? !LINE_END.test(text) : PATH.test(text);
}

function isUpperCase(text: string): boolean {
  let hasLetter = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 97 && code <= 122) return false;
    if (code >= 65 && code <= 90) hasLetter = true;
  }
  return hasLetter;
}

const TESTS: Readonly<Record<string, (text: string) => boolean>> = {
  "^(/|/[^/\\s].*)$": isPath,
  "^[^a-zA-Z]*[A-Z][^a-z]*$": isUpperCase,
};

/** Compiles a pattern. AJV's option `code.regExp` calls this instead of `new RegExp`. */
export function testOf(pattern: string, flags: string): { test(text: string): boolean } {
  const test = TESTS[pattern];
  return test ? { test } : new RegExp(pattern, flags);
}
