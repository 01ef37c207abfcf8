import type { VerbName } from "./verbs/names.ts";

/** A verb to run first, with its parameters. */
export interface Remedy {
  readonly verb: VerbName;
  readonly params: Record<string, unknown>;
}

/** What to do about a refusal: in words, and by a verb. */
export interface Advice {
  readonly text: string;
  readonly verb: VerbName;
  /** Default: none. */
  readonly params?: Record<string, unknown>;
}

/**
 * A request that the sandbox refuses; nothing has changed. The response has its status and a
 * problem document (RFC 9457). In process, it is thrown.
 */
export class Refusal extends Error {
  /** 4xx: 409 if the state of the resource does not allow it; 507 if it can't be stored. */
  readonly status: number;
  /** The kind of problem: a short text that stays the same. */
  readonly title: string;
  readonly remedy: Remedy | undefined;

  /** @param detail what is wrong and what to do, in one line */
  constructor(status: number, title: string, detail: string, remedy?: Remedy) {
    super(detail);
    this.remedy = remedy;
    this.name = "Refusal";
    this.status = status;
    this.title = title;
  }
}

/** A change that can't be stored, for example because the disk is full. A retry may succeed. */
export class StorageRefusal extends Refusal {
  constructor(detail: string) {
    super(507, "Insufficient storage", detail);
  }
}

/** The id is unknown, or belongs to another account. */
export const notFound = (what: string, id: string): Refusal =>
  new Refusal(404, "Not found", `there is no ${what} ${id}`);

/** The verb does not apply in the resource's state. */
export function conflict(detail: string, advice?: Advice): Refusal {
  if (!advice) return new Refusal(409, "Conflict", detail);
  const { text, verb, params = {} } = advice;
  return new Refusal(409, "Conflict", `${detail}: ${text}`, { verb, params });
}

/** The request itself is malformed. */
export const badRequest = (detail: string): Refusal => new Refusal(400, "Bad request", detail);
