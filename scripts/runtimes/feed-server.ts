import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { responseExamples } from "../../generated/response-examples.ts";

/** A server with the part of the interface that `consumer/` uses; some transactions have faults. */
export interface FeedServer {
  readonly origin: string;
  /** Observations to check after a consumer has finished. */
  readonly observed: { zipped: number; foreignRequests: number };
  /** The report of the browser page. */
  readonly report: Promise<string>;
  close(): Promise<void>;
}

/** @param page Additional files of a web page, by path. */
export async function startFeedServer(
  page: ReadonlyMap<string, string> = new Map(),
): Promise<FeedServer> {
  const observed = { zipped: 0, foreignRequests: 0 };
  const elsewhere = createServer((_request, response) => {
    observed.foreignRequests += 1;
    send(response, { status: 200, body: {} });
  });
  const { promise: report, resolve } = Promise.withResolvers<string>();
  const service = new Service(exampleResponses(), await listen(elsewhere));
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://feed");
    const file = page.get(pathname);
    if (file !== undefined) {
      const type = pathname === "/" ? "text/html" : "text/javascript";
      response.writeHead(200, { "content-type": type }).end(file);
      return;
    }
    if (pathname === "/report") resolve(await text(request));
    const reply = service.reply(request);
    if (reply?.isZipped && request.headers["accept-encoding"]?.includes("gzip")) {
      observed.zipped += 1;
      sendZipped(response, reply);
    } else if (reply) send(response, reply);
  });
  const origin = await listen(server);
  const close = async () => {
    for (const each of [server, elsewhere]) {
      each.closeAllConnections();
      each.close();
    }
    await Promise.all([server, elsewhere].map((each) => each.listening && once(each, "close")));
  };
  return { origin, observed, report, close };
}

/** The contract's examples of transactions and a card. */
function exampleResponses(): Responses {
  const transactions = responseExamples["GET /transactions/{transactionId}"].map(
    ({ body }) => body,
  );
  const pending = transactions.find(({ status }) => status === "PENDING");
  if (!pending) throw new Error("the contract has no example of a PENDING transaction");
  return { transactions, pending, card: responseExamples["GET /cards/{id}"][0].body };
}

interface Resource {
  readonly id: string;
  readonly status?: unknown;
}

interface Responses {
  readonly transactions: readonly Resource[];
  readonly pending: Resource;
  readonly card: Resource;
}

/** The response to a request. */
interface Reply {
  readonly status: number;
  /** JSON or plain text. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends gzip if the client accepts it. */
  readonly isZipped?: true;
}

class Service {
  readonly #responses: Responses;
  readonly #elsewhere: string;
  #tokens = 0;
  /** The number of the last revoked token. */
  #revoked = 0;
  /** Names whose next request succeeds. */
  readonly #tripped = new Set<string>();

  constructor(responses: Responses, elsewhere: string) {
    this.#responses = responses;
    this.#elsewhere = elsewhere;
  }

  /** Returns the response, or undefined to never respond. */
  reply({ url, headers }: IncomingMessage): Reply | undefined {
    const { pathname, searchParams } = new URL(url ?? "/", "http://feed");
    const [, collection, name] = pathname.split("/");
    if (pathname === "/sdk-token") return { status: 200, body: "a-token-of-the-page" };
    if (pathname.endsWith("/protocol/openid-connect/token")) return this.#token();
    if (!this.#isGood(headers.authorization)) return { status: 401, body: {} };
    if (collection === "cards") return { status: 200, body: this.#responses.card };
    if (collection !== "transactions") return { status: 404, body: {} };
    if (name === undefined) return this.#page(Number(searchParams.get("cursor") ?? 0));
    return this.#transaction(name);
  }

  #token(): Reply {
    this.#tokens += 1;
    const access_token = `token-${this.#tokens}`;
    return { status: 200, body: { access_token, token_type: "Bearer", expires_in: 300 } };
  }

  #isGood(authorization: string | undefined): boolean {
    const number = /^Bearer token-(\d+)$/.exec(authorization ?? "")?.[1];
    return number !== undefined && Number(number) > this.#revoked;
  }

  #page(index: number): Reply {
    const link = (cursor: number) => ({ href: `/transactions?cursor=${cursor}&limit=1` });
    const next = index < 2 ? { next: link(index + 1) } : {};
    const transactions = this.#responses.transactions.slice(index, index + 1);
    const body = { _links: { self: link(index), ...next }, _embedded: { transactions } };
    return { status: 200, body };
  }

  #transaction(name: string): Reply | undefined {
    const { pending } = this.#responses;
    switch (name) {
      case "slow":
        return undefined;
      case "missing":
        return { status: 404, body: { reason: "there is none" } };
      case "moved":
        return { status: 302, body: {}, headers: { location: `${this.#elsewhere}/cards/1` } };
      case "broken":
        return { status: 200, body: { ...pending, status: 1 } };
      case "too-long":
        return { status: 200, body: { ...pending, more: "m".repeat(1e6) }, isZipped: true };
      case "zipped":
        return { status: 200, body: pending, isZipped: true };
      case "busy":
        if (this.#trips(name)) return { status: 503, body: {} };
        break;
      case "revoked":
        if (!this.#trips(name)) break;
        this.#revoked = this.#tokens;
        return { status: 401, body: {} };
    }
    return { status: 200, body: pending };
  }

  #trips(name: string): boolean {
    if (this.#tripped.delete(name)) return false;
    this.#tripped.add(name);
    return true;
  }
}

function send(response: ServerResponse, { status, body, headers }: Reply): void {
  const isText = typeof body === "string";
  response.writeHead(status, {
    "content-type": isText ? "text/plain" : "application/json",
    ...headers,
  });
  response.end(isText ? body : JSON.stringify(body));
}

function sendZipped(response: ServerResponse, { status, body }: Reply): void {
  const type = { "content-type": "application/json", "content-encoding": "gzip" };
  response.writeHead(status, type).end(gzipSync(JSON.stringify(body)));
}

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
