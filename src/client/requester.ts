import { UsageError } from "../errors.ts";
import { Call } from "./call.ts";
import type { MakeCall } from "./caller.ts";
import type { ClientContext } from "./context.ts";
import { FeedContractError, FeedLinkError, httpErrorOf, parseJson, readBody } from "./errors.ts";
import { headersOf } from "./headers.ts";
import { hrefOf } from "./link.ts";
import type { CallOptions } from "./options.ts";
import type { checkResponse } from "./response-check.ts";
import type { TransportResponse } from "./transport.ts";

/** The options of a call, and the body of its request. */
type RequestOptions = CallOptions & { readonly body?: unknown };

/** The path in the operation of a request that matches no path template of the contract. */
const UNKNOWN = "/*";

/** Sends requests and reads their responses. */
export class Requester {
  readonly #context: ClientContext;
  readonly makeCall: MakeCall;
  /** The operations by name, and by method and shape of the path. */
  readonly #operations = new Map<string, string>();

  constructor(context: ClientContext, makeCall: MakeCall) {
    this.#context = context;
    this.makeCall = makeCall;
  }

  /** Registers an operation, such as `GET /cards/{id}`. */
  register(operation: string): void {
    this.#operations.set(operation, operation).set(shapeOf(operation), operation);
  }

  /** Finds the operation of a method and a path or path template. */
  operationOf(method: string, path: string): string {
    const name = `${method} ${path}`;
    const known = this.#operations.get(name) ?? this.#operations.get(shapeOf(name));
    return known ?? `${method} ${UNKNOWN}`;
  }

  /**
   * Sends an operation's request.
   *
   * @param path The path and query below the base address.
   * @param isNeeded Whether to reject if the status is not a success.
   * @returns Resolves to the data if `isNeeded`, otherwise to the result.
   * @throws {FeedError} any code
   */
  async send(
    operation: string,
    path: string,
    { body, ...options }: RequestOptions = {},
    isNeeded = false,
  ): Promise<unknown> {
    const text = body === undefined ? undefined : jsonOf(body);
    return this.#call(operation, this.#context.base.href + path, options, isNeeded, text);
  }

  /**
   * Follows a link.
   *
   * @param within The path of a collection, if the link must lead to one of its pages.
   * @returns as {@link send}
   * @throws {FeedLinkError} `refused-link` if the link leads elsewhere
   */
  async follow(
    link: unknown,
    options: CallOptions = {},
    isNeeded = false,
    within?: string,
  ): Promise<unknown> {
    const { base } = this.#context;
    const facts = { method: "GET", path: "(link)", attempts: 0 };
    const url = base.resolve(hrefOf(link), facts);
    const path = base.pathOf(url);
    if (within !== undefined && path !== within) {
      throw new FeedLinkError(`refused: it is not a page of ${within}`, { call: facts });
    }
    return this.#call(this.operationOf("GET", path), url, options, isNeeded);
  }

  /** Creates a call; its deadline starts now. */
  callOf(operation: string, url: string, options: CallOptions, body?: string, type?: string): Call {
    const headers = headersOf(options.headers, type);
    return new Call(this.#context, operation, url, headers, options, body);
  }

  /** Whether to validate a response: only the 200 of a GET has a specified body. */
  isChecked(call: Call, { status }: TransportResponse): boolean {
    return status === 200 && call.method === "GET" && this.#modeOf(call) !== "off";
  }

  async #call(
    operation: string,
    url: string,
    options: CallOptions,
    isNeeded: boolean,
    body?: string,
  ): Promise<unknown> {
    const type = body === undefined ? undefined : "application/json";
    const call = this.callOf(operation, url, options, body, type);
    const response = await this.makeCall(call);
    const { status, headers, text } = response;
    const isGet = call.method === "GET";
    // A GET must return 200. The contract does not specify the 2xx status of a PATCH (EP-07).
    if (isGet ? status !== 200 : status < 200 || status > 299) {
      if (isNeeded) throw httpErrorOf("api", response, this.#context.server, call);
      return { ok: false, status, headers, error: readBody(text) };
    }
    const data = isGet ? await this.dataOf(call, text) : readBody(text);
    return isNeeded ? data : { ok: true, status, headers, data };
  }

  /** Parses the body of a GET's 200, and validates it if the call's options require it. */
  async dataOf(call: Call, text: string): Promise<unknown> {
    const data = parseJson(text);
    if (data === undefined)
      throw new FeedContractError("the response is not JSON", { call, status: 200 });
    call.checkDeadline();
    const mode = this.#modeOf(call);
    if (mode !== "off") {
      check ??= (await import("./response-check.ts")).checkResponse;
      check(this.#context, call, mode, data);
    }
    return data;
  }

  #modeOf({ operation, options }: Call) {
    if (operation.endsWith(UNKNOWN)) return "off";
    return options.validate ?? this.#context.settings.validate;
  }
}

/** Loaded on the first use, because the validators are large. */
let check: typeof checkResponse | undefined;

function jsonOf(body: unknown): string | undefined {
  try {
    return JSON.stringify(body);
  } catch {
    throw new UsageError("body must be JSON-serializable");
  }
}

/** The method, the first segment of the path, and the number of the other segments. */
function shapeOf(operation: string): string {
  const [method, first, ...others] = operation.split("/");
  return `${method}${first} ${others.length}`;
}
