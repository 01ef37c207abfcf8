import type { Finding } from "../contract/finding.ts";
import { hasCode } from "../errors.ts";
import type { AttemptResult } from "./attempt.ts";
import type { DeliveryReport } from "./hooks.ts";
import type { DeliveryResponse } from "./request.ts";

/** A response, and what the report says about the delivery. */
export interface Reply extends Omit<DeliveryReport, "durationMs"> {
  readonly response: DeliveryResponse;
}

/** A hostile body can have a million findings. */
const MAX_FINDINGS = 50;

const empty = (status: number): DeliveryResponse => ({ status, headers: {}, body: "" });

/**
 * An error response. It never contains a stack trace or an exception of a handler.
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

/** A 503 that asks for a retry after some seconds. */
function unavailable(detail: string, seconds: number): DeliveryResponse {
  const headers = { "retry-after": String(seconds) };
  return problem(503, "Service Unavailable", detail, { headers });
}

const CONTENT_TYPE = "the content type must be application/json, or end in +json";

/** The responses that are the same for every delivery. */
export const responses = {
  accepted: empty(204),
  stored: empty(202),
  notUtf8: problem(400, "Bad Request", "the body is not UTF-8"),
  notJson: problem(400, "Bad Request", "the body is not JSON"),
  notNamed: problem(400, "Bad Request", "the header webhook-event-type must name one event"),
  unverified: problem(401, "Unauthorized", "the delivery could not be verified"),
  brokenOff: problem(408, "Request Timeout", "the body is incomplete"),
  notPost: problem(405, "Method Not Allowed", "deliveries must use POST", {
    headers: { allow: "POST" },
  }),
  notJsonByType: problem(415, "Unsupported Media Type", CONTENT_TYPE),
  failed: problem(500, "Internal Server Error", "the delivery could not be handled; send it again"),
  overloaded: unavailable("too many deliveries wait to be stored or handled; send it again", 5),
  busy: unavailable("a delivery of the same resource is in progress; send it again", 5),
  quarantined: problem(422, "Unprocessable Content", "the delivery was not accepted"),
} satisfies Record<string, DeliveryResponse>;

const BY_OUTCOME: Readonly<Record<AttemptResult["outcome"], DeliveryResponse>> = {
  handled: responses.accepted,
  ignored: responses.accepted,
  duplicate: responses.accepted,
  busy: responses.busy,
  failed: responses.failed,
  postponed: responses.failed,
  quarantined: responses.quarantined,
};

/** The response to a delivery that was handled before it is acknowledged. */
export function responseTo({ outcome, error }: AttemptResult): DeliveryResponse {
  if (hasCode(error, "retry-later")) {
    const seconds = Math.max(0, Math.ceil((error.at.getTime() - Date.now()) / 1000));
    return unavailable("the delivery can't be handled yet; send it again", seconds);
  }
  return BY_OUTCOME[outcome];
}

/** The response to a body with a content coding, such as gzip, which the message quotes. */
export function encodedBody(coding: string): DeliveryResponse {
  const detail = `the body must be sent without a content coding; content-encoding is ${coding}`;
  const headers = { "accept-encoding": "identity" };
  return problem(415, "Unsupported Media Type", detail, { headers });
}

/** The response to a body of more than `limitBytes`. */
export function tooLarge(limitBytes: number): DeliveryResponse {
  return problem(413, "Content Too Large", `the body has more than ${limitBytes} bytes`);
}

/** The response to a delivery that breaks the contract, with the first 50 of its findings. */
export function contractViolation(event: string, findings: readonly Finding[]): DeliveryResponse {
  const shown = findings.slice(0, MAX_FINDINGS);
  const more = shown.length < findings.length ? `; the first ${shown.length} are listed` : "";
  const detail = `${event} breaks the contract; findings: ${findings.length}${more}`;
  return problem(422, "Unprocessable Content", detail, { findings: shown });
}
