import { type OperationKey, operations } from "../../../generated/operations.ts";
import { type TxfeedError, UsageError } from "../../errors.ts";
import { suggestion } from "../../nearest.ts";
import { assertKnownOptions } from "../../options.ts";
import type { BodyOf, Result } from "../result.ts";
import type { AnyRecordedCall, RecordedCall } from "./recorded-call.ts";

/** Every status of a final response except 200. */
export type MockStatus = Extract<Result<"GET /cards">, { ok: false }>["status"];

/** A response that replaces the contract's example. */
export type MockResponse<Key extends OperationKey> =
  | {
      /** Default: 200. */
      readonly status?: 200 | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** The complete body (default: the contract's example). */
      readonly body?: BodyOf<Key> | undefined;
    }
  | {
      readonly status: MockStatus;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** Any JSON, because the interface does not specify it (ERR-02; default: no body). */
      readonly body?: unknown;
    };

/**
 * A response, an Error to simulate a network error, or a function of the call that returns either.
 * The function may also throw the Error.
 */
export type MockReply<Key extends OperationKey> =
  | MockResponse<Key>
  | Error
  | ((call: RecordedCall<Key>) => MockResponse<Key> | Error | Promise<MockResponse<Key> | Error>);

/** One reply for every call, or an array for consecutive calls, whose last reply repeats. */
export type MockOverride<Key extends OperationKey> = MockReply<Key> | readonly MockReply<Key>[];

/** The replies that replace the contract's examples, by operation. */
export type MockOverrides = { readonly [Key in OperationKey]?: MockOverride<Key> | undefined };

/** A response of any operation. */
export interface AnyResponse {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

type AnyOutcome = AnyResponse | Error;
type AnyReply = AnyOutcome | ((call: AnyRecordedCall) => AnyOutcome | Promise<AnyOutcome>);

/** The remaining replies of each override. */
export class ReplyQueues {
  readonly #queues = new Map<OperationKey, AnyReply[]>();

  /**
   * Replaces the override of an operation.
   *
   * @throws {TxfeedError} `usage` if the operation is unknown or the override is invalid
   */
  set(operation: string, override: unknown): void {
    checkOperation(operation);
    const replies: readonly unknown[] = Array.isArray(override) ? override : [override];
    if (replies.length === 0) throw invalidOverride(operation, "one reply or more");
    for (const reply of replies) if (typeof reply !== "function") checkOutcome(operation, reply);
    this.#queues.set(operation, [...replies] as AnyReply[]);
  }

  clear(): void {
    this.#queues.clear();
  }

  /**
   * Takes the next reply.
   *
   * @returns Resolves to the response; `{}` means the contract's example.
   * @throws the Error of the override, or any error that its function throws
   */
  async next(operation: OperationKey, call: AnyRecordedCall): Promise<AnyResponse> {
    const queue = this.#queues.get(operation) ?? [];
    const [reply = {}] = queue.length > 1 ? queue.splice(0, 1) : queue;
    const outcome = typeof reply === "function" ? await reply(call) : reply;
    if (outcome instanceof Error) throw outcome;
    checkOutcome(operation, outcome);
    return outcome;
  }
}

/** @throws {TxfeedError} `usage` if the contract has no such operation */
export function checkOperation(operation: string): asserts operation is OperationKey {
  if (Object.hasOwn(operations, operation)) return;
  const hint = "give a method and a path template, such as GET /cards/{id}";
  const advice = suggestion(operation, Object.keys(operations), hint);
  throw new UsageError(`the contract has no operation ${operation}; ${advice}`);
}

function checkOutcome(operation: OperationKey, outcome: unknown): void {
  if (outcome instanceof Error) return;
  if (typeof outcome !== "object" || outcome === null || Array.isArray(outcome)) {
    throw invalidOverride(operation, "a response such as { status: 503 }, an Error, or a function");
  }
  assertKnownOptions(`the override of ${operation}`, outcome, ["status", "headers", "body"]);
  const { status = 200 } = outcome as AnyResponse;
  if (Number.isInteger(status) && status >= 200 && status <= 599) return;
  throw invalidOverride(operation, "a response with a status from 200 to 599");
}

function invalidOverride(operation: OperationKey, expected: string): TxfeedError {
  return new UsageError(`the override of ${operation} must be ${expected}`);
}
