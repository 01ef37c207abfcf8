/**
 * The contract's formats, as strict as txfeed's and as fast. Other libraries use them so that the
 * comparison does not depend on their own date formats.
 */

const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
const MOMENT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const LOCAL_MOMENT = new RegExp(MOMENT.source.replace("\\.\\d{3}Z", "(?:\\.\\d{1,30})?"));

/** CONV-01 */
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:\/\/[^\s/]\S*$/i;

/** Checks that the month of a well-formed date has that day. */
function hasDay(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= 28) return true;
  const year = Number(text.slice(0, 4));
  const month = Number(text.slice(5, 7));
  if (month !== 2) return day <= 30 || ![4, 6, 9, 11].includes(month);
  return day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

/** The contract's formats by name. */
export const formats = {
  uuid: (text: string) => UUID.test(text),
  date: (text: string) => DAY.test(text) && hasDay(text),
  "date-time": (text: string) => MOMENT.test(text) && hasDay(text),
  "date-time-local": (text: string) => LOCAL_MOMENT.test(text) && hasDay(text),
  uri: (text: string) => ABSOLUTE_URI.test(text),
};
