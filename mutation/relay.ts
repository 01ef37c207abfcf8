import { Agent, type IncomingMessage, request as sendRequest } from "node:http";
import {
  type DeliveryHook,
  type HttpRequest,
  type HttpResponse,
  handDelivery,
  type MutationRun,
  parseJson,
  type SentDelivery,
} from "./mutation.ts";

/**
 * Forwards deliveries from the sandbox to the receivers and applies a mutation to them. Endpoints
 * are registered at the sandbox with the relay's URL.
 */
export class Relay {
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
