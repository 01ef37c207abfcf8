/** An encoding of a value to search for. */
export interface Form {
  /** The view to search. */
  readonly as: "text" | "base64" | "hex";
  readonly text: string;
  /** Number of base64 characters before and after it that contain some bits of the value. */
  readonly before?: number;
  readonly after?: number;
}

/** The unencoded forms of a value. Escaped forms are not needed: views decode escapes. */
export function plainForms(value: string): Form[] {
  const inForm = value.replaceAll(" ", "+");
  const texts = [value, value.toLowerCase(), value.toUpperCase(), bytesAsText(value)];
  texts.push(inForm, bytesAsText(inForm));
  return [...new Set(texts)].map((text) => ({ as: "text", text }));
}

/** The reversed value, its bytes in every encoding, and each encoding encoded again. */
export function encodedForms(value: string): Form[] {
  const bytes = Buffer.from(value);
  const reversed = [...value].reverse().join("");
  const inner = [
    ...[value, reversed, bytes.toString("base64"), bytes.toString("base64url")],
    ...[bytes.toString("hex"), bytes.toString("hex").toUpperCase()],
    ...[encodeURIComponent(value), percentEncoded(value), percentEncoded(value).toUpperCase()],
    ...[JSON.stringify(value).slice(1, -1), inUnicode(value)],
  ];
  const encoded = [
    ...[...new Set(inner)].map((text) => Buffer.from(text)),
    ...[Buffer.from(value, "utf16le"), Buffer.from(value, "utf16le").swap16()],
  ];
  return [
    { as: "text", text: reversed },
    ...encoded.flatMap((one) => bothWays([...inBase64(one), inHex(one)])),
    // Byte dumps. The view removes blanks.
    { as: "base64", text: bytes.join(",") },
    { as: "hex", text: eachByte(bytes, (hex) => `0x${hex}`) },
  ];
}

function bothWays(forms: readonly Form[]): Form[] {
  return forms.flatMap((form) => [
    form,
    {
      as: form.as,
      text: Buffer.from(form.text, "latin1").reverse().toString("latin1"),
      ...(form.after && { before: form.after }),
      ...(form.before && { after: form.before }),
    },
  ]);
}

function inHex(bytes: Buffer): Form {
  return { as: "hex", text: bytes.toString("hex") };
}

/**
 * The base64 of bytes at any position among others: after 0, 1 or 2 bytes of a group of 3.
 * Characters that are shared with adjacent bytes are omitted.
 */
function inBase64(bytes: Buffer): Form[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const first = offset === 0 ? 0 : offset + 1;
    const bits = (offset + bytes.length) * 8;
    const isShared = bits % 6 !== 0;
    const last = Math.floor(bits / 6);
    return {
      as: "base64",
      text: text.slice(first, last),
      ...(offset > 0 && { before: 1 }),
      ...(isShared && { after: 1 }),
    };
  });
}

function percentEncoded(value: string): string {
  return eachByte(Buffer.from(value), (hex) => `%${hex}`);
}

function eachByte(bytes: Buffer, write: (hex: string) => string): string {
  return [...bytes].map((byte) => write(byte.toString(16).padStart(2, "0"))).join("");
}

function inUnicode(value: string): string {
  const units = [...Array(value.length).keys()].map((at) => value.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** The value as escaped bytes appear when each one is decoded separately. */
function bytesAsText(value: string): string {
  return Buffer.from(value).toString("latin1");
}

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

/** The value of a digit; -1 if it is none. */
function digitOf(code: number, radix: number): number {
  const digit = Number.parseInt(String.fromCharCode(code), radix);
  return Number.isNaN(digit) ? -1 : digit;
}
