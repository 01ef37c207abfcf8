/** The character codes of a text after one or more steps of decoding. */
export interface View {
  readonly codes: Uint16Array;
  /**
   * The view that it was decoded from, and the start and end of each code there. Default of an end:
   * start + 1. Undefined for the text itself.
   */
  readonly from?: {
    readonly view: View;
    readonly starts: Int32Array;
    readonly ends?: Int32Array;
  };
}

export function viewOf(text: string): View {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < codes.length; at++) codes[at] = text.charCodeAt(at);
  return { codes };
}

/** Maps a range of a view to the range of the original text. */
export function rangeIn({ from }: View, start: number, end: number): [number, number] {
  if (!from) return [start, end];
  const { view, starts, ends } = from;
  const last = ends?.[end - 1] ?? (starts[end - 1] as number) + 1;
  return rangeIn(view, starts[start] as number, last);
}

const [BACKSLASH, PERCENT, AMPERSAND] = [0x5c, 0x25, 0x26];

/** Decodes JSON, URL and HTML escapes; undefined if there are none. */
export function unescaped(view: View): View | undefined {
  const { codes } = view;
  const first = firstEscapeIn(codes);
  if (first === undefined) return undefined;
  const { length } = codes;
  const out = new Uint16Array(length);
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  let size = 0;
  for (let at = 0; at < length; ) {
    const code = codes[at] as number;
    const escaped = at >= first && isMark(code) ? escapeAt(codes, at) : undefined;
    const end = at + (escaped?.length ?? 1);
    out[size] = escaped?.code ?? code;
    starts[size] = at;
    ends[size] = end;
    size += 1;
    at = end;
  }
  return { codes: out.subarray(0, size), from: { view, starts, ends } };
}

function firstEscapeIn(codes: Uint16Array): number | undefined {
  const found = [BACKSLASH, PERCENT, AMPERSAND].map((mark) => {
    let at = codes.indexOf(mark);
    while (at >= 0 && !escapeAt(codes, at)) at = codes.indexOf(mark, at + 1);
    return at;
  });
  const places = found.filter((at) => at >= 0);
  return places.length === 0 ? undefined : Math.min(...places);
}

/** Removes NUL, which separates the letters of UTF-16 text; undefined if there are none. */
export function withoutNul(view: View): View | undefined {
  if (!view.codes.includes(0)) return undefined;
  return translated(view, tableOf({ "\0": "" }));
}

/** Normalizes base64 to one line and the standard alphabet. */
export function asBase64(view: View): View {
  return translated(view, BASE64);
}

/** Normalizes hexadecimal digits to lower case without separators. */
export function asHex(view: View): View {
  return translated(view, HEX);
}

const BLANKS = { "\t": "", "\n": "", "\v": "", "\f": "", "\r": "", " ": "" };

/** The replacement of each code; negative codes are removed. */
const BASE64 = tableOf({ ...BLANKS, "-": "+", _: "/" });

const HEX = tableOf({
  ...{ ...BLANKS, ":": "", ",": "", "-": "" },
  ...Object.fromEntries([..."ABCDEF"].map((digit) => [digit, digit.toLowerCase()])),
});

function tableOf(changes: Readonly<Record<string, string>>): Int8Array {
  const table = Int8Array.from({ length: 128 }, (_, code) => code);
  for (const [from, to] of Object.entries(changes)) {
    table[from.charCodeAt(0)] = to === "" ? -1 : to.charCodeAt(0);
  }
  return table;
}

/** Replaces ASCII codes by the entries of a table. */
function translated(view: View, table: Int8Array): View {
  const { codes } = view;
  const { length } = codes;
  const out = new Uint16Array(length);
  const starts = new Int32Array(length);
  let size = 0;
  for (let at = 0; at < length; at++) {
    const code = codes[at] as number;
    const read = code < 128 ? (table[code] as number) : code;
    if (read < 0) continue;
    out[size] = read;
    starts[size] = at;
    size += 1;
  }
  return { codes: out.subarray(0, size), from: { view, starts } };
}

function isMark(code: number): boolean {
  return code === BACKSLASH || code === PERCENT || code === AMPERSAND;
}

function escapeAt(codes: Uint16Array, at: number) {
  const code = codes[at];
  if (code === BACKSLASH) return backslashAt(codes, at);
  return code === PERCENT ? percentAt(codes, at) : entityAt(codes, at);
}

const SHORT: Readonly<Record<string, string>> = {
  ...{ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" },
  ...{ '"': '"', "'": "'", "\\": "\\", "/": "/", "&": "&" },
};

function backslashAt(codes: Uint16Array, at: number) {
  const next = String.fromCharCode(codes[at + 1] ?? 0);
  if (next === "u") {
    return codes[at + 2] === 0x7b ? numberAt(codes, at, at + 3, 16, 0x7d) : hexAt(codes, at, 2, 4);
  }
  if (next === "x") return hexAt(codes, at, 2, 2);
  const short = SHORT[next];
  return short === undefined ? undefined : { code: short.charCodeAt(0), length: 2 };
}

function percentAt(codes: Uint16Array, at: number) {
  const isUnicode = codes[at + 1] === 0x75 || codes[at + 1] === 0x55;
  return isUnicode ? hexAt(codes, at, 2, 4) : hexAt(codes, at, 1, 2);
}

const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", sol: "/", plus: "+", equals: "=" },
  ...{ lowbar: "_", period: ".", colon: ":", semi: ";", num: "#", percnt: "%", dollar: "$" },
  ...{ excl: "!", quest: "?", commat: "@", comma: ",", lpar: "(", rpar: ")", nbsp: " " },
};

function entityAt(codes: Uint16Array, at: number) {
  if (codes[at + 1] === 0x23) {
    const isHex = codes[at + 2] === 0x78 || codes[at + 2] === 0x58;
    return isHex ? numberAt(codes, at, at + 3, 16, 0x3b) : numberAt(codes, at, at + 2, 10, 0x3b);
  }
  const end = codes.subarray(at + 1, at + 9).indexOf(0x3b);
  if (end < 0) return undefined;
  const char = NAMED[String.fromCharCode(...codes.subarray(at + 1, at + 1 + end))];
  return char === undefined ? undefined : { code: char.charCodeAt(0), length: end + 2 };
}

/** Decodes an escape of `count` hexadecimal digits. */
function hexAt(codes: Uint16Array, at: number, from: number, count: number) {
  let code = 0;
  for (let i = 0; i < count; i++) {
    const digit = digitOf(codes[at + from + i] ?? 0, 16);
    if (digit < 0) return undefined;
    code = code * 16 + digit;
  }
  return { code, length: from + count };
}

/** Decodes a number of any length, with or without its terminator. */
function numberAt(codes: Uint16Array, at: number, from: number, radix: number, last: number) {
  let code = 0;
  let end = from;
  for (let digit = digitOf(codes[end] ?? 0, radix); digit >= 0; ) {
    code = Math.min(code * radix + digit, 0x10000);
    end += 1;
    digit = digitOf(codes[end] ?? 0, radix);
  }
  if (end === from || code > 0xffff) return undefined;
  return { code, length: end - at + (codes[end] === last ? 1 : 0) };
}

function digitOf(code: number, radix: number): number {
  const digit =
    code >= 0x30 && code <= 0x39
      ? code - 0x30
      : code >= 0x61 && code <= 0x66
        ? code - 0x57
        : code >= 0x41 && code <= 0x46
          ? code - 0x37
          : -1;
  return digit < radix ? digit : -1;
}
