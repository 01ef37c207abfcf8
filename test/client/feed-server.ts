import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { serve } from "../support/local-server.ts";

export const TOKEN_PATH = "/auth/realms/account-1/protocol/openid-connect/token";

/** A received request. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Responds to one request. */
export type Responder = (response: ServerResponse, seen: ReceivedRequest) => unknown;

/** The settings of a test server. */
export interface ServerSettings {
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly lifetimeSeconds?: number;
}

/**
 * A test service on a real socket. It issues and checks tokens, counts requests, and sends
 * planned responses.
 */
export class FeedServer {
  readonly seen: ReceivedRequest[] = [];
  /** The issued tokens, oldest first. */
  readonly tokens: string[] = [];
  lifetimeSeconds: number;
  /** The number of pending requests, and its maximum. */
  open = 0;
  mostOpen = 0;
  /** The number of connections closed before the response was complete. */
  closed = 0;
  readonly #now: () => number;
  readonly #goodUntil = new Map<string, number>();
  readonly #planned = new Map<string, Responder[]>();
  readonly #always = new Map<string, Responder>();
  /** The base URL, after {@link listen}. */
  url = "";

  constructor({ now, lifetimeSeconds = 300 }: ServerSettings) {
    this.#now = now;
    this.lifetimeSeconds = lifetimeSeconds;
  }

  /** Starts it; it is closed after the test. */
  async listen(): Promise<this> {
    this.url = await serve((request, response) => void this.#serve(request, response));
    return this;
  }

  get exchanges(): number {
    return this.requests(TOKEN_PATH);
  }

  /** The number of requests of a path; without one, of all requests but token exchanges. */
  requests(path?: string): number {
    return this.seen.filter((one) => (path ? one.path === path : one.path !== TOKEN_PATH)).length;
  }

  /** The bearer tokens of the resource requests, in order; empty for a request without one. */
  get bearers(): string[] {
    return this.seen
      .filter(({ path }) => path !== TOKEN_PATH)
      .map(({ headers }) => headers.authorization?.replace("Bearer ", "") ?? "");
  }

  /** Queues responses for the next requests of a path. */
  plan(path: string, ...responses: Responder[]): void {
    this.#planned.set(path, [...(this.#planned.get(path) ?? []), ...responses]);
  }

  /** Sets or clears a permanent response for a path. */
  always(path: string, respond: Responder | undefined): void {
    if (respond) this.#always.set(path, respond);
    else this.#always.delete(path);
  }

  /** Revokes every issued token. */
  revoke(): void {
    this.#goodUntil.clear();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    response.on("close", () => {
      this.open -= 1;
      if (!response.writableFinished) this.closed += 1;
    });
    const { method = "", url: path = "", headers } = request;
    const seen = { method, path, headers, body: await text(request).catch(() => "") };
    this.seen.push(seen);
    // The Date header is from the server's clock.
    response.setHeader("date", new Date(this.#now()).toUTCString());
    const respond = this.#planned.get(path)?.shift() ?? this.#always.get(path);
    await (respond ?? this.usually)(response, seen);
  }

  /** The default response: a token, or a resource if the token is valid. */
  readonly usually: Responder = (response, { path, headers }) => {
    if (path === TOKEN_PATH) return this.#giveToken(response);
    const token = headers.authorization?.replace(/^Bearer /, "") ?? "";
    const isGood = this.#now() < (this.#goodUntil.get(token) ?? 0);
    if (!isGood) return json(401)(response);
    return json(200, { id: path.split("/").at(-1), _links: { self: { href: path } } })(response);
  };

  #giveToken(response: ServerResponse): void {
    const token = `token-${this.tokens.length + 1}`;
    this.tokens.push(token);
    this.#goodUntil.set(token, this.#now() + this.lifetimeSeconds * 1000);
    const body = { access_token: token, expires_in: this.lifetimeSeconds, token_type: "Bearer" };
    json(200, body)(response);
  }
}

/** A response with a status, an optional JSON body, and headers. */
export function json(status: number, body?: unknown, headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => {
    const type = body === undefined ? undefined : { "content-type": "application/json" };
    response.writeHead(status, { ...type, ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
}

/** A response with a status and headers, and an empty body. */
export function status(code: number, headers: Record<string, string> = {}): Responder {
  return json(code, undefined, headers);
}

/** Resets the connection without a response. */
export const reset: Responder = (response) => void response.socket?.resetAndDestroy();

/** Resets the connection in the middle of a response body. */
export const resetMidBody: Responder = async (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  await new Promise<void>((resolve) => response.write('{"id":', () => resolve()));
  response.socket?.resetAndDestroy();
};

/** Never responds. */
export const noResponse: Responder = () => {};

/** Holds responses until the test releases them. */
export class ResponseGate {
  readonly #held: (() => void)[] = [];

  get held(): number {
    return this.#held.length;
  }

  /** Delays a response until its release; it is computed then. */
  before(respond: Responder): Responder {
    return async (response, seen) => {
      await new Promise<void>((resolve) => this.#held.push(resolve));
      await respond(response, seen);
    };
  }

  /** Releases `count` responses, the oldest first. */
  release(count = this.#held.length): void {
    for (const go of this.#held.splice(0, count)) go();
  }
}
