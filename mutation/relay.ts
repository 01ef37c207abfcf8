import { forward, makeAgent } from "./forward.ts";
import {
  type DeliveryHook,
  type HttpRequest,
  type HttpResponse,
  type MutationRun,
  parseJson,
  type SentDelivery,
} from "./mutation.ts";

/**
 * Stands between the sandbox and the receivers: endpoints are registered here in their place, and
 * what comes goes on to them, as a fault has it.
 */
export class Relay {
  /** Where the sandbox delivers to. */
  url = "";
  readonly #hook: DeliveryHook | undefined;
  readonly #run: MutationRun;
  readonly #agent = makeAgent();
  /** Where each was to go; its place is its path. */
  readonly #targets: string[] = [];
  #deferred: SentDelivery[] = [];

  constructor(hook: DeliveryHook | undefined, run: MutationRun) {
    this.#hook = hook;
    this.#run = run;
  }

  /** Asks the control API: endpoints lead here, and nobody sees that they do. */
  async control(
    path: string,
    asked: HttpRequest,
    send: (asked: HttpRequest) => Promise<HttpResponse>,
  ): Promise<HttpResponse> {
    const isAboutEndpoints = path.startsWith("/_sandbox/endpoints");
    if (asked.method === "DELETE" && isAboutEndpoints) await this.flush();
    const isNew = asked.method === "POST" && isAboutEndpoints;
    const answer = await send(isNew ? { ...asked, body: this.#leadHere(asked.body) } : asked);
    const isWaitedFor = path === "/_sandbox/settle" || path === "/_sandbox/clock/advance";
    if (isWaitedFor) await this.flush();
    return isAboutEndpoints ? { ...answer, body: this.#leadBack(answer.body) } : answer;
  }

  #leadHere(body: string): string {
    const { url } = Object(parseJson(body));
    // What is no address is the sandbox's to refuse.
    if (typeof url !== "string" || !URL.canParse(url)) return body;
    if (!this.#targets.includes(url)) this.#targets.push(url);
    const own = `${this.url}/${this.#targets.indexOf(url)}/`;
    return body.replace(JSON.stringify(url), JSON.stringify(own));
  }

  #leadBack(body: string): string {
    return this.#targets.reduce(
      (text, url, place) =>
        text.replaceAll(JSON.stringify(`${this.url}/${place}/`), JSON.stringify(url)),
      body,
    );
  }

  /** Takes what the sandbox sends. Resolves to what the receiver answered; 204 where none did. */
  async deliver({ target, headers, body }: HttpRequest): Promise<number> {
    const url = this.#targets[Number(target.split("/")[1])];
    if (url === undefined) return 404;
    const delivery = { url, name: headers["webhook-event-type"] ?? "", headers, body };
    if (!this.#hook) return await this.#post(delivery);
    let status: number | undefined;
    const sent: SentDelivery[] = [];
    const stream = {
      send: async (one: SentDelivery) => {
        sent.push(one);
        status = await this.#post(one);
      },
      defer: (one: SentDelivery) => {
        this.#deferred.push(one);
      },
      takeDeferred: () => this.#deferred.splice(0),
    };
    await this.#hook(delivery, stream, this.#run);
    const isSame = sent.length === 1 && JSON.stringify(sent[0]) === JSON.stringify(delivery);
    if (!isSame) this.#run.fire();
    return status ?? 204;
  }

  /** Delivers what was kept. */
  async flush(): Promise<void> {
    for (const one of this.#deferred.splice(0)) await this.#post(one);
  }

  async #post({ url, headers, body }: SentDelivery): Promise<number> {
    const { pathname, search } = new URL(url);
    const asked = { method: "POST", target: `${pathname}${search}`, headers, body };
    const answered = await forward(url, asked, this.#agent).catch(() => undefined);
    return answered?.status ?? 502;
  }

  close(): void {
    this.#agent.destroy();
  }
}
