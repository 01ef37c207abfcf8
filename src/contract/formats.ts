/**
 * The string formats of the contract, told exactly. A day or a moment has to exist (no 30 February,
 * no hour 24, no leap second), which no pattern can say. The generator seals them into
 * `generated/validators.js`.
 */

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/;
const MILLISECONDS = /^\.\d{3}Z$/;
const FRACTION = /^(\.\d+)?$/;
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:\/\/[^\s/]\S*$/i;

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** CONV-03: `YYYY-MM-DD`, a day of the calendar. */
function isDate(text: string): boolean {
  const parts = DATE.exec(text);
  if (!parts) return false;
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && isLeapYear ? 29 : DAYS_OF_MONTH[month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** A date, a `T`, a time of day, and what `rest` allows behind it. */
function isDateTime(text: string, rest: RegExp): boolean {
  return (
    text[10] === "T" &&
    isDate(text.slice(0, 10)) &&
    TIME.test(text.slice(11, 19)) &&
    rest.test(text.slice(19))
  );
}

/** Each format by its name in the contract. */
export const formats = {
  /** CONV-01: hexadecimal digits in the shape of a UUID, either case, any version. */
  uuid: (text: string) => UUID.test(text),
  /** CONV-02: UTC with exactly three digits of milliseconds. */
  "date-time": (text: string) => isDateTime(text, MILLISECONDS),
  date: isDate,
  /** MSG-07: no zone; a fraction is optional. */
  "date-time-local": (text: string) => isDateTime(text, FRACTION),
  /** CONV-05: the links of an enrichment that lead outside are absolute. */
  uri: (text: string) => ABSOLUTE_URI.test(text),
};
