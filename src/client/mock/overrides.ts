import { type OperationKey, operations } from "../../../generated/operations.ts";
import { type TxfeedError, UsageError } from "../../errors.ts";
import { suggestion } from "../../nearest.ts";
import { assertKnownOptions } from "../../options.ts";
import type { BodyOf, Result } from "../result.ts";
import type { AnyRecordedCall, RecordedCall } from "./recorded-call.ts";

/** Every status of an answer but 200. */
export type MockStatus = Extract<Result<"GET /cards">, { ok: false }>["status"];

/** An answer in place of the contract's example. */
export type MockResponse<Key extends OperationKey> =
  | {
      /** 200 unless set. */
      readonly status?: 200 | undefined;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** The whole body; that of the contract's example unless set. */
      readonly body?: BodyOf<Key> | undefined;
    }
  | {
      readonly status: MockStatus;
      readonly headers?: Readonly<Record<string, string>> | undefined;
      /** Any JSON, as the interface does not specify it (ERR-02); none unless set. */
      readonly body?: unknown;
    };

/**
 * An answer; an Error where none comes, as where the network fails; or a function that gives either
 * for a call. What it throws counts as an Error that it gives.
 */
export type MockReply<Key extends OperationKey> =
  | MockResponse<Key>
  | Error
  | ((call: RecordedCall<Key>) => MockResponse<Key> | Error | Promise<MockResponse<Key> | Error>);

/** A reply to every call, or several: the first call gets the first, and the last one stays. */
export type MockOverride<Key extends OperationKey> = MockReply<Key> | readonly MockReply<Key>[];

/** What is answered other than by the contract's examples, by operation. */
export type MockOverrides = { readonly [Key in OperationKey]?: MockOverride<Key> | undefined };

/** An answer whose operation the types have settled. */
export interface AnyResponse {
  readonly status?: number | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

type AnyOutcome = AnyResponse | Error;
type AnyReply = AnyOutcome | ((call: AnyRecordedCall) => AnyOutcome | Promise<AnyOutcome>);

/** The overrides of a mock, and how far each has been used up. */
export class ReplyQueues {
  readonly #queues = new Map<OperationKey, AnyReply[]>();

  /** Throws a TxfeedError `usage` at an operation or an override that makes no sense. */
  set(operation: string, override: unknown): void {
    checkOperation(operation);
    const replies: readonly unknown[] = Array.isArray(override) ? override : [override];
    if (replies.length === 0) throw wrong(operation, "at least one reply");
    for (const reply of replies) if (typeof reply !== "function") checkOutcome(operation, reply);
    this.#queues.set(operation, [...replies] as AnyReply[]);
  }

  clear(): void {
    this.#queues.clear();
  }

  /**
   * Takes the next reply.
   *
   * @returns Resolves to the answer, an empty one where nothing overrides the contract's example.
   * Rejects with the Error that stands in its place, or with what the function throws.
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

/** Throws a TxfeedError `usage` at an operation that the contract does not have. */
export function checkOperation(operation: string): asserts operation is OperationKey {
  if (Object.hasOwn(operations, operation)) return;
  const hint = "give method and path as the contract has them, such as GET /cards/{id}";
  const advice = suggestion(operation, Object.keys(operations), hint);
  throw new UsageError(`the contract has no operation ${operation}; ${advice}`);
}

function checkOutcome(operation: OperationKey, outcome: unknown): void {
  if (outcome instanceof Error) return;
  if (typeof outcome !== "object" || outcome === null || Array.isArray(outcome)) {
    throw wrong(operation, "an answer such as { status: 503 }, an Error, or a function");
  }
  assertKnownOptions(`the override of ${operation}`, outcome, ["status", "headers", "body"]);
  const { status = 200 } = outcome as AnyResponse;
  if (Number.isInteger(status) && status >= 200 && status <= 599) return;
  throw wrong(operation, "a status from 200 to 599");
}

function wrong(operation: OperationKey, expected: string): TxfeedError {
  return new UsageError(`the override of ${operation} takes ${expected}`);
}
