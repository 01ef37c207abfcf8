/** Forms in which a server may return a secret. */

const bytesOf = (text: string) => Buffer.from(text);
const percent = (text: string) => bytesOf(text).toString("hex").replace(/../g, "%$&");
const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const inUnicode = (text: string) =>
  text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

export const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  JSON: inJson,
  "JSON with escaped slashes": (text) => inJson(text).replaceAll("/", "\\/"),
  "JSON in JSON in JSON": (text) => inJson(inJson(inJson(text))),
  "JSON in Unicode": inUnicode,
  "JSON in Unicode in JSON": (text) => inJson(inUnicode(text).toUpperCase().replaceAll("U", "u")),
  "a URL": encodeURIComponent,
  "a lower-case URL": (text) =>
    encodeURIComponent(text).replace(/%../g, (escaped) => escaped.toLowerCase()),
  "a form": (text) => new URLSearchParams({ s: text }).toString().slice(2),
  "percent, every character": percent,
  "percent, twice": (text) => encodeURIComponent(percent(text)),
  "percent in JSON": (text) => inJson(percent(text)),
  base64: (text) => bytesOf(text).toString("base64"),
  base64url: (text) => bytesOf(text).toString("base64url"),
  "base64 after one byte": (text) => bytesOf(`:${text}:`).toString("base64"),
  "base64 after two bytes": (text) => bytesOf(`a:${text}:b`).toString("base64"),
  "base64 in a URL": (text) => encodeURIComponent(bytesOf(text).toString("base64")),
  "base64 in JSON": (text) => inUnicode(bytesOf(text).toString("base64")),
  hexadecimal: (text) => bytesOf(text).toString("hex"),
  "hexadecimal in upper case": (text) => bytesOf(text).toString("hex").toUpperCase(),
};
