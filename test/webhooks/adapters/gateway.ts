import type { RequestListener } from "node:http";
import type { LambdaEvent, LambdaResult } from "../../../src/webhooks/adapters/aws-lambda.ts";

/** The content types that API Gateway passes as text; others become base64. */
const TEXT = /^(text\/|application\/(json|xml|javascript))/;

/**
 * Serves a Lambda function like an HTTP API of API Gateway (payload format 2.0), with the events
 * that AWS documents.
 */
export function gateway(
  handler: (event: LambdaEvent) => Promise<LambdaResult>,
  errors: unknown[],
): RequestListener {
  return async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? "", "http://gateway");
    const event = eventOf(request.method ?? "", url, request.headers, Buffer.concat(chunks));
    try {
      const result = await handler(event);
      response.writeHead(result.statusCode, result.headers).end(result.body);
    } catch (error) {
      errors.push(error);
      response.writeHead(500, { "content-type": "application/json" });
      response.end('{"message":"Internal Server Error"}');
    }
  };
}

/** Creates the event of a request, with the members that the adapter reads. */
export function eventOf(
  method: string,
  url: URL,
  received: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
): LambdaEvent {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(received)) headers[name] = String(value);
  const isBase64Encoded = !TEXT.test(headers["content-type"] ?? "");
  return {
    rawPath: url.pathname,
    rawQueryString: url.search.slice(1),
    headers,
    requestContext: { http: { method } },
    ...(body.length > 0 && { body: body.toString(isBase64Encoded ? "base64" : "utf8") }),
    isBase64Encoded,
  };
}
