import type { Context } from "hono";
import { badRequest, Refusal } from "../refusal.ts";

const MOST_BYTES = 2 ** 20;

/**
 * Reads a body of a media type as text; empty where there is no body.
 *
 * @throws a Refusal 413 where it is too long, 415 for another type, charset or encoding, or 400
 * where it is no UTF-8
 */
export async function textOf({ req }: Context, mediaType: string): Promise<string> {
  const bytes = await bytesOf(req.raw);
  const contentType = req.header("content-type");
  if (bytes.length === 0 && contentType === undefined) return "";
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const isOther = type.trim() !== mediaType || parameters.some(isOtherCharset);
  const encoding = req.header("content-encoding") ?? "identity";
  if (isOther || encoding !== "identity") {
    throw new Refusal(415, "Unsupported media type", `the body is to be ${mediaType}, in UTF-8`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("the body is not UTF-8");
  }
}

/**
 * Reads a body that is a JSON object; an empty one where there is no body.
 *
 * @throws a Refusal as {@link textOf}, or 400 where it is no JSON object
 */
export async function jsonObjectOf(context: Context): Promise<object> {
  const text = await textOf(context, "application/json");
  if (text === "") return {};
  const value = parsed(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw badRequest("the body is no JSON object");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("the body is not JSON");
  }
}

async function bytesOf(request: Request): Promise<Uint8Array> {
  const tooLarge = new Refusal(413, "Content too large", `a body has ${MOST_BYTES} bytes at most`);
  // Then nothing is read here, and the server takes the rest in.
  if (Number(request.headers.get("content-length")) > MOST_BYTES) throw tooLarge;
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // To the end, also of what is too long: else the caller would not see the answer.
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length <= MOST_BYTES) chunks.push(value);
  }
  if (length > MOST_BYTES) throw tooLarge;
  return Buffer.concat(chunks);
}

function isOtherCharset(parameter: string): boolean {
  const [name = "", value = ""] = parameter.split("=");
  return name.trim() === "charset" && !/^\s*"?utf-?8"?\s*$/.test(value);
}
