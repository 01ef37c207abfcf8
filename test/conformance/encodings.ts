/** Encodings in which a server may return a value. */

const bytesOf = (text: string) => Buffer.from(text);
const hexOf = (bytes: Buffer) => bytes.toString("hex");
const eachByte = (bytes: Buffer, write: (hex: string, byte: number) => string, between = "") =>
  [...bytes].map((byte) => write(byte.toString(16).padStart(2, "0"), byte)).join(between);
const eachUnit = (text: string, write: (hex: string, unit: number) => string) =>
  [...Array(text.length).keys()]
    .map((at) => text.charCodeAt(at))
    .map((unit) => write(unit.toString(16).padStart(4, "0"), unit))
    .join("");
const reversed = (text: string) => [...text].reverse().join("");
const inBase64 = (text: string) => bytesOf(text).toString("base64");
const percent = (text: string) => eachByte(bytesOf(text), (hex) => `%${hex}`);
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

export const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "in lower case": (text) => text.toLowerCase(),
  "in upper case": (text) => text.toUpperCase(),
  reversed,
  JSON: inJson,
  "JSON with escaped slashes": (text) => inJson(text).replaceAll("/", "\\/"),
  "JSON in JSON in JSON": (text) => inJson(inJson(inJson(text))),
  "JSON in Unicode": (text) => eachUnit(text, (hex) => `\\u${hex}`),
  "JSON with upper-case Unicode escapes": (text) =>
    eachUnit(text, (hex) => `\\u${hex.toUpperCase()}`),
  "JSON in Unicode in JSON": (text) => inJson(eachUnit(text, (hex) => `\\u${hex}`)),
  "JavaScript code point escapes": (text) => eachUnit(text, (hex) => `\\u{${hex}}`),
  "bytes of C": (text) => eachByte(bytesOf(text), (hex) => `\\x${hex}`),
  "a URL": encodeURIComponent,
  "a lower-case URL": (text) =>
    encodeURIComponent(text).replace(/%../g, (escaped) => escaped.toLowerCase()),
  "a form": (text) => new URLSearchParams({ s: text }).toString().slice(2),
  "percent, every character": percent,
  "percent-encoding of every character, in upper case": (text) => percent(text).toUpperCase(),
  "percent, twice": (text) => encodeURIComponent(percent(text)),
  "percent, three times": (text) => encodeURIComponent(encodeURIComponent(percent(text))),
  "percent of Unicode": (text) => eachUnit(text, (hex) => `%u${hex}`),
  "percent-encoding of every other character": (text) =>
    [...text].map((char, at) => (at % 2 ? percent(char) : char)).join(""),
  "HTML with decimal references": (text) => eachUnit(text, (_, unit) => `&#${unit};`),
  "HTML with hexadecimal references": (text) => eachUnit(text, (hex) => `&#x${hex};`),
  "HTML in HTML, with decimal references": (text) => eachUnit(text, (_, unit) => `&amp;#${unit};`),
  "HTML with named references": (text) =>
    text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("/", "&sol;"),
  base64: inBase64,
  base64url: (text) => bytesOf(text).toString("base64url"),
  "base64 after one byte": (text) => inBase64(`:${text}:`),
  "base64 after two bytes": (text) => inBase64(`a:${text}:b`),
  "base64 in lines": (text) => inBase64(text).replace(/(.{10})/g, "$1\n"),
  "base64 in lines in JSON": (text) => inJson(inBase64(text).replace(/(.{10})/g, "$1\r\n")),
  "base64, in a URL": (text) => encodeURIComponent(inBase64(text)),
  "base64 of base64": (text) => inBase64(inBase64(text)),
  "base64 of hexadecimal": (text) => inBase64(hexOf(bytesOf(text))),
  "base64 of a URL": (text) => inBase64(encodeURIComponent(text)),
  "base64 of percent": (text) => inBase64(percent(text)),
  "base64 of JSON": (text) => inBase64(JSON.stringify({ secret: text })),
  "base64 of the reversed text": (text) => inBase64(reversed(text)),
  "base64, reversed": (text) => reversed(inBase64(text)),
  "base64 of UTF-16": (text) => Buffer.from(text, "utf16le").toString("base64"),
  hexadecimal: (text) => hexOf(bytesOf(text)),
  "hexadecimal in upper case": (text) => hexOf(bytesOf(text)).toUpperCase(),
  "hexadecimal with colons": (text) => eachByte(bytesOf(text), (hex) => hex, ":"),
  "hexadecimal with spaces": (text) => eachByte(bytesOf(text), (hex) => hex, " "),
  "hexadecimal numbers": (text) => eachByte(bytesOf(text), (hex) => `0x${hex}`, ", "),
  "hexadecimal of base64": (text) => hexOf(bytesOf(inBase64(text))),
  "hexadecimal of hexadecimal": (text) => hexOf(bytesOf(hexOf(bytesOf(text)))),
  "hexadecimal of the reversed text": (text) => hexOf(bytesOf(reversed(text))),
  "hexadecimal, reversed": (text) => reversed(hexOf(bytesOf(text))),
  "UTF-16": (text) => eachUnit(text, (_, unit) => `\0${String.fromCharCode(unit)}`),
  "UTF-16 in JSON": (text) => eachUnit(text, (_, unit) => `${String.fromCharCode(unit)}\\u0000`),
  "UTF-16 in hexadecimal": (text) => hexOf(Buffer.from(text, "utf16le")),
  "a list of bytes": (text) => JSON.stringify([...bytesOf(text)]),
};
