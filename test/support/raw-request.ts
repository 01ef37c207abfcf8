import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

/** The response to a raw request. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the tests know the content
  readonly json: any;
}

/** The method and path of a request, and what it sends. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string | string[]> | undefined;
  readonly body?: string | Buffer | undefined;
}

/** Sends a request to a local port. Unlike fetch, sends any Host and does not normalize the path. */
export async function sendRaw(
  port: number,
  { body, ...options }: RawRequest,
): Promise<RawResponse> {
  const sent = request({ host: "127.0.0.1", port, agent: false, ...options });
  sent.end(body);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  const { statusCode: status = 0, headers } = response;
  const isJson = text !== "" && /json/.test(headers["content-type"] ?? "");
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}
