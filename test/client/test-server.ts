import type { IncomingMessage, ServerResponse } from "node:http";
import { createFeedClient, type FeedClientOptions } from "../../src/client/index.ts";
import { serve } from "../support/local-server.ts";
import { credentials } from "./credentials.ts";

/** A received request. */
export interface ReceivedRequest {
  readonly method: string;
  /** The raw path and query. */
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Resolves when the connection is closed before the response. */
  readonly brokenOff: Promise<void>;
}

/** A response. An object as its body is sent as JSON, a string unchanged. */
export interface Reply {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

type Responder = (received: ReceivedRequest) => Reply | Promise<Reply>;

/** A local server. */
export interface TestServer {
  readonly url: string;
  /** The requests without the token exchanges, in order. */
  readonly requests: ReceivedRequest[];
  readonly exchanges: ReceivedRequest[];
}

/** A response that never arrives. */
export const NEVER = new Promise<Reply>(() => {});

/** Starts a server with the given responses, and stops it after the test. */
export async function startTestServer(
  reply: Responder,
  exchange: Responder = mint(),
): Promise<TestServer> {
  const requests: ReceivedRequest[] = [];
  const exchanges: ReceivedRequest[] = [];
  const url = await serve(async (request, response) => {
    const received = await read(request, response);
    const isExchange = received.method === "POST";
    (isExchange ? exchanges : requests).push(received);
    send(response, await (isExchange ? exchange : reply)(received));
  });
  return { url, requests, exchanges };
}

/** Responds to token exchanges with `token-1`, `token-2` and so on. */
export function mint(): Responder {
  let count = 0;
  return () => {
    count += 1;
    return { body: { access_token: `token-${count}`, expires_in: 300, token_type: "Bearer" } };
  };
}

/** A client of the server, by default without retries. */
export function clientOf(server: TestServer, options: Partial<FeedClientOptions> = {}) {
  return createFeedClient({ ...credentials(server.url), retries: 0, ...options });
}

/** The error that a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => {
      throw new Error("expected an error");
    },
    (error: unknown) => error,
  );
}

async function read(request: IncomingMessage, response: ServerResponse): Promise<ReceivedRequest> {
  const brokenOff = new Promise<void>((resolve) => {
    response.on("close", () => {
      if (!response.writableFinished) resolve();
    });
  });
  let body = "";
  for await (const chunk of request) body += chunk;
  const { method = "", url = "", headers } = request;
  return { method, url, headers, body, brokenOff };
}

function send(response: ServerResponse, { status = 200, statusText, headers, body }: Reply): void {
  const type = typeof body === "string" ? "text/plain" : "application/json";
  const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, statusText ?? "", { "content-type": type, ...headers });
  response.end(text);
}
