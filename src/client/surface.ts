import { createFinalURL } from "openapi-fetch";
import type { OperationKey } from "../../generated/operations.ts";
import type { paths } from "../../generated/types.ts";
import { TxfeedError } from "../errors.ts";
import { wrongOption } from "../options.ts";
import type { CallOptions } from "./options.ts";
import type { Result } from "./result.ts";

/** The path of an operation of this method. */
export type PathOf<Method extends "GET" | "PATCH"> = {
  [Key in OperationKey]: Key extends `${Method} ${infer Path extends keyof paths}` ? Path : never;
}[OperationKey];

/** The parameters of an operation: its path's and its query's, as far as it has any. */
type ParametersOf<Operation> = Operation extends { parameters: infer All }
  ? {
      // Over the keys as they are: what is optional there would be asked for otherwise.
      [Name in keyof All as [All[Name]] extends [undefined]
        ? never
        : Name & ("path" | "query")]: All[Name];
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

/** The values of an operation's parameters: the contract has no lists and no objects there. */
export interface ParameterValues {
  /** By name, or in the order of the path. */
  readonly path?: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly query?: Readonly<Record<string, string | number | undefined>>;
}

/**
 * Puts an operation's address together, by openapi-fetch: this file alone knows it. Of the client
 * that it would make, nothing but this were left to it, as tokens, attempts and answers are ours.
 *
 * @returns the absolute address. Throws a TxfeedError `usage` at a path's value that would make
 * another address of it.
 */
export function addressOf(baseUrl: string, template: string, params: ParameterValues): string {
  // Appended to the base address, another text could lead to another host.
  if (!/^(?:\/[\w{}-]+)+$/.test(template)) {
    throw new TxfeedError("usage", "the path is none of the contract's");
  }
  return createFinalURL(template, {
    baseUrl,
    params: { path: { ...params.path }, query: { ...params.query } },
    pathSerializer: fillIn,
    querySerializer,
  });
}

function fillIn(template: string, values: Record<string, unknown>): string {
  const parts = template.split(/[{}]/);
  for (let at = 1; at < parts.length; at += 2) {
    const name = parts[at] ?? "";
    const value = values[name] ?? values[(at - 1) / 2];
    if (typeof value !== "string" || !/[^.]/.test(value) || !value.isWellFormed()) {
      const got = typeof value === "string" ? JSON.stringify(value) : typeof value;
      throw wrongOption(name, "an id, one segment of a path", got);
    }
    parts[at] = encodeURIComponent(value);
  }
  return parts.join("");
}

function querySerializer(query: Record<string, unknown>): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `${new URLSearchParams(given as [string, string][])}`;
}
