import { type OperationKey, operations } from "../../generated/operations.ts";
import { describeValue, inOneLine } from "../contract/describe.ts";
import { type Finding, findingOf } from "../contract/finding.ts";
import { memberOf } from "../contract/pointer.ts";

/** What a line of a capture is. */
export type Envelope =
  /** A webhook delivery. */
  | {
      readonly kind: "delivery";
      readonly name: string;
      readonly body: unknown;
      readonly receivedAt?: string;
    }
  /** The answer to a request. */
  | {
      readonly kind: "response";
      readonly operation: OperationKey;
      readonly status: number;
      readonly body: unknown;
    }
  /** A delivery that breaks WHK-01, so that there is no body to judge. */
  | { readonly kind: "broken"; readonly subject: string; readonly finding: Finding }
  /** Nothing that can be judged. */
  | { readonly kind: "unreadable"; readonly problem: string };

const NEITHER =
  'neither a delivery ("headers" and "body") nor a response ("operation", "status" and "body")';

/** Reads a line: JSON in the form of a delivery or of a response. It never throws. */
export function readEnvelope(text: string): Envelope {
  const parsed = parseJson(text);
  if ("problem" in parsed) return unreadable(`not JSON: ${parsed.problem}`);
  const { value } = parsed;
  if (memberOf(value, "operation") !== undefined) return readResponse(value);
  const headers = memberOf(value, "headers");
  return typeof headers === "object" && headers !== null
    ? readDelivery(value, headers)
    : unreadable(NEITHER);
}

/** Reads a payload that has no envelope, as the delivery of an event. It never throws. */
export function readBare(name: string, text: string): Envelope {
  const parsed = parseJson(text);
  if ("problem" in parsed) return unreadable(`not JSON: ${parsed.problem}`);
  return { kind: "delivery", name, body: parsed.value };
}

function readResponse(value: unknown): Envelope {
  const operation = memberOf(value, "operation");
  if (typeof operation !== "string" || !Object.hasOwn(operations, operation)) {
    const wanted = "method and path template, such as GET /cards/{id}";
    return unreadable(`unknown operation ${describeValue(operation)}: it takes ${wanted}`);
  }
  const status = memberOf(value, "status");
  if (typeof status !== "number") {
    return unreadable(`"status" takes a number such as 200, not ${describeValue(status)}`);
  }
  return {
    kind: "response",
    operation: operation as OperationKey,
    status,
    body: memberOf(value, "body"),
  };
}

function readDelivery(value: unknown, headers: object): Envelope {
  const name = headerIn(headers, "webhook-event-type");
  if (typeof name !== "string") {
    return { kind: "broken", subject: "delivery", finding: withoutEvent(name) };
  }
  const body = bodyIn(value);
  if ("problem" in body) {
    return { kind: "broken", subject: name, finding: withoutJson(name, body.problem) };
  }
  const receivedAt = memberOf(value, "receivedAt");
  return {
    kind: "delivery",
    name,
    body: body.value,
    ...(typeof receivedAt === "string" && { receivedAt }),
  };
}

/** WHK-01: a delivery names its event in a header. */
export function withoutEvent(header: unknown): Finding {
  const expected = "an event name of the contract";
  const actual = describeValue(header);
  return findingOf("WHK-01", "webhook-event-type", { path: "", expected, actual });
}

/** WHK-01: a delivery's body is JSON. */
export function withoutJson(name: string, problem: string): Finding {
  const actual = inOneLine(`what is not JSON: ${problem}`);
  return findingOf("WHK-01", `${name} (body)`, { path: "", expected: "a JSON body", actual });
}

/** A body, parsed or as it came. */
function bodyIn(value: unknown): Parsed {
  const rawBody = memberOf(value, "rawBody");
  if (rawBody === undefined) return { value: memberOf(value, "body") };
  return typeof rawBody === "string" ? parseJson(rawBody) : { problem: describeValue(rawBody) };
}

/** Header names are case-insensitive; some servers give the values of a header as an array. */
function headerIn(headers: object, name: string): unknown {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

type Parsed = { readonly value: unknown } | { readonly problem: string };

/** Parses JSON, or says why it is none, without what stands there: that could be a secret. */
export function parseJson(text: string): Parsed {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: message.replace(/, (\.{3})?".*/s, "").replace(/ \(line .*/s, "") };
  }
}

function unreadable(problem: string): Envelope {
  return { kind: "unreadable", problem };
}
