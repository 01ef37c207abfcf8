import type { Finding } from "../contract/finding.ts";
import { memberOf } from "../contract/pointer.ts";
import { Astray } from "./base-address.ts";
import type { Caller } from "./caller.ts";
import {
  type CallFacts,
  FeedAuthenticationError,
  FeedContractError,
  FeedHttpError,
  FeedLinkError,
} from "./errors.ts";
import { headersOf } from "./headers.ts";
import { type CallOptions, checkNumbers } from "./options.ts";
import { type Answer, CallProgress, type OutgoingCall } from "./outgoing-call.ts";
import { readBody, refusalOf } from "./refusal.ts";
import type { ResponseCheck } from "./response-check.ts";
import type { AnyResult } from "./result.ts";
import { type Exchange, type ParameterValues, sender } from "./surface.ts";
import { templateOf } from "./template.ts";
import type { Wiring } from "./wiring.ts";

/** What may be sent besides a call's options. */
export type RequestOptions = CallOptions & { readonly body?: unknown };

/** Sends requests by operation or by link, and reads their answers. */
export class Requester {
  readonly #wiring: Wiring;
  readonly #caller: Caller;
  readonly #check: ResponseCheck;
  readonly #send: ReturnType<typeof sender>;

  constructor(wiring: Wiring, caller: Caller, check: ResponseCheck) {
    this.#wiring = wiring;
    this.#caller = caller;
    this.#check = check;
    this.#send = sender(wiring.base.href, (outgoing) => caller.call(outgoing));
  }

  /** What an operation answered. */
  async ask(
    method: "GET" | "PATCH",
    path: string,
    params: ParameterValues,
    options: RequestOptions = {},
  ): Promise<AnyResult> {
    return this.#read(await this.#send(method, path, params, options));
  }

  /** What an operation's success holds. Rejects with a FeedHttpError where there is none. */
  async need(
    method: "GET" | "PATCH",
    path: string,
    params: ParameterValues,
    options: RequestOptions = {},
  ): Promise<unknown> {
    return this.#unwrap(await this.#send(method, path, params, options));
  }

  /** What a link's target answered. */
  async askLink(link: unknown, options?: CallOptions, within?: string): Promise<AnyResult> {
    return this.#read(await this.#follow(link, options, within));
  }

  /** What a link's target holds. Rejects as {@link need} does. */
  async needLink(link: unknown, options?: CallOptions, within?: string): Promise<unknown> {
    return this.#unwrap(await this.#follow(link, options, within));
  }

  /** @param within The path of the collection that the link must lead to a page of. */
  async #follow(link: unknown, options: CallOptions = {}, within?: string): Promise<Exchange> {
    checkNumbers(options);
    const url = this.#resolve(link, within);
    const operation = `GET ${templateOf(this.#wiring.base.pathOf(url))}`;
    const headers = headersOf(options.headers);
    const outgoing = { operation, method: "GET", url, headers, body: undefined, options } as const;
    return { outgoing, answer: await this.#caller.call(outgoing) };
  }

  #resolve(link: unknown, within: string | undefined): string {
    const { base } = this.#wiring;
    try {
      const url = base.resolve(typeof link === "string" ? link : memberOf(link, "href"));
      if (within === undefined || base.pathOf(url) === within) return url;
      throw new Astray(`it leads to no page of ${within}`);
    } catch (error) {
      if (!(error instanceof Astray)) throw error;
      throw new FeedLinkError(error.message, {
        method: "GET",
        path: within ?? "(link)",
        attempts: 0,
      });
    }
  }

  async #read(exchange: Exchange): Promise<AnyResult> {
    const { outgoing, answer } = exchange;
    const { status, headers } = answer;
    if (!isSuccess(outgoing, answer)) {
      return { ok: false, status, headers, error: readBody(answer.text) };
    }
    return { ok: true, status, headers, data: await this.#dataOf(exchange) };
  }

  async #unwrap(exchange: Exchange): Promise<unknown> {
    if (isSuccess(exchange.outgoing, exchange.answer)) return this.#dataOf(exchange);
    const refusal = refusalOf(exchange.answer, this.#wiring.server);
    const facts = this.#factsOf(exchange);
    if (refusal.status === 401) throw new FeedAuthenticationError("api", refusal, facts);
    throw new FeedHttpError(refusal, facts);
  }

  /** The data of a success; a promise of it only where the contract is yet to be loaded. */
  #dataOf(exchange: Exchange): unknown {
    const { outgoing, answer } = exchange;
    if (outgoing.method !== "GET") return readBody(answer.text);
    const data = this.#parse(exchange);
    const mode = outgoing.options.validate ?? this.#wiring.settings.validate;
    if (mode === "off") return data;
    const findings = this.#check.findings(outgoing.operation, data);
    const judge = (found: readonly Finding[]) => {
      if (found.length > 0) this.#tell(found, mode, exchange);
      return data;
    };
    return findings instanceof Promise ? findings.then(judge) : judge(findings);
  }

  #parse(exchange: Exchange): unknown {
    try {
      return JSON.parse(exchange.answer.text);
    } catch {
      const facts = this.#factsOf(exchange);
      throw new FeedContractError("the answer is no JSON", [], facts, exchange.answer.status);
    }
  }

  #tell(findings: readonly Finding[], mode: "warn" | "throw", exchange: Exchange): void {
    const { secrets, log } = this.#wiring;
    const { outgoing, answer } = exchange;
    const facts = this.#factsOf(exchange);
    const errors = findings.filter(({ level }) => level === "error");
    if (mode === "throw" && errors.length > 0) {
      const [first] = secrets.scrubJson(errors);
      const more = errors.length > 1 ? ` and ${errors.length - 1} more` : "";
      const reason = `the answer breaks the contract: ${first?.requirement} at ${first?.path}${more}`;
      throw new FeedContractError(reason, secrets.scrubJson(errors), facts, answer.status);
    }
    // What was found in a body is not told: a log has no bodies.
    const requirements = findings.map(({ requirement, path }) =>
      secrets.scrub(`${requirement} ${path}`.trimEnd()),
    );
    const { operation } = outgoing;
    log?.({ level: "warn", event: "findings", operation, path: facts.path, requirements });
  }

  #factsOf({ outgoing, answer }: Exchange): CallFacts {
    const { method, path } = new CallProgress(outgoing, this.#wiring.base, this.#wiring.secrets);
    return { method, path, attempts: answer.attempts };
  }
}

/** A GET succeeds with 200, of which the contract gives the body; a PATCH with any 2xx (EP-07). */
function isSuccess({ method }: OutgoingCall, { status }: Answer): boolean {
  return method === "GET" ? status === 200 : status >= 200 && status < 300;
}
