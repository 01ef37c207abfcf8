/** A form of a secret to search for. */
export interface Form {
  readonly text: string;
  /** Number of base64 characters before and after it that contain some bits of the secret. */
  readonly before?: number;
  readonly after?: number;
}

/** The forms of a secret: plain, in base64 and in hex. Escapes are decoded before the search. */
export function formsOf(secret: string): Form[] {
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

/** The character codes of a text after one or more steps of decoding. */
export interface View {
  readonly codes: Uint16Array;
  /** The view that it was decoded from, and the start of each code there, and the end of all. */
  readonly from?: { readonly view: View; readonly starts: Int32Array };
}

export function viewOf(text: string): View {
  const codes = new Uint16Array(text.length);
  for (let at = 0; at < codes.length; at++) codes[at] = text.charCodeAt(at);
  return { codes };
}

/** Maps a range of a view to the range of the original text. */
export function rangeIn({ from }: View, start: number, end: number): [number, number] {
  if (!from) return [start, end];
  return rangeIn(from.view, from.starts[start] as number, from.starts[end] as number);
}

const BACKSLASH = 0x5c;
const PERCENT = 0x25;

/** The characters that start an escape: of JSON, of a URL, and of both. */
export const ESCAPES: readonly (readonly number[])[] = [
  [BACKSLASH],
  [PERCENT],
  [BACKSLASH, PERCENT],
];

/** Decodes the escapes that start with some characters; undefined if there are none. */
export function unescaped(view: View, starters: readonly number[]): View | undefined {
  const { codes } = view;
  if (!starters.some((one) => codes.includes(one))) return undefined;
  const out = new Uint16Array(codes.length);
  const starts = new Int32Array(codes.length + 1);
  let size = 0;
  for (let at = 0; at < codes.length; size++) {
    const own = codes[at] as number;
    const [code, length] = (starters.includes(own) && escapeAt(codes, at)) || [own, 1];
    out[size] = code;
    starts[size] = at;
    at += length;
  }
  starts[size] = codes.length;
  if (size === codes.length) return undefined;
  return { codes: out.subarray(0, size), from: { view, starts: starts.subarray(0, size + 1) } };
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
