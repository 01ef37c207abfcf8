import type { OperationKey } from "../../../generated/operations.ts";
import type { TransportRequest } from "../transport.ts";
import { destinationOf } from "./destination.ts";

/** The names of an operation's path parameters. */
export type ParameterOf<Operation extends string> =
  Operation extends `${string}{${infer Name}}${infer Rest}` ? Name | ParameterOf<Rest> : never;

/** The properties of every recorded request, without secrets. */
interface AnyRequest {
  readonly method: string;
  /** The absolute address. */
  readonly url: string;
  /** The query parameters; the last value if a name occurs twice. */
  readonly query: Readonly<Record<string, string>>;
  /** The headers by lower-case name, without `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The parsed JSON, the fields of a form with `***` for the client secret, or other text;
   * undefined without a body.
   */
  readonly body: unknown;
}

/** A request to an operation of the contract. */
export interface RecordedCall<Key extends OperationKey> extends AnyRequest {
  readonly operation: Key;
  /** The path below the base address. */
  readonly path: string;
  /** The decoded path parameters by name. */
  readonly params: Readonly<Record<ParameterOf<Key>, string>>;
}

/** A request that matches no operation of the contract. */
export interface UnknownCall extends AnyRequest {
  readonly operation: undefined;
  /** The whole path. */
  readonly path: string;
  readonly params: Readonly<Record<never, string>>;
}

/** A request: match on `operation`. */
export type AnyRecordedCall =
  | { [Key in OperationKey]: RecordedCall<Key> }[OperationKey]
  | UnknownCall;

/** Creates the record of a request. */
export function recordOf(request: TransportRequest): AnyRecordedCall {
  const { method, url } = request;
  const { pathname, searchParams } = new URL(url);
  const headers = new Headers(request.headers);
  headers.delete("authorization");
  const call = {
    ...{ operation: undefined, path: pathname, params: {} },
    ...destinationOf(method, pathname),
    ...{ method, url, query: Object.fromEntries(searchParams) },
    headers: Object.fromEntries(headers),
    body: bodyOf(request.body, headers.get("content-type") ?? ""),
  };
  // Tests check that the parameters match the operation.
  return call as AnyRecordedCall;
}

function bodyOf(body: string | undefined, type: string): unknown {
  if (body === undefined) return undefined;
  if (type.startsWith("application/x-www-form-urlencoded")) {
    const form = new URLSearchParams(body);
    if (form.has("client_secret")) form.set("client_secret", "***");
    return Object.fromEntries(form);
  }
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
