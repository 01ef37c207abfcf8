import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export const TOKEN_PATH = "/auth/realms/account-1/protocol/openid-connect/token";

/** A request as the server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Answers one request. */
export type Answer = (response: ServerResponse, seen: Seen) => unknown;

/** What a server goes by. */
export interface ServerSettings {
  /** The server's own time, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly lifetimeSeconds?: number;
}

/**
 * A service on a real socket: it gives tokens, knows which are good, counts what it is asked, and
 * answers as planned.
 */
export class FeedServer {
  readonly seen: Seen[] = [];
  /** Every token that it gave, oldest first. */
  readonly tokens: string[] = [];
  lifetimeSeconds: number;
  /** How many requests are being answered, and how many were at most. */
  open = 0;
  mostOpen = 0;
  /** How many connections were closed before their answer was complete. */
  closed = 0;
  readonly #now: () => number;
  readonly #goodUntil = new Map<string, number>();
  readonly #planned = new Map<string, Answer[]>();
  readonly #always = new Map<string, Answer>();
  readonly #server: Server;

  constructor({ now, lifetimeSeconds = 300 }: ServerSettings) {
    this.#now = now;
    this.lifetimeSeconds = lifetimeSeconds;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get exchanges(): number {
    return this.requests(TOKEN_PATH);
  }

  /** How often a path was asked for; whatever is no token exchange where none is named. */
  requests(path?: string): number {
    return this.seen.filter((one) => (path ? one.path === path : one.path !== TOKEN_PATH)).length;
  }

  /** The tokens that resources were asked for with, in order; empty where there was none. */
  get bearers(): string[] {
    return this.seen
      .filter(({ path }) => path !== TOKEN_PATH)
      .map(({ headers }) => headers.authorization?.replace("Bearer ", "") ?? "");
  }

  /** Plans the next answers of a path, in order, before it answers as usual again. */
  plan(path: string, ...answers: Answer[]): void {
    this.#planned.set(path, [...(this.#planned.get(path) ?? []), ...answers]);
  }

  /** Answers a path in one way from now on. */
  always(path: string, respond: Answer | undefined): void {
    if (respond) this.#always.set(path, respond);
    else this.#always.delete(path);
  }

  /** Takes back every token that it gave. */
  revoke(): void {
    this.#goodUntil.clear();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
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
    // A server dates its answers when it makes them, by its own clock.
    response.setHeader("date", new Date(this.#now()).toUTCString());
    const respond = this.#planned.get(path)?.shift() ?? this.#always.get(path);
    await (respond ?? this.usually)(response, seen);
  }

  /** A token for whoever asks; a resource for whoever has a good one. */
  readonly usually: Answer = (response, { path, headers }) => {
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

/** Answers with a status, a JSON body where there is one, and headers. */
export function json(status: number, body?: unknown, headers: Record<string, string> = {}) {
  return (response: ServerResponse): void => {
    const type = body === undefined ? undefined : { "content-type": "application/json" };
    response.writeHead(status, { ...type, ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
}

/** Answers with a status and headers, and an empty body. */
export function status(code: number, headers: Record<string, string> = {}): Answer {
  return json(code, undefined, headers);
}

/** Closes the connection without a word. */
export const reset: Answer = (response) => void response.socket?.resetAndDestroy();

/** Begins a body and closes the connection before its end. */
export const resetMidBody: Answer = async (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  await new Promise<void>((resolve) => response.write('{"id":', () => resolve()));
  response.socket?.resetAndDestroy();
};

/** Never answers. */
export const silence: Answer = () => {};

/** A place where answers wait until the test lets them go. */
export class Dam {
  readonly #held: (() => void)[] = [];

  get held(): number {
    return this.#held.length;
  }

  /** Holds an answer back. It is made when it is let go. */
  before(respond: Answer): Answer {
    return async (response, seen) => {
      await new Promise<void>((resolve) => this.#held.push(resolve));
      await respond(response, seen);
    };
  }

  /** Lets so many go, the oldest first. */
  release(count = this.#held.length): void {
    for (const go of this.#held.splice(0, count)) go();
  }
}
