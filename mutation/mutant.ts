import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { listen } from "../src/listen.ts";
import type { Sandbox } from "../src/sandbox/index.ts";
import {
  type HttpHook,
  type HttpRequest,
  type HttpResponse,
  isEqual,
  type MutationHooks,
  type MutationRun,
} from "./mutation.ts";
import { forward, headersOf, makeAgent, Relay, textOf } from "./relay.ts";

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
