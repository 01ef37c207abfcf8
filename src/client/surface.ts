import createClient from "openapi-fetch";
import type { OperationKey } from "../../generated/operations.ts";
import type { paths } from "../../generated/types.ts";
import { TxfeedError } from "../errors.ts";
import { headersOf } from "./headers.ts";
import { type CallOptions, checkNumbers } from "./options.ts";
import type { Answer, OutgoingCall } from "./outgoing-call.ts";
import type { Result } from "./result.ts";

/** The path of an operation of this method. */
export type PathOf<Method extends "GET" | "PATCH"> = {
  [Key in OperationKey]: Key extends `${Method} ${infer Path extends keyof paths}` ? Path : never;
}[OperationKey];

/** The parameters of an operation: its path's and its query's, as far as it has any. */
type ParametersOf<Operation> = Operation extends { parameters: infer All }
  ? {
      // Over the keys themselves: what is optional would be asked for otherwise.
      [Name in keyof All as Name extends "path" | "query"
        ? All[Name] extends undefined
          ? never
          : Name
        : never]: All[Name];
    }
  : never;

type Init<Parameters> =
  Record<never, never> extends Parameters
    ? [init?: CallOptions & { readonly params?: Parameters }]
    : [init: CallOptions & { readonly params: Parameters }];

/** The operations of the contract by method and path, typed by its `paths`. */
export interface TypedSurface {
  /**
   * Sends a GET.
   *
   * @param path The path template, such as `/transactions/{transactionId}`.
   * @param init The parameters, and what holds for this call alone.
   * @returns Resolves to what was answered, whatever the status. Rejects with a FeedError where no
   * answer comes that counts, and with a TxfeedError `usage` at a parameter that makes no sense.
   */
  GET<Path extends PathOf<"GET">>(
    path: Path,
    ...init: Init<ParametersOf<paths[Path]["get"]>>
  ): Promise<Result<`GET ${Path}`>>;
  /**
   * Sends a PATCH, once unless `retries` says otherwise (EP-07).
   *
   * @param path The path template, `/bank-links/{bankLinkId}`.
   * @param init The parameters, the body (JSON, which the interface does not specify), and what
   * holds for this call alone.
   * @returns as {@link GET}.
   */
  PATCH<Path extends PathOf<"PATCH">>(
    path: Path,
    init: Init<ParametersOf<paths[Path]["patch"]>>[0] & { readonly body?: unknown },
  ): Promise<Result<`PATCH ${Path}`>>;
}

/** The values of an operation's parameters. */
export interface ParameterValues {
  readonly path?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
}

/** A call by its operation, and its answer. */
export interface Exchange {
  readonly outgoing: OutgoingCall;
  readonly answer: Answer;
}

/** A request as openapi-fetch makes it, with what is passed through it. */
class BuiltRequest {
  readonly url: string;
  readonly body: string | undefined;
  declare readonly outgoing: (url: string, body: string | undefined) => OutgoingCall;

  constructor(url: string, { body }: { body?: string | undefined }) {
    this.url = url;
    this.body = body;
  }
}

/** An answer as openapi-fetch takes it: it need not read it, and so has nothing to tell apart. */
interface TakenAnswer extends Exchange {
  readonly status: number;
  readonly ok: true;
  readonly headers: Answer["headers"];
  readonly body: null;
}

/**
 * Makes what sends an operation with parameters. openapi-fetch puts address and body together: this
 * file alone knows it.
 */
export function sender(baseUrl: string, call: (outgoing: OutgoingCall) => Promise<Answer>) {
  const client = createClient<Record<string, Record<string, never>>>({
    baseUrl,
    Request: BuiltRequest as never,
    fetch: (async ({ url, body, outgoing: finish }: BuiltRequest): Promise<TakenAnswer> => {
      const outgoing = finish(url, body);
      const answer = await call(outgoing);
      const { status, headers } = answer;
      return { outgoing, answer, status, ok: true, headers, body: null };
    }) as never,
  });
  const request = client.request as unknown as (
    method: string,
    path: string,
    init: object,
  ) => Promise<{ response: TakenAnswer }>;
  return async (
    method: "GET" | "PATCH",
    path: string,
    params: ParameterValues,
    options: CallOptions & { readonly body?: unknown },
  ): Promise<Exchange> => {
    checkNumbers(options);
    for (const [name, value] of Object.entries(params.path ?? {})) checkSegment(name, value);
    const { response } = await request(method, path, {
      params,
      body: options.body,
      parseAs: "stream",
      outgoing: (url: string, body: string | undefined): OutgoingCall => {
        const type = body === undefined ? undefined : "application/json";
        const headers = headersOf(options.headers, type);
        return { operation: `${method} ${path}`, method, url, headers, body, options };
      },
    });
    return response;
  };
}

/** A segment that is empty or dots would make another address of the path. */
function checkSegment(name: string, value: unknown): void {
  if (typeof value === "string" && /[^.]/.test(value) && value.isWellFormed()) return;
  throw new TxfeedError("usage", `${name} takes an id, as an answer or an event has it`);
}
