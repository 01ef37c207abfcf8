import type { EventName } from "../generated/events.ts";
import type { Kind } from "../src/sandbox/index.ts";
import {
  type DeliveryHook,
  type HttpHook,
  type HttpResponse,
  type MutationHooks,
  type MutationRun,
  type Operation,
  parseJson,
} from "./mutation.ts";

// Operations of mutations on bodies and events.

// biome-ignore lint/suspicious/noExplicitAny: mutations change bodies freely
export type Json = any;

/** An id that no resource has. */
export const OTHER_ID = "0a0a0a0a-0000-4000-8000-000000000001";

/** An id with another last digit. */
export const otherId = (id: string) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`;

/** A body's context. */
export interface Where extends MutationRun {
  /** The event's name; undefined for a response. */
  readonly event?: EventName;
  /** Of the request; undefined for an event. */
  readonly path?: string;
  readonly query?: URLSearchParams;
}

/** Changes a body in place or returns a new one. */
export type Change = (body: Json, where: Where) => unknown;

/** Whether something applies to a body. */
export type When = (body: Json, where: Where) => unknown;

export const always: When = () => true;

/** Values that a body has. */
export type Values = Readonly<Record<string, unknown>>;

/** Whether a body has values. */
export const shows = (values: Values) => (body: Json) =>
  Object.entries(values).every(([name, value]) => body[name] === value);

/** How a value follows from the value before, the body and its context. */
type Value = (value: Json, body: Json, where: Where) => Json;

export type Constant = string | number | boolean | object | null;

export type Paths = string | readonly string[];

/** What is done to bodies, and to which. */
export interface Edits {
  readonly edits: readonly Change[];
  /** What each does, in words; undefined if its words are missing. */
  readonly says: readonly (string | undefined)[];
  readonly when: When;
}

/**
 * Bodies to change. A path is a JSON pointer, in which `*` is any member; without the object that
 * has the member, nothing changes.
 */
export class Bodies implements Operation {
  /** The name of these bodies in a sentence, if they have one. */
  readonly name: string | undefined;
  readonly #hooks: (change: Change) => MutationHooks;
  readonly #own: Edits;

  constructor(
    name: string | undefined,
    hooks: (change: Change) => MutationHooks,
    own: Edits = { edits: [], says: [], when: always },
  ) {
    this.name = name;
    this.#hooks = hooks;
    this.#own = own;
  }

  get http(): HttpHook | undefined {
    return this.#hooks(this.#apply).http;
  }

  get deliveries(): DeliveryHook | undefined {
    return this.#hooks(this.#apply).deliveries;
  }

  /** What is done, as a sentence, if that follows from the names and the edits. */
  get says(): string | undefined {
    const { says } = this.#own;
    return !this.name || says.includes(undefined)
      ? undefined
      : `In ${this.name}, ${says.join(", and ")}`;
  }

  readonly #apply: Change = async (body, where) => {
    const { edits, when } = this.#own;
    if (!(await when(body, where))) return body;
    let changed = body;
    for (const edit of edits) changed = (await edit(changed, where)) ?? changed;
    return changed;
  };

  #with(own: Partial<Edits>, name: string | undefined): Bodies {
    return new Bodies(name, this.#hooks, { ...this.#own, ...own });
  }

  /**
   * Changes only bodies to which a condition applies.
   *
   * @param name The name of these bodies in a sentence.
   */
  when(condition: When | Values, name?: string): Bodies {
    return this.#with({ when: whenOf(condition) }, name);
  }

  /** @param says What the edit does, in words. */
  change(edit: Change, says?: string): Bodies {
    const { edits, says: others } = this.#own;
    return this.#with({ edits: [...edits, edit], says: [...others, says] }, this.name);
  }

  /** Changes the objects at a path in place. */
  each(path: string, edit: (object: Json, body: Json, where: Where) => unknown): Bodies {
    return this.change((body, where) => {
      for (const [parent, key] of membersAt(body, path)) {
        if (parent[key] !== undefined) edit(parent[key], body, where);
      }
    });
  }

  /** Changes the members at paths. */
  #members(
    paths: Paths,
    says: string | undefined,
    edit: (parent: Json, key: string, body: Json, where: Where) => void,
  ): Bodies {
    const all = [paths].flat();
    const [path = "", other] = all;
    const name = path.slice(1).replaceAll("/*", "[]").replaceAll("/", ".");
    return this.change(
      (body, where) => {
        for (const [parent, key] of all.flatMap((one) => membersAt(body, one))) {
          edit(parent, key, body, where);
        }
      },
      says && !other ? `${name} ${says}` : undefined,
    );
  }

  /**
   * Sets members to a value. A function replaces the values that are there.
   *
   * @param says How the value is then. Default: what a constant is.
   */
  set(
    paths: Paths,
    value: Value | Constant,
    says = typeof value === "function" ? undefined : `is always ${JSON.stringify(value)}`,
  ): Bodies {
    return this.#members(paths, says, (parent, key, body, where) => {
      if (typeof value !== "function") parent[key] = value;
      else if (key in parent) parent[key] = value(parent[key], body, where);
    });
  }

  /** Sets members that are absent or null. */
  fill(paths: Paths, value: Value | Constant): Bodies {
    const isFunction = typeof value === "function";
    const instead = `instead of absent${value === null ? "" : " or null"}`;
    const says = isFunction ? undefined : `is ${JSON.stringify(value)} ${instead}`;
    return this.#members(paths, says, (parent, key, body, where) => {
      parent[key] ??= isFunction ? value(undefined, body, where) : value;
    });
  }

  drop(...paths: readonly string[]): Bodies {
    return this.#members(paths, "is omitted", (parent, key) => {
      delete parent[key];
    });
  }

  rename(paths: Paths, name: string): Bodies {
    return this.#members(paths, `is named ${name}`, (parent, key) => {
      if (!(key in parent)) return;
      parent[name] = parent[key];
      delete parent[key];
    });
  }
}

export function whenOf(condition: When | Values): When {
  return typeof condition === "function" ? condition : shows(condition);
}

/** The members that a path names, each with its object. */
function membersAt(body: Json, path: string): [object: Json, name: string][] {
  const steps = path.split("/").slice(1);
  const last = steps.pop() ?? "";
  let objects: Json[] = [body];
  for (const step of steps) {
    objects = objects
      .flatMap((one) => (step === "*" ? Object.values(one) : [one[step]]))
      .filter((one) => typeof one === "object" && one !== null);
  }
  return objects.flatMap((one) =>
    (last === "*" ? Object.keys(one) : [last]).map((name): [Json, string] => [one, name]),
  );
}

/** `projection`: a message within its transaction. */
type BodyKind = Kind | "projection";

const EVENTS: Partial<Record<BodyKind, readonly EventName[]>> = {
  transactions: ["transaction.created", "transaction.updated"],
  projection: ["transaction.created", "transaction.updated"],
  "transaction-messages": ["transactionmessage.created"],
  "card-subscriptions": ["cardsubscription.created", "cardsubscription.updated"],
  "bank-transactions": ["banktransaction.created"],
  "transaction-matches": ["transaction.match.created"],
};

/** The bodies of a kind: list items, single resources and events. */
export function resource(...kinds: readonly BodyKind[]): Bodies {
  return new Bodies(kinds.join(" and "), (change) => ({
    http: changeResources(kinds, change),
    deliveries: async (delivery, { send }, run) => {
      let body = parseJson(delivery.body);
      const event = delivery.name as EventName;
      for (const kind of kinds.filter((one) => EVENTS[one]?.includes(event))) {
        if (kind === "projection") await changeProjection(body, change, { ...run, event });
        else body = (await change(body, { ...run, event })) ?? body;
      }
      await send({ ...delivery, body: JSON.stringify(body) });
    },
  }));
}

/** The bodies of a kind in responses: list items and single resources. */
export function responses(...kinds: readonly BodyKind[]): Bodies {
  const name = `responses with ${kinds.join(" and ")}`;
  return new Bodies(name, (change) => ({ http: changeResources(kinds, change) }));
}

/** The bodies of the responses of some paths. `{}` in a path matches any segment. */
export function response(...paths: readonly string[]): Bodies {
  const patterns = paths.map(patternOf);
  return new Bodies(`GET ${paths.join(" and ")}`, (change) => ({
    http: changeJson(
      ({ path }) => patterns.some((one) => one.test(path)),
      async (json, where) => (await change(json, where)) ?? json,
    ),
  }));
}

function changeResources(kinds: readonly BodyKind[], change: Change): HttpHook {
  return changeJson(
    () => true,
    async (json, where) => {
      let body = json;
      for (const kind of kinds) body = await changeItems(kind, body, change, where);
      return body;
    },
  );
}

/** Changes the JSON of responses to GET with status 200. */
function changeJson(
  isMeant: (exchange: { readonly path: string }) => boolean,
  change: (json: Json, where: Where) => Promise<Json>,
): HttpHook {
  return async (exchange, run) => {
    const { request, query, path } = exchange;
    const answer = await exchange.forward();
    if (request.method !== "GET" || answer.status !== 200 || !isMeant(exchange)) return answer;
    return await withJson(answer, (json) => change(json, { ...run, path, query }));
  };
}

async function changeItems(
  kind: BodyKind,
  json: Json,
  change: Change,
  where: Where,
): Promise<Json> {
  const { path = "" } = where;
  if (kind === "projection") {
    const isList = path === "/transactions";
    if (!isList && !path.startsWith("/transactions/")) return json;
    for (const one of isList ? json._embedded.transactions : [json])
      await changeProjection(one, change, where);
    return json;
  }
  if (path.startsWith(`/${kind}/`)) return (await change(json, where)) ?? json;
  if (path !== `/${kind}`) return json;
  const items = itemsOf(json);
  for (const [at, item] of items.entries()) items[at] = (await change(item, where)) ?? item;
  return json;
}

async function changeProjection(body: Json, change: Change, where: Where): Promise<void> {
  for (const message of body._embedded?.messages ?? []) await change(message, where);
}

/** The items of a page. */
export function itemsOf(json: Json): Json[] {
  return Object.values<Json>(json._embedded)[0];
}

export function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll("{}", "[^/]+");
  return new RegExp(`^${escaped}$`);
}

export async function withJson(
  answer: HttpResponse,
  change: (json: Json) => Json | Promise<Json>,
): Promise<HttpResponse> {
  const json = parseJson(answer.body);
  if (json === undefined) return answer;
  return { ...answer, body: JSON.stringify(await change(json)) };
}

/** The resources of all accounts, with what the interface does not show. */
export async function resourcesOf({ sandbox }: MutationRun, kind: Kind): Promise<Json[]> {
  return [...(await sandbox.resources(kind, { limit: 10_000 }))];
}

/** Gives an event the id of the event before it. */
export function toPrevious(field: string): Change {
  return (body, { memory }) => {
    const last = memory.get("last");
    memory.set("last", body[field]);
    if (!last) return;
    body[field] = last;
    body.metadata.resourceId = last;
  };
}

/** How often a key has come, from 1. */
export function nth({ memory }: MutationRun, key: string): number {
  const count = (memory.get(key) ?? 0) + 1;
  memory.set(key, count);
  return count;
}

/** Returns the mutation's state under a name; creates it on first use. */
export function mutationState<T>({ memory }: MutationRun, name: string, make: () => T): T {
  if (!memory.has(name)) memory.set(name, make());
  return memory.get(name) as T;
}

/** Replaces a member of an object; returns a function that restores it. */
export function patch<T extends object, K extends keyof T>(
  target: T,
  name: K,
  make: (original: T[K]) => T[K],
): () => void {
  const original = target[name];
  target[name] = make(original);
  return () => {
    target[name] = original;
  };
}
