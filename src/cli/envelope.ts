import { type OperationKey, operations } from "../../generated/operations.ts";
import { describeValue, inOneLine } from "../contract/describe.ts";
import { type Finding, findingOf } from "../contract/finding.ts";
import { memberOf } from "../contract/pointer.ts";

/** A line of a capture. */
export type Envelope =
  /** A webhook delivery. */
  | {
      readonly kind: "delivery";
      readonly name: string;
      readonly body: unknown;
      readonly receivedAt?: string;
    }
  /** A response to a request. */
  | {
      readonly kind: "response";
      readonly operation: OperationKey;
      readonly status: number;
      readonly body: unknown;
    }
  /** A delivery that breaks WHK-01, so that it has no body to validate. */
  | { readonly kind: "broken"; readonly subject: string; readonly finding: Finding }
  /** Anything else. */
  | { readonly kind: "unreadable"; readonly problem: string };

const NEITHER =
  'neither a delivery ("headers" and "body") nor a response ("operation", "status" and "body")';

/** Parses a line with a delivery or a response. Never throws. */
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

/** Parses a body without an envelope as the delivery of an event. Never throws. */
export function readBare(name: string, text: string): Envelope {
  const parsed = parseJson(text);
  if ("problem" in parsed) return unreadable(`not JSON: ${parsed.problem}`);
  return { kind: "delivery", name, body: parsed.value };
}

function readResponse(value: unknown): Envelope {
  const operation = memberOf(value, "operation");
  if (typeof operation !== "string" || !Object.hasOwn(operations, operation)) {
    const wanted = "a method and a path template, such as GET /cards/{id}";
    return unreadable(`unknown operation ${describeValue(operation)}; expected ${wanted}`);
  }
  const status = memberOf(value, "status");
  if (typeof status !== "number") {
    return unreadable(`"status" must be a number such as 200; got ${describeValue(status)}`);
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

/** WHK-01: a header must name the event. */
export function withoutEvent(header: unknown): Finding {
  const expected = "an event name of the contract";
  const actual = describeValue(header);
  return findingOf("WHK-01.event-type", "webhook-event-type", { path: "", expected, actual });
}

/** WHK-01: the body must be JSON. */
export function withoutJson(name: string, problem: string): Finding {
  const actual = inOneLine(`a body that is not JSON: ${problem}`);
  return findingOf("WHK-01.json-body", `${name} (body)`, {
    path: "",
    expected: "a JSON body",
    actual,
  });
}

/** The body: `body` as JSON, or `rawBody` as a string. */
function bodyIn(value: unknown): Parsed {
  const rawBody = memberOf(value, "rawBody");
  if (rawBody === undefined) return { value: memberOf(value, "body") };
  return typeof rawBody === "string" ? parseJson(rawBody) : { problem: describeValue(rawBody) };
}

/** Finds a header by its name in any case. Some servers record the value as an array. */
function headerIn(headers: object, name: string): unknown {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? [];
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

type Parsed = { readonly value: unknown } | { readonly problem: string };

/** Parses JSON. The problem does not quote the text, which could contain a secret. */
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
