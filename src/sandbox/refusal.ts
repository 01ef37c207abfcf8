/**
 * A request that the sandbox does not carry out, and changes nothing by: answered with its status
 * and a problem document (RFC 9457), or thrown where the sandbox is driven in process.
 */
export class Refusal extends Error {
  /** 4xx; 409 where the resource is not in a state for it; 507 where it can't be kept. */
  readonly status: number;
  /** What kind of problem it is, in a few words that stay the same. */
  readonly title: string;

  /** @param detail what is wrong, where, and what to do, in one line */
  constructor(status: number, title: string, detail: string) {
    super(detail);
    this.name = "Refusal";
    this.status = status;
    this.title = title;
  }
}

/** A change that can't be kept: the disk is full, say. The same call may work later. */
export class StorageRefusal extends Refusal {
  constructor(detail: string) {
    super(507, "Insufficient storage", detail);
  }
}

/** Nothing of that id is there, or it is another account's. */
export const notFound = (what: string, id: string): Refusal =>
  new Refusal(404, "Not found", `there is no ${what} ${id}`);

/** The resource is not in a state in which the verb applies. */
export const conflict = (detail: string): Refusal => new Refusal(409, "Conflict", detail);

/** The request itself is malformed. */
export const badRequest = (detail: string): Refusal => new Refusal(400, "Bad request", detail);
