import { UsageError } from "../../errors.ts";
import type { MessagePart } from "../crypto.ts";
import { type DeliveryRequest, eventNameIn } from "../request.ts";
import { requiredHeader, unverified } from "../verification.ts";
import { checkHeaderName } from "./secrets.ts";

/** The error for a signature that does not match. The receiver can't distinguish the causes. */
export const WRONG_SIGNATURE =
  "the signature does not match: wrong secret, or the signed content was changed";

/** The message that a sender signs: headers, the body and text between them. */
interface SignedTemplate {
  /** The names of the headers, in lower case. */
  readonly headers: readonly string[];
  /**
   * Builds the signed message, in parts.
   *
   * @throws {TxfeedError} `unverified` if a header is missing.
   */
  readonly fill: (request: DeliveryRequest, rawBody: Uint8Array) => MessagePart[];
}

/**
 * Parses a template such as `{webhook-event-type}.{body}`.
 *
 * @throws {TxfeedError} `usage` if it does not contain `{body}` exactly once, or has an invalid
 * header name in braces.
 */
export function readTemplate(template: string): SignedTemplate {
  // With a capture group, `split` returns text and names alternately.
  const parts = template
    .split(/\{([^{}]*)\}/)
    .map((part, at) => (at % 2 === 0 ? { text: part } : { name: part.toLowerCase() }))
    .filter(({ text }) => text !== "");
  const names = parts.flatMap(({ name }) => (name === undefined ? [] : [name]));
  if (names.filter((name) => name === "body").length !== 1) {
    const got = JSON.stringify(template);
    throw new UsageError(`hmacSha256: signed must contain {body} once; got ${got}`);
  }
  const headers = names.filter((name) => name !== "body");
  for (const name of headers) checkHeaderName("hmacSha256", name);
  const bodyAt = parts.findIndex(({ name }) => name === "body");
  const before = parts.slice(0, bodyAt);
  const after = parts.slice(bodyAt + 1);
  return {
    headers,
    fill: (request, rawBody) => [fillAll(before, request), rawBody, fillAll(after, request)],
  };
}

/** A part of a template: text, or the name of a header. */
type TemplatePart = { readonly text: string } | { readonly name: string };

function fillAll(parts: readonly TemplatePart[], request: DeliveryRequest): string {
  let filled = "";
  for (const part of parts) filled += "text" in part ? part.text : headerText(request, part.name);
  return filled;
}

/** Returns a header's value; for `webhook-event-type`, the event name that the receiver reads. */
function headerText(request: DeliveryRequest, header: string): string {
  if (header !== "webhook-event-type") return requiredHeader(request, header);
  const name = eventNameIn(request);
  if (name === "") throw unverified("the header webhook-event-type does not name one event");
  return name;
}
