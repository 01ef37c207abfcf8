/** An encoding of a value to search for. */
export interface Form {
  /** The view to search: see `views.ts`. */
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
