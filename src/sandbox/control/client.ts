import type { ControlOperations } from "../../../generated/control-types.ts";
import { reasonOf, TxfeedError, UnreachableError } from "../../errors.ts";
import type { Control } from "./control.ts";

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

  constructor(message: string, { status, title }: { status: number; title: string }) {
    super(message);
    this.name = "ControlError";
    this.status = status;
    this.title = title;
    this.detail = message;
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
  const call = async <Key extends keyof ControlOperations>(
    key: Key,
    { path = {}, query, body }: CallInput<Key> = {},
  ): Promise<ControlOperations[Key]["response"]> => {
    const [method = "", template = ""] = key.split(" ");
    const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => segment(path[name] ?? ""));
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const init = { method, ...(body !== undefined && json) };
    return (await responseOf(fetch, base, filled + queryText(query), init)) as never;
  };
  return {
    status: () => call("GET /status"),
    verbs: () => call("GET /verbs"),
    trigger: async (verb, params) => {
      // Any name may arrive here; the sandbox refuses an unknown one.
      const key = `POST /verbs/${segment(verb)}` as "POST /verbs/purchase";
      return (await call(key, { body: params as never })) as never;
    },
    dryRun: (body) => call("POST /dry-runs", { body }),
    readClock: () => call("GET /clock"),
    setClock: (body) => call("PUT /clock", { body }),
    advance: (by) => call("POST /clock/advance", { body: { by } }),
    settle: () => call("POST /settle"),
    events: (query) => call("GET /events", { query }),
    resources: (kind, query) => call("GET /resources/{kind}", { path: { kind }, query }),
    resource: (kind, id) => call("GET /resources/{kind}/{id}", { path: { kind, id } }),
    endpoints: () => call("GET /endpoints"),
    addEndpoint: (body) => call("POST /endpoints", { body }),
    removeEndpoint: (id) => call("DELETE /endpoints/{id}", { path: { id } }),
    deliveries: (query) => call("GET /deliveries", { query }),
    replay: (id) => {
      if (id === "all") return call("POST /deliveries/replay");
      return call("POST /deliveries/{id}/replay", { path: { id } });
    },
    faults: () => call("GET /faults"),
    setFaults: (body) => call("PUT /faults", { body }),
    reset: (body = {}) => call("POST /reset", { body }),
    snapshots: () => call("GET /snapshots"),
    snapshot: (name) => call("PUT /snapshots/{name}", { path: { name } }),
    restore: (name) => call("POST /snapshots/{name}/restore", { path: { name } }),
  };
}

/** The inputs of an operation. */
interface CallInput<Key extends keyof ControlOperations> {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: ControlOperations[Key]["query"] | undefined;
  readonly body?: ControlOperations[Key]["body"] | undefined;
}

/** A segment of a path. `.` and `..` would lead to another path, so they become an unknown name. */
function segment(name: string): string {
  return name === "." || name === ".." ? "%00" : encodeURIComponent(name.toWellFormed());
}

function queryText(query: object = {}): string {
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
  const { status, title, detail } = Object(result);
  if (status === response.status) throw new ControlError(detail, { status, title });
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
