import { UsageError } from "../../errors.ts";
import { joinBytes } from "../bytes.ts";
import { eventNameIn } from "../event-name.ts";
import type { DeliveryRequest } from "../request.ts";
import { unverified } from "../verification.ts";
import { requiredHeader } from "./refusals.ts";
import { checkHeaderName } from "./secrets.ts";

/** What a sender signs: headers, the body and text between them. */
export interface SignedTemplate {
  /** The names of the headers, in lower case. */
  readonly headers: readonly string[];
  /** The signed message. Throws a TxfeedError `unverified` if a header is missing. */
  readonly fill: (request: DeliveryRequest, rawBody: Uint8Array) => Uint8Array;
}

/**
 * Reads a template such as `{webhook-event-type}.{body}`.
 *
 * @throws {TxfeedError} `usage` if it does not have `{body}` once, or names no header in braces.
 */
export function readTemplate(template: string): SignedTemplate {
  // Text and names in turn; a name is what a pair of braces has between them.
  const parts = template
    .split(/\{([^{}]*)\}/)
    .map((part, at) => (at % 2 === 0 ? { text: part } : { name: part.toLowerCase() }))
    .filter(({ text }) => text !== "");
  const names = parts.flatMap(({ name }) => (name === undefined ? [] : [name]));
  if (names.filter((name) => name === "body").length !== 1) {
    const message = `hmacSha256: signed must have {body} once, not ${JSON.stringify(template)}`;
    throw new UsageError(message);
  }
  const headers = names.filter((name) => name !== "body");
  for (const name of headers) checkHeaderName("hmacSha256", name);
  const encoder = new TextEncoder();
  return {
    headers,
    fill: (request, rawBody) =>
      joinBytes(
        parts.map(({ text, name = "" }) => {
          if (name === "body") return rawBody;
          return encoder.encode(text ?? textOf(request, name));
        }),
      ),
  };
}

/** A header as the receiver reads it. */
function textOf(request: DeliveryRequest, header: string): string {
  if (header !== "webhook-event-type") return requiredHeader(request, header);
  const name = eventNameIn(request);
  if (name === "") throw unverified("the header webhook-event-type does not name one event");
  return name;
}
