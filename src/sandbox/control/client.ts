import { reasonOf, TxfeedError, UnreachableError } from "../../errors.ts";
import type { Control } from "./control.ts";
import { controlBy, routes } from "./routes.ts";
import type { Remedy } from "./types.ts";

export type * from "./control.ts";

/** The sandbox refused a call of the control API; nothing has changed. */
export class ControlError extends TxfeedError {
  static override readonly code = "http";
  declare readonly code: "http";
  /** 4xx; 409 if the resource is not in a state for it. */
  readonly status: number;
  /** The kind of problem, in a few words that stay the same. */
  readonly title: string;
  /** Describes the problem, such as the invalid member; the same as the message. */
  readonly detail: string;
  /** A verb that makes the call possible; undefined if there is none. */
  readonly remedy: Remedy | undefined;

  constructor(
    message: string,
    { status, title, remedy }: { status: number; title: string; remedy?: Remedy | undefined },
  ) {
    super(message);
    this.name = "ControlError";
    this.status = status;
    this.title = title;
    this.detail = message;
    this.remedy = remedy;
  }
}

/** The options of a control client. */
export interface ControlClientOptions {
  /** Default: the global fetch. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Creates a client of the control API of a running sandbox. It runs wherever fetch does.
 *
 * @param controlUrl the base address of the control API, such as `http://127.0.0.1:4020/_sandbox`
 * @returns A client whose methods reject with a ControlError if the sandbox refuses the call, and
 * with a TxfeedError `unreachable` if the address does not respond or is not a sandbox.
 */
export function createControlClient(
  controlUrl: string,
  { fetch = globalThis.fetch }: ControlClientOptions = {},
): Control {
  const base = controlUrl.replace(/(?<!\/)\/+$/, "");
  return controlBy(async (name, args) => {
    const [method = "", template = ""] = routes[name].split(" ");
    const rest = [...args];
    const path = template.replaceAll(/\{\w+\}/g, () => segment(String(rest.shift())));
    const [input] = rest;
    if (method === "GET")
      return responseOf(fetch, base, path + queryText(Object(input)), { method });
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(input) };
    return responseOf(fetch, base, path, { method, ...(input !== undefined && json) });
  });
}

/** A segment of a path. `.` and `..` would lead to another path, so they become an unknown name. */
function segment(name: string): string {
  return name === "." || name === ".." ? "%00" : encodeURIComponent(name.toWellFormed());
}

function queryText(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

async function responseOf(
  fetch: typeof globalThis.fetch,
  base: string,
  path: string,
  init: RequestInit,
): Promise<unknown> {
  const { response, text } = await fetch(base + path, init)
    .then(async (response) => ({ response, text: await response.text() }))
    .catch((error) => {
      const message = `can't reach ${base}: ${reasonOf(error)}`;
      throw new UnreachableError(message, { cause: error });
    });
  if (response.status === 204) return undefined;
  const result = parsed(text);
  if (response.ok && result !== undefined) return result;
  const { status, title, detail, remedy } = Object(result);
  if (status === response.status) throw new ControlError(detail, { status, title, remedy });
  const message = `${base} is not a sandbox: it responded with status ${response.status}`;
  throw new UnreachableError(message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
