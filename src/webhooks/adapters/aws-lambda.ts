import { BodyConsumedError } from "../../errors.ts";
import type { DeliveryRequest, DeliveryResponse, Receiver } from "../request.ts";

/** What the handler needs of an event of API Gateway (payload format 2.0) or a function URL. */
export interface LambdaEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string;
  readonly isBase64Encoded: boolean;
}

/** What the handler answers, in payload format 2.0. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/**
 * Makes an AWS Lambda handler of a receiver, behind an HTTP API of API Gateway (payload format
 * 2.0) or a function URL.
 *
 * A body that a middleware has parsed rejects with a TxfeedError `body-consumed`: Lambda logs it,
 * and API Gateway answers 500.
 *
 * @example export const handler = toLambdaHandler(receiver)
 */
export function toLambdaHandler(receiver: Receiver): (event: LambdaEvent) => Promise<LambdaResult> {
  return async (event) => {
    const answer: DeliveryResponse = await receiver.receive({
      request: headOf(event),
      readBody: async (limitBytes) => {
        const bytes = bytesOf(event);
        return bytes.length > limitBytes ? "too-large" : bytes;
      },
    });
    const { status: statusCode, headers, body } = answer;
    return { statusCode, headers: { ...headers }, body, isBase64Encoded: false };
  };
}

function headOf(event: LambdaEvent): DeliveryRequest {
  // API Gateway sends names in lower case; what else may make such an event, need not.
  const headers = new Map(
    Object.entries(event.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return {
    method: event.requestContext.http.method,
    url: event.rawQueryString ? `${event.rawPath}?${event.rawQueryString}` : event.rawPath,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
  };
}

/** The body's bytes; API Gateway bounds them (10 MB), and has them in memory already. */
function bytesOf(event: LambdaEvent): Uint8Array {
  const body = event.body ?? "";
  if (typeof body !== "string") {
    const advice = "leave the receiver's function without it (Middy: no httpJsonBodyParser)";
    const message = `a middleware parsed the body before the receiver: ${advice}`;
    throw new BodyConsumedError(message);
  }
  if (!event.isBase64Encoded) return new TextEncoder().encode(body);
  return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
}
