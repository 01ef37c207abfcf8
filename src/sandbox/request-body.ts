import type { Context } from "hono";
import { badRequest, Refusal } from "../world/refusal.ts";

const MAX_BYTES = 2 ** 20;

/**
 * Reads a body of a media type as text; empty if there is no body.
 *
 * @throws {Refusal} 413 if it is too long, 415 for another type, charset or encoding, 400 if it is
 * not UTF-8
 */
export async function textOf({ req }: Context, mediaType: string): Promise<string> {
  const bytes = await bytesOf(req.raw);
  const contentType = req.header("content-type");
  if (bytes.length === 0 && contentType === undefined) return "";
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const isOther = type.trim() !== mediaType || parameters.some(isOtherCharset);
  const encoding = req.header("content-encoding") ?? "identity";
  if (isOther || encoding !== "identity") {
    throw new Refusal(415, "Unsupported media type", `the body must be ${mediaType} in UTF-8`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("the body is not UTF-8");
  }
}

/**
 * Reads a body that is a JSON object; an empty object if there is no body.
 *
 * @throws {Refusal} as {@link textOf}, and 400 if it is not a JSON object
 */
export async function jsonObjectOf(context: Context): Promise<object> {
  const text = await textOf(context, "application/json");
  if (text === "") return {};
  const value = parsed(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw badRequest("the body is not a JSON object");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("the body is not JSON");
  }
}

async function bytesOf(request: Request): Promise<Uint8Array> {
  const length = request.headers.get("content-length");
  // Nothing is read here; the server consumes the body.
  if (Number(length) > MAX_BYTES) throw tooLarge();
  // Much faster than a reader.
  if (length !== null) return new Uint8Array(await request.arrayBuffer());
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Reads to the end even if it is too long; otherwise the client would not see the response.
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes <= MAX_BYTES) chunks.push(value);
  }
  if (bytes > MAX_BYTES) throw tooLarge();
  return Buffer.concat(chunks);
}

function tooLarge(): Refusal {
  return new Refusal(413, "Content too large", `the body must have at most ${MAX_BYTES} bytes`);
}

function isOtherCharset(parameter: string): boolean {
  const [name = "", value = ""] = parameter.split("=");
  return name.trim() === "charset" && !/^\s*"?utf-?8"?\s*$/.test(value);
}
