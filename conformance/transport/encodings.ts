/** A way of writing a value that can be looked for. */
export interface Form {
  /** In which view: see `views.ts`. */
  readonly as: "text" | "base64" | "hex";
  readonly text: string;
  /** Characters of base64 before and after it that hold some bits of the value. */
  readonly before?: number;
  readonly after?: number;
}

/** The value itself. Its escapes are no forms of their own: a view reads them. */
export function plainForms(value: string): Form[] {
  const inForm = value.replaceAll(" ", "+");
  const texts = [value, value.toLowerCase(), value.toUpperCase(), bytesAsText(value)];
  texts.push(inForm, bytesAsText(inForm));
  return [...new Set(texts)].map((text) => ({ as: "text", text }));
}

/** The value backwards, its bytes in every encoding, and each encoding encoded once more. */
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
    // As a debugger dumps them. The view leaves blanks out.
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
 * The base64 of some bytes wherever they stand among others: after 0, 1 or 2 bytes of a group of 3.
 * What they share with their neighbours is left out.
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

/** As escaped bytes are read one by one. */
function bytesAsText(value: string): string {
  return Buffer.from(value).toString("latin1");
}
