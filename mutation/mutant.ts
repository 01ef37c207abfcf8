import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { listen } from "../src/listen.ts";
import type { Sandbox } from "../src/sandbox/index.ts";
import { forward, headersOf, makeAgent, textOf } from "./forward.ts";
import type { HttpRequest, HttpResponse, Mutation, MutationRun, SentDelivery } from "./mutation.ts";
import { Relay } from "./relay.ts";

export type { Mutation } from "./mutation.ts";

/** A sandbox behind a layer that may have a fault. */
export interface Mutant extends AsyncDisposable {
  /** Where the interface is, fault included. */
  readonly baseUrl: string;
  /** Where the control API is. */
  readonly controlUrl: string;
  /** How often something was done otherwise than the sandbox does it. */
  fired(): number;
  /** Stops the layer, not the sandbox, and takes the fault back. */
  close(): Promise<void>;
}

/**
 * Puts a server before a running sandbox that does as the fault has it: to what is asked, to what
 * is answered and to what is delivered. Without a fault nothing is changed to the byte.
 */
export async function startMutant(sandbox: Sandbox, fault?: Mutation): Promise<Mutant> {
  let fired = 0;
  const fire = () => {
    fired += 1;
  };
  const run: MutationRun = { sandbox, memory: new Map(), fire };
  const agent = makeAgent();
  const relay = new Relay(fault?.deliveries, run);
  const restore = fault?.inside?.(run);

  const ask = async (asked: HttpRequest): Promise<HttpResponse> => {
    const { pathname } = new URL(asked.target, sandbox.baseUrl);
    if (pathname.startsWith("/_sandbox")) {
      const control = (instead: HttpRequest) => forward(sandbox.baseUrl, instead, agent);
      return await relay.control(pathname, asked, control);
    }
    if (!fault?.http) return await forward(sandbox.baseUrl, asked, agent);
    return await respondMutated(asked, fault.http, run, (each) =>
      forward(sandbox.baseUrl, each, agent),
    );
  };
  const relayServer = createServer((request, response) =>
    reply(request, response, async (asked) => {
      const status = await relay.deliver(asked);
      return { status, headers: {}, body: "" };
    }),
  );
  const server = createServer((request, response) => reply(request, response, ask));
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

/** Has a fault answer, and sees whether that is otherwise. */
async function respondMutated(
  asked: HttpRequest,
  http: NonNullable<Mutation["http"]>,
  run: MutationRun,
  send: (asked: HttpRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { pathname: path, searchParams: query } = new URL(asked.target, "http://sandbox");
  const forwarded: { asked: HttpRequest; answer: HttpResponse }[] = [];
  const answer = await http(
    {
      ...{ request: asked, path, query },
      forward: async (instead = {}) => {
        const each = { ...asked, ...instead };
        const answer = await send(each);
        forwarded.push({ asked: each, answer });
        return answer;
      },
    },
    run,
  );
  const [first] = forwarded;
  const isSame = first && isEqual(first.asked, asked) && isEqual(first.answer, answer);
  if (!isSame) run.fire();
  return answer;
}

/** Whether two messages are the same to the byte. */
export function isEqual(
  one: HttpResponse | HttpRequest | SentDelivery,
  other: HttpResponse | HttpRequest | SentDelivery,
): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  ask: (asked: HttpRequest) => Promise<HttpResponse>,
): Promise<void> {
  try {
    const asked = {
      method: request.method ?? "",
      target: request.url ?? "",
      headers: headersOf(request),
      body: await textOf(request),
    };
    const { status, headers, body } = await ask(asked);
    const length = status === 204 ? {} : { "content-length": Buffer.byteLength(body) };
    response.writeHead(status, { ...headers, ...length });
    response.end(body);
  } catch {
    // As the sandbox is closed, or who asked is gone.
    response.destroy();
  }
}

async function stop(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
