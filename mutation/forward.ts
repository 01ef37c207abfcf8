import { Agent, type IncomingMessage, request as sendRequest } from "node:http";
import type { HttpRequest, HttpResponse } from "./mutation.ts";

/** Hop-by-hop headers, which are not forwarded. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "host", "content-length"];

/** Shorter than a server's keep-alive timeout, to avoid requests on closing connections. */
const KEEP_ALIVE_MS = 1_000;

export const makeAgent = () => new Agent({ keepAlive: true, timeout: KEEP_ALIVE_MS });

/** Forwards a request. Redirects are not followed. */
export async function forward(
  base: string,
  request: HttpRequest,
  agent: Agent,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { hostname, port } = new URL(base);
  const outgoing = sendRequest(
    {
      ...{ hostname, port, agent, method: request.method, path: request.target },
      headers: {
        ...request.headers,
        ...(hasBody(request) && { "content-length": Buffer.byteLength(request.body) }),
      },
    },
    resolve,
  );
  outgoing.on("error", reject);
  outgoing.end(request.body);
  const response = await promise;
  const body = await textOf(response);
  return { status: response.statusCode ?? 0, headers: headersOf(response), body };
}

function hasBody({ method, body }: HttpRequest): boolean {
  return body !== "" || !["GET", "HEAD", "DELETE"].includes(method);
}

/** The headers of a message, without hop-by-hop headers. */
export function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!HOP_BY_HOP.includes(name.toLowerCase())) headers[name] = rawHeaders[at + 1] ?? "";
  }
  return headers;
}

export async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
