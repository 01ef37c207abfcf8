import { TxfeedError } from "../errors.ts";
import { Call } from "./call.ts";
import type { MakeCall } from "./caller.ts";
import { FeedContractError, FeedLinkError, parseJson, readBody, refusalError } from "./errors.ts";
import { headersOf } from "./headers.ts";
import { hrefOf } from "./link.ts";
import type { CallOptions } from "./options.ts";
import type { checkAnswer } from "./response-check.ts";
import { addressOf, type ParameterValues } from "./surface.ts";
import type { TransportAnswer } from "./transport.ts";
import type { Wiring } from "./wiring.ts";

/** What may be sent besides a call's options. */
export type RequestOptions = CallOptions & { readonly body?: unknown };

/** What a link that follows no template of the contract is called. */
const UNKNOWN = "GET /*";

/** Sends requests by operation or by link, and reads their answers. */
export class Requester {
  readonly #wiring: Wiring;
  readonly #makeCall: MakeCall;
  /** The templates of the paths that answer a GET, by their shape. */
  readonly #templates = new Map<string, string>();

  constructor(wiring: Wiring, makeCall: MakeCall) {
    this.#wiring = wiring;
    this.#makeCall = makeCall;
  }

  /** Makes a path known that answers a GET. */
  register(template: string): void {
    this.#templates.set(shapeOf(template), template);
  }

  /**
   * Sends an operation's request.
   *
   * @param isNeeded Whether a success's data is all that counts.
   * @returns Resolves to the data where it is needed, and to the result otherwise.
   */
  async send(
    operation: string,
    params: ParameterValues,
    { body, ...options }: RequestOptions = {},
    isNeeded = false,
  ): Promise<unknown> {
    const template = operation.slice(operation.indexOf(" ") + 1);
    const text = body === undefined ? undefined : jsonOf(body);
    const url = addressOf(this.#wiring.base.href, template, params);
    return this.#call(operation, url, options, isNeeded, text);
  }

  /**
   * Follows a link.
   *
   * @param within The path of the collection that the link must lead to a page of.
   * @returns as {@link send}. Rejects with a FeedLinkError where it leads elsewhere.
   */
  async follow(
    link: unknown,
    options: CallOptions = {},
    isNeeded = false,
    within?: string,
  ): Promise<unknown> {
    const { base } = this.#wiring;
    const facts = { method: "GET", path: "(link)", attempts: 0 };
    const url = base.resolve(hrefOf(link), facts);
    if (within !== undefined && base.pathOf(url) !== within) {
      throw new FeedLinkError(`it leads to no page of ${within}`, facts);
    }
    const template = this.#templates.get(shapeOf(base.pathOf(url)));
    const operation = template === undefined ? UNKNOWN : `GET ${template}`;
    return this.#call(operation, url, options, isNeeded);
  }

  async #call(
    operation: string,
    url: string,
    options: CallOptions,
    isNeeded: boolean,
    text?: string,
  ): Promise<unknown> {
    const type = text === undefined ? undefined : "application/json";
    const headers = headersOf(options.headers, type);
    const call = new Call(this.#wiring, operation, url, headers, options, text);
    return this.#conclude(call, await this.#makeCall(call), isNeeded);
  }

  /** The result, or the data; a promise of it only while the validators load. */
  #conclude(call: Call, answer: TransportAnswer, isNeeded: boolean): unknown {
    const { status, headers, text } = answer;
    const isGet = call.method === "GET";
    // Of a GET the contract specifies 200; of a PATCH nothing but that it succeeds (EP-07).
    if (isGet ? status !== 200 : status < 200 || status > 299) {
      if (isNeeded) throw refusalError("api", answer, this.#wiring.server, call);
      return { ok: false, status, headers, error: readBody(text) };
    }
    const data = isGet ? parseJson(text) : readBody(text);
    if (isGet && data === undefined) {
      throw new FeedContractError("the answer is no JSON", [], call, 200);
    }
    call.checkDeadline();
    const done = isNeeded ? data : { ok: true, status, headers, data };
    const mode = call.options.validate ?? this.#wiring.settings.validate;
    if (mode === "off" || !isGet || call.operation === UNKNOWN) return done;
    if (!check) return loadCheck().then(() => this.#conclude(call, answer, isNeeded));
    check(this.#wiring, call, mode, data);
    return done;
  }
}

let check: typeof checkAnswer | undefined;

/** Who never asks for the validators never loads them. */
async function loadCheck(): Promise<void> {
  check = (await import("./response-check.ts")).checkAnswer;
}

function jsonOf(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    throw new TxfeedError("usage", "body takes what JSON can hold");
  }
}

/** A path's first segment, and how many follow: enough to tell the templates apart. */
function shapeOf(path: string): string {
  const [, first, ...others] = path.split("/");
  return `${first} ${others.length}`;
}
