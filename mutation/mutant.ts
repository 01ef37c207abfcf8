import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  request as sendRequest,
} from "node:http";
import { listen } from "../src/listen.ts";
import type { Sandbox } from "../src/sandbox/index.ts";
import {
  type DeliveryHook,
  type HttpHook,
  type HttpRequest,
  type HttpResponse,
  handDelivery,
  isEqual,
  type MutationHooks,
  type MutationRun,
  parseJson,
  type SentDelivery,
} from "./mutation.ts";

/** A sandbox behind a proxy that applies a mutation. */
export interface Mutant extends AsyncDisposable {
  /** The URL of the mutated interface. */
  readonly baseUrl: string;
  /** The URL of the control API. */
  readonly controlUrl: string;
  /** How many times the mutation took effect. */
  fired(): number;
  /** Stops the proxy, not the sandbox, and restores patched modules. */
  close(): Promise<void>;
}

/**
 * Starts a proxy for a running sandbox that applies a mutation to requests, responses and
 * deliveries. Without hooks it forwards every byte unchanged.
 */
export async function startMutant(sandbox: Sandbox, hooks: MutationHooks = {}): Promise<Mutant> {
  let fired = 0;
  const fire = () => {
    fired += 1;
  };
  const run: MutationRun = { sandbox, memory: new Map(), fire };
  const agent = makeAgent();
  const relay = new Relay(hooks.deliveries, run);
  const restore = hooks.inside?.(run);

  const ask = async (request: HttpRequest): Promise<HttpResponse> => {
    const { pathname } = new URL(request.target, sandbox.baseUrl);
    if (pathname.startsWith("/_sandbox")) {
      const control = (instead: HttpRequest) => forward(sandbox.baseUrl, instead, agent);
      return await relay.control(pathname, request, control);
    }
    if (!hooks.http) return await forward(sandbox.baseUrl, request, agent);
    return await respondMutated(request, hooks.http, run, (each) =>
      forward(sandbox.baseUrl, each, agent),
    );
  };
  const relayServer = createServer((incoming, response) =>
    reply(incoming, response, async (request) => {
      const status = await relay.deliver(request);
      return { status, headers: {}, body: "" };
    }),
  );
  const server = createServer((incoming, response) => reply(incoming, response, ask));
  relay.url = await listen(relayServer, { host: "127.0.0.1", port: 0 });
  const baseUrl = await listen(server, { host: "127.0.0.1", port: 0 });

  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= (async () => {
      await relay.flush();
      restore?.();
      await Promise.all([server, relayServer].map(stop));
      relay.close();
      agent.destroy();
    })();
    return closed;
  };
  return {
    baseUrl,
    controlUrl: `${baseUrl}/_sandbox`,
    fired: () => fired,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Lets the mutation handle the request, and detects whether it changed anything. */
async function respondMutated(
  request: HttpRequest,
  http: HttpHook,
  run: MutationRun,
  send: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { pathname: path, searchParams: query } = new URL(request.target, "http://sandbox");
  const forwarded: { request: HttpRequest; response: HttpResponse }[] = [];
  const response = await http(
    {
      ...{ request, path, query },
      forward: async (instead = {}) => {
        const each = { ...request, ...instead };
        const response = await send(each);
        forwarded.push({ request: each, response });
        return response;
      },
    },
    run,
  );
  const [first] = forwarded;
  const isSame = first && isEqual(first.request, request) && isEqual(first.response, response);
  if (!isSame) run.fire();
  return response;
}

async function reply(
  incoming: IncomingMessage,
  response: ServerResponse,
  ask: (request: HttpRequest) => Promise<HttpResponse>,
): Promise<void> {
  try {
    const request = {
      method: incoming.method ?? "",
      target: incoming.url ?? "",
      headers: headersOf(incoming),
      body: await textOf(incoming),
    };
    const { status, headers, body } = await ask(request);
    const length = status === 204 ? {} : { "content-length": Buffer.byteLength(body) };
    response.writeHead(status, { ...headers, ...length });
    response.end(body);
  } catch {
    // The sandbox is closed, or the caller has disconnected.
    response.destroy();
  }
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

/**
 * Forwards deliveries from the sandbox to the receivers and applies a mutation to them. Endpoints
 * are registered at the sandbox with the relay's URL.
 */
class Relay {
  /** The relay's URL, to which the sandbox delivers. */
  url = "";
  readonly #hook: DeliveryHook | undefined;
  readonly #run: MutationRun;
  readonly #agent = makeAgent();
  /** The receivers' URLs. The index of each is its path at the relay. */
  readonly #targets: string[] = [];
  readonly #deferred: SentDelivery[] = [];

  constructor(hook: DeliveryHook | undefined, run: MutationRun) {
    this.#hook = hook;
    this.#run = run;
  }

  /** Calls the control API and translates endpoint URLs in both directions. */
  async control(
    path: string,
    request: HttpRequest,
    send: (request: HttpRequest) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const isAboutEndpoints = path.startsWith("/_sandbox/endpoints");
    if (request.method === "DELETE" && isAboutEndpoints) await this.flush();
    const isNew = request.method === "POST" && isAboutEndpoints;
    const response = await send(
      isNew ? { ...request, body: this.#toRelay(request.body) } : request,
    );
    const isWaitedFor = path === "/_sandbox/settle" || path === "/_sandbox/clock/advance";
    if (isWaitedFor) await this.flush();
    return isAboutEndpoints ? { ...response, body: this.#toReceivers(response.body) } : response;
  }

  #toRelay(body: string): string {
    const { url } = Object(parseJson(body));
    // The sandbox rejects an invalid URL.
    if (typeof url !== "string" || !URL.canParse(url)) return body;
    if (!this.#targets.includes(url)) this.#targets.push(url);
    const own = `${this.url}/${this.#targets.indexOf(url)}/`;
    return body.replace(JSON.stringify(url), JSON.stringify(own));
  }

  #toReceivers(body: string): string {
    return this.#targets.reduce(
      (text, url, place) =>
        text.replaceAll(JSON.stringify(`${this.url}/${place}/`), JSON.stringify(url)),
      body,
    );
  }

  /** Handles a delivery. Resolves to the receiver's status; 204 if nothing was sent on. */
  async deliver({ target, headers, body }: HttpRequest): Promise<number> {
    const url = this.#targets[Number(target.split("/")[1])];
    if (url === undefined) return 404;
    const delivery = { url, name: headers["webhook-event-type"] ?? "", headers, body };
    if (!this.#hook) return await this.#post(delivery);
    let status: number | undefined;
    const post = async (one: SentDelivery) => {
      status = await this.#post(one);
    };
    await handDelivery(this.#hook, delivery, { post, deferred: this.#deferred }, this.#run);
    return status ?? 204;
  }

  /** Sends the deferred deliveries. */
  async flush(): Promise<void> {
    for (const one of this.#deferred.splice(0)) await this.#post(one);
  }

  async #post({ url, method = "POST", headers, body }: SentDelivery): Promise<number> {
    const { pathname, search } = new URL(url);
    const request = { method, target: `${pathname}${search}`, headers, body };
    const response = await forward(url, request, this.#agent).catch(() => undefined);
    return response?.status ?? 502;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Hop-by-hop headers, which are not forwarded. */
const HOP_BY_HOP = ["connection", "keep-alive", "transfer-encoding", "host", "content-length"];

/** Shorter than a server's keep-alive timeout, to avoid requests on closing connections. */
const KEEP_ALIVE_MS = 1_000;

const makeAgent = () => new Agent({ keepAlive: true, timeout: KEEP_ALIVE_MS });

/** Forwards a request. Redirects are not followed. */
async function forward(base: string, request: HttpRequest, agent: Agent): Promise<HttpResponse> {
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
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (!HOP_BY_HOP.includes(name.toLowerCase())) headers[name] = rawHeaders[at + 1] ?? "";
  }
  return headers;
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
