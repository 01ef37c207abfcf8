import type { OperationKey, ResponseBodies } from "../../generated/operations.ts";
import type { LinkTo, paths } from "../../generated/types.ts";
import type { ResponseHeaders } from "./transport.ts";

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

type NumberOf<Text extends string> = Text extends `${infer Value extends number}` ? Value : never;

/** A 2xx status. */
type SuccessStatus = NumberOf<`2${Digit}${Digit}`>;

/** The status of a final response. */
type Status = SuccessStatus | NumberOf<`${3 | 4 | 5}${Digit}${Digit}`>;

/** The body of a successful response; unknown if the interface does not specify it. */
export type BodyOf<Key extends OperationKey> = Key extends keyof ResponseBodies
  ? Key extends `GET ${infer Path extends keyof paths}`
    ? Paged<ResponseBodies[Key][200], Path>
    : ResponseBodies[Key][200]
  : unknown;

/** Types the links of a collection's page as links to its pages; leaves other bodies unchanged. */
type Paged<Body, Path extends keyof paths> = Path extends `${string}}`
  ? Body
  : Body extends { _links: infer Links }
    ? Omit<Body, "_links"> & { _links: { [Name in keyof Links]: PageLink<Links[Name], Path> } }
    : Body;

type PageLink<Link, Path extends keyof paths> = undefined extends Link
  ? LinkTo<Path> | undefined
  : LinkTo<Path>;

/** The response of an operation that succeeded. */
export interface Success<Data, Code extends number = 200> {
  readonly ok: true;
  readonly status: Code;
  readonly headers: ResponseHeaders;
  readonly data: Data;
  readonly error?: undefined;
}

/** The response of an operation that failed. */
export interface Failure<Code extends number> {
  readonly ok: false;
  readonly status: Code;
  readonly headers: ResponseHeaders;
  /** The body, which the interface does not specify (ERR-02): JSON, text, or undefined if empty. */
  readonly error: unknown;
  readonly data?: undefined;
}

/** A failure with a status that the contract does not list for the operation. */
export interface OtherFailure<Listed extends number> {
  readonly ok: false;
  readonly status: Exclude<Status, Listed>;
  readonly headers: ResponseHeaders;
  /** The body, which the interface does not specify (ERR-02): JSON, text, or undefined if empty. */
  readonly error: unknown;
  readonly data?: undefined;
}

/** The statuses that the contract lists for an operation. */
type ListedStatus<Key extends OperationKey> = Key extends `${infer Method} ${infer Path}`
  ? StatusIn<paths[Path & keyof paths][Lowercase<Method> & "get"]>
  : never;

type StatusIn<Operation> = Operation extends { responses: infer Responses }
  ? keyof Responses & number
  : never;

/** A union of one failure for each status. */
type FailureOf<Code extends number> = Code extends number ? Failure<Code> : never;

/**
 * The response to a call: match on `status` or on `ok`. A GET succeeds with 200, for which the
 * contract gives the type of `data`; any other status is a failure. A PATCH succeeds with any 2xx,
 * and the contract does not specify its body (EP-07).
 */
export type Result<Key extends OperationKey> = Key extends keyof ResponseBodies
  ?
      | Success<BodyOf<Key>>
      | FailureOf<Exclude<ListedStatus<Key>, 200>>
      | OtherFailure<ListedStatus<Key>>
  :
      | Success<unknown, SuccessStatus>
      | FailureOf<Exclude<ListedStatus<Key>, SuccessStatus>>
      | OtherFailure<SuccessStatus | ListedStatus<Key>>;
