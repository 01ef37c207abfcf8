import type { Finding } from "../contract/finding.ts";
import type { DeliveryResponse } from "./request.ts";

/** More findings than these help nobody, and a hostile body could have a million. */
const MAX_FINDINGS = 50;

const empty = (status: number): DeliveryResponse => ({ status, headers: {}, body: "" });

/**
 * A problem, as far as the sender may know of it: never a stack, nor what a handler threw.
 *
 * @see RFC 9457
 */
function problem(
  status: number,
  title: string,
  detail: string,
  { headers = {}, ...members }: { headers?: Record<string, string>; findings?: unknown } = {},
): DeliveryResponse {
  return {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
    body: JSON.stringify({ title, status, detail, ...members }),
  };
}

const CONTENT_TYPE = "the content type is application/json, or one that ends in +json";

/** What is answered where the delivery makes no difference. */
export const responses = {
  accepted: empty(204),
  queued: empty(202),
  notUtf8: problem(400, "Bad Request", "the body is not UTF-8"),
  notJson: problem(400, "Bad Request", "the body is not JSON"),
  notNamed: problem(400, "Bad Request", "the header webhook-event-type has to name one event"),
  unverified: problem(401, "Unauthorized", "the delivery could not be verified"),
  brokenOff: problem(408, "Request Timeout", "the body did not come in full"),
  notPost: problem(405, "Method Not Allowed", "deliveries come by POST", {
    headers: { allow: "POST" },
  }),
  notJsonByType: problem(415, "Unsupported Media Type", CONTENT_TYPE),
  failed: problem(500, "Internal Server Error", "the delivery could not be handled; send it again"),
  busy: problem(503, "Service Unavailable", "the same delivery is in progress; send it again", {
    headers: { "retry-after": "5" },
  }),
} satisfies Record<string, DeliveryResponse>;

/** The answer to a body of more than `limitBytes`. */
export function tooLarge(limitBytes: number): DeliveryResponse {
  return problem(413, "Content Too Large", `the body has more than ${limitBytes} bytes`);
}

/** The answer to a delivery that breaks the contract, with the first of its findings. */
export function contractViolation(event: string, findings: readonly Finding[]): DeliveryResponse {
  const shown = findings.slice(0, MAX_FINDINGS);
  const more =
    shown.length < findings.length ? `, of which the first ${shown.length} are here` : "";
  const detail = `${event} breaks the contract; findings: ${findings.length}${more}`;
  return problem(422, "Unprocessable Content", detail, { findings: shown });
}
