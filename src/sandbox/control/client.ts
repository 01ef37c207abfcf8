import { reasonOf, TxfeedError, UnreachableError } from "../../errors.ts";
import type { Control } from "./control.ts";

export type * from "./control.ts";

/** A call of the control API that was answered with an error, and has changed nothing. */
export class ControlError extends TxfeedError {
  static override readonly code = "http";
  declare readonly code: "http";
  /** 4xx; 409 if the resource is not in a state for it. */
  readonly status: number;
  /** The kind of problem, in a few words that stay the same. */
  readonly title: string;
  /** What is wrong, such as the invalid member; the same as the message. */
  readonly detail: string;

  constructor(message: string, { status, title }: { status: number; title: string }) {
    super(message);
    this.name = "ControlError";
    this.status = status;
    this.title = title;
    this.detail = message;
  }
}

/** What a control client works with. */
export interface ControlClientOptions {
  /** The global one unless set. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/**
 * Makes what drives a sandbox that runs elsewhere, by its control API. It runs wherever fetch does.
 *
 * @param controlUrl the base address of the control API, such as `http://127.0.0.1:4020/_sandbox`
 * @returns Its methods reject with a ControlError where the sandbox refuses, and with a TxfeedError
 * `unreachable` where it does not answer, or what answers is no sandbox.
 */
export function createControlClient(
  controlUrl: string,
  { fetch = globalThis.fetch }: ControlClientOptions = {},
): Control {
  const base = controlUrl.replace(/(?<!\/)\/+$/, "");
  const send = async (method: string, path: string, body?: unknown): Promise<never> => {
    const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
    const init = { method, ...(body !== undefined && json) };
    return (await answered(fetch, base, path, init)) as never;
  };
  const get = (path: string, query = {}) => send("GET", `${path}${queryText(query)}`);
  return {
    status: () => get("/status"),
    verbs: () => get("/verbs"),
    trigger: (verb, params) => send("POST", `/verbs/${segment(verb)}`, params),
    readClock: () => get("/clock"),
    setClock: (setting) => send("PUT", "/clock", setting),
    advance: (by) => send("POST", "/clock/advance", { by }),
    settle: () => send("POST", "/settle"),
    events: (query) => get("/events", query),
    resources: (kind, query) => get(`/resources/${segment(kind)}`, query),
    endpoints: () => get("/endpoints"),
    addEndpoint: (params) => send("POST", "/endpoints", params),
    removeEndpoint: (id) => send("DELETE", `/endpoints/${segment(id)}`),
    deliveries: (query) => get("/deliveries", query),
    replay: (id) => {
      const path = id === "all" ? "/deliveries/replay" : `/deliveries/${segment(id)}/replay`;
      return send("POST", path);
    },
    faults: () => get("/faults"),
    setFaults: (faults) => send("PUT", "/faults", faults),
    reset: (params = {}) => send("POST", "/reset", params),
    snapshots: () => get("/snapshots"),
    snapshot: (name) => send("PUT", `/snapshots/${segment(name)}`),
    restore: (name) => send("POST", `/snapshots/${segment(name)}/restore`),
  };
}

/** A name in a path. These two would lead elsewhere, so they become the name of nothing. */
function segment(name: string): string {
  return name === "." || name === ".." ? "%00" : encodeURIComponent(name.toWellFormed());
}

function queryText(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return given.length === 0 ? "" : `?${new URLSearchParams(given)}`;
}

async function answered(
  fetch: typeof globalThis.fetch,
  base: string,
  path: string,
  init: RequestInit,
): Promise<unknown> {
  const { response, text } = await fetch(base + path, init)
    .then(async (response) => ({ response, text: await response.text() }))
    .catch((error) => {
      const message = `nothing answers at ${base}: ${reasonOf(error)}`;
      throw new UnreachableError(message, { cause: error });
    });
  if (response.status === 204) return undefined;
  const answer = parsed(text);
  if (response.ok && answer !== undefined) return answer;
  const { status, title, detail } = Object(answer);
  if (status === response.status) throw new ControlError(detail, { status, title });
  const message = `what answers at ${base} is no sandbox: it answered with ${response.status}`;
  throw new UnreachableError(message);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
