/**
 * The string formats of the contract. Each accepts what its pattern in the contract accepts, up to
 * a maximum length. Dates and times must exist: no 30 February, no hour 24, no leap second. A
 * payload has dozens of them, so they are parsed character by character, which is several times
 * faster than a regular expression. The generator bundles this module into
 * `generated/validators.js`.
 */

const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:\/\/[^\s/]\S*$/i;
const MAX_URI_LENGTH = 2048;
const MAX_FRACTION_DIGITS = 30;

const HYPHEN = 45;
const DOT = 46;
const COLON = 58;
const T = 84;
const Z = 90;

/** The kind of each character code: 1 for a hexadecimal digit, 2 for a hyphen, otherwise 0. */
const kinds = new Uint8Array(256);
for (const digit of "0123456789abcdefABCDEF") kinds[digit.charCodeAt(0)] = 1;
kinds[HYPHEN] = 2;
const uuidKinds = new Uint8Array(36).fill(1);
for (const hyphen of [8, 13, 18, 23]) uuidKinds[hyphen] = 2;

function isUuid(text: string): boolean {
  if (text.length !== 36) return false;
  for (let index = 0; index < 36; index += 1) {
    if (kinds[text.charCodeAt(index)] !== uuidKinds[index]) return false;
  }
  return true;
}

/** The two-digit number at a position; NaN if there is none, so that every comparison is false. */
function pairAt(text: string, at: number): number {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Whether a text starts with an existing date, `YYYY-MM-DD`. */
function startsWithDay(text: string): boolean {
  const century = pairAt(text, 0);
  const year = pairAt(text, 2);
  const month = pairAt(text, 5);
  const day = pairAt(text, 8);
  return (
    century >= 0 &&
    year >= 0 &&
    text.charCodeAt(4) === HYPHEN &&
    month >= 1 &&
    month <= 12 &&
    text.charCodeAt(7) === HYPHEN &&
    day >= 1 &&
    (day <= 28 || day <= lastDayOf(century * 100 + year, month))
  );
}

function lastDayOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Whether a text starts with an existing date, a `T` and a time with seconds. */
function startsWithMoment(text: string): boolean {
  return (
    startsWithDay(text) &&
    text.charCodeAt(10) === T &&
    pairAt(text, 11) <= 23 &&
    text.charCodeAt(13) === COLON &&
    pairAt(text, 14) <= 59 &&
    text.charCodeAt(16) === COLON &&
    pairAt(text, 17) <= 59
  );
}

/** Whether a text of at least 19 characters ends after the seconds or after their fraction. */
function endsWithFraction(text: string): boolean {
  const end = text.length;
  if (end === 19) return true;
  if (end < 21 || end > 20 + MAX_FRACTION_DIGITS || text.charCodeAt(19) !== DOT) return false;
  for (let index = 20; index < end; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** Whether a text has at most `most` characters. A surrogate pair counts as one. */
function isWithin(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && [...text].length <= most);
}

/** The formats by their names in the contract. */
export const formats = {
  /** CONV-01: hexadecimal digits in the shape of a UUID, either case, any version. */
  uuid: isUuid,
  /** CONV-02: UTC with exactly three digits of milliseconds. */
  "date-time": (text: string) =>
    text.length === 24 &&
    startsWithMoment(text) &&
    text.charCodeAt(19) === DOT &&
    pairAt(text, 20) >= 0 &&
    pairAt(text, 21) >= 0 &&
    text.charCodeAt(23) === Z,
  /** CONV-03 */
  date: (text: string) => text.length === 10 && startsWithDay(text),
  /** MSG-07: no time zone; the fraction is optional. */
  "date-time-local": (text: string) => startsWithMoment(text) && endsWithFraction(text),
  /** CONV-05: the external links of an enrichment are absolute. */
  uri: (text: string) => isWithin(text, MAX_URI_LENGTH) && ABSOLUTE_URI.test(text),
};
