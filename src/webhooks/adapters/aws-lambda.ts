import { BodyConsumedError, UsageError } from "../../errors.ts";
import type { DeliveryRequest, Receiver } from "../request.ts";

/** The members of an API Gateway (payload format 2.0) or function URL event that are used. */
export interface LambdaEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

/** The result of the handler, in payload format 2.0. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/**
 * Creates an AWS Lambda handler from a receiver, for an HTTP API of API Gateway (payload format
 * 2.0) or a function URL.
 *
 * If a middleware parsed the body before, the handler rejects with a TxfeedError `body-consumed`,
 * and with `usage` for an event of another payload format. Lambda logs the error, and API Gateway
 * responds with 500.
 *
 * @example export const handler = toLambdaHandler(receiver)
 */
export function toLambdaHandler(receiver: Receiver): (event: LambdaEvent) => Promise<LambdaResult> {
  return async (event) => {
    assertFormat(event);
    const { status, headers, body } = await receiver.receive({
      request: headOf(event),
      readBody: async (limitBytes) => {
        const bytes = bytesOf(event);
        return bytes.length > limitBytes ? "too-large" : bytes;
      },
    });
    return { statusCode: status, headers: { ...headers }, body, isBase64Encoded: false };
  };
}

/** Events of other sources, which handlers get if they are connected to the wrong trigger. */
interface OtherEvent {
  readonly version?: unknown;
  readonly httpMethod?: unknown;
  readonly requestContext?: { readonly http?: unknown; readonly elb?: unknown };
}

/** @throws {TxfeedError} `usage` if an event does not have payload format 2.0. */
function assertFormat(event: OtherEvent | null | undefined): void {
  const { version, httpMethod, requestContext } = event ?? {};
  if (requestContext?.http) return;
  // REST APIs and load balancers send no version.
  let got = version === undefined ? "an event without a format" : `format ${version}`;
  if (httpMethod !== undefined) got = "format 1.0, of a REST API";
  if (requestContext?.elb) got = "format 1.0, of an Application Load Balancer";
  const advice = "call the function by an HTTP API or a function URL";
  throw new UsageError(`toLambdaHandler needs payload format 2.0; got ${got}: ${advice}`);
}

function headOf(event: LambdaEvent): DeliveryRequest {
  // API Gateway lower-cases header names; other sources of such events may not.
  const headers = new Map(
    Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method: event.requestContext.http.method,
    url: event.rawQueryString ? `${event.rawPath}?${event.rawQueryString}` : event.rawPath,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
  };
}

/** The body's bytes. They are in memory already; API Gateway limits them to 10 MB. */
function bytesOf(event: LambdaEvent): Uint8Array {
  const body = event.body ?? "";
  if (typeof body !== "string") {
    const advice = "remove it from the receiver's function (Middy: httpJsonBodyParser)";
    const message = `a middleware parsed the body before the receiver: ${advice}`;
    throw new BodyConsumedError(message);
  }
  if (!event.isBase64Encoded) return new TextEncoder().encode(body);
  return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
}
