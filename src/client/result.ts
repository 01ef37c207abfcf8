import type { AnswerBodies, OperationKey, operations } from "../../generated/operations.ts";
import type { LinkTo, paths } from "../../generated/types.ts";
import type { AnswerHeaders } from "./transport.ts";

/** The whole numbers below a bound, as a type. */
type Below<Bound extends number, Counted extends number[] = []> = Counted["length"] extends Bound
  ? Counted[number]
  : Below<Bound, [...Counted, Counted["length"]]>;

/** Every status of a final answer. */
type Status = Exclude<Below<600>, Below<200>>;

/** A status that says success. */
type SuccessStatus = Exclude<Below<300>, Below<200>>;

/** An operation that takes an access token. */
export type SecuredOperation = {
  [Key in OperationKey]: (typeof operations)[Key]["secured"] extends true ? Key : never;
}[OperationKey];

/** The body of an operation's success; unknown where the interface does not specify it. */
export type BodyOf<Key extends OperationKey> = Key extends keyof AnswerBodies
  ? Key extends `GET ${infer Path extends keyof paths}`
    ? Paged<AnswerBodies[Key][200], Path>
    : AnswerBodies[Key][200]
  : unknown;

/** A collection's page, whose links lead to pages of the same collection; all else as it is. */
type Paged<Body, Path extends keyof paths> = Path extends `${string}}`
  ? Body
  : Body extends { _links: infer Links }
    ? Omit<Body, "_links"> & { _links: { [Name in keyof Links]: PageLink<Links[Name], Path> } }
    : Body;

type PageLink<Link, Path extends keyof paths> = undefined extends Link
  ? LinkTo<Path> | undefined
  : LinkTo<Path>;

/** What an operation answered where it succeeded. */
export interface Success<Data, Code extends number = 200> {
  readonly ok: true;
  readonly status: Code;
  readonly headers: AnswerHeaders;
  readonly data: Data;
  readonly error?: undefined;
}

/** What an operation answered where it did not succeed. */
export interface Failure<Code extends number> {
  readonly ok: false;
  readonly status: Code;
  readonly headers: AnswerHeaders;
  /** The body, which the interface does not specify (ERR-02): JSON, a text, or undefined. */
  readonly error: unknown;
  readonly data?: undefined;
}

/**
 * What came of a call that was answered: match on `status` or on `ok`. A GET succeeds with 200, for
 * which the contract gives the type of `data`; any other status is a failure. A PATCH succeeds with
 * any 2xx, of which nothing is specified (EP-07).
 */
export type Result<Key extends OperationKey> = Key extends keyof AnswerBodies
  ? Success<BodyOf<Key>> | Failure<Exclude<Status, 200>>
  : Success<unknown, SuccessStatus> | Failure<Exclude<Status, SuccessStatus>>;

/** A result of whatever operation. */
export type AnyResult = Success<unknown, number> | Failure<number>;
