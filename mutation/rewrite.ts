import type { EventName } from "../generated/events.ts";
import type { Kind } from "../src/sandbox/index.ts";
import type {
  DeliveryHook,
  HttpHook,
  HttpResponse,
  MutationHooks,
  MutationRun,
  SentDelivery,
} from "./mutation.ts";
import { parseJson } from "./mutation.ts";

// Building blocks of mutations: changes to bodies, responses and deliveries.

// biome-ignore lint/suspicious/noExplicitAny: mutations change bodies freely
export type Json = any;

/** An id that no resource has. */
export const OTHER_ID = "0a0a0a0a-0000-4000-8000-000000000001";

/** The context of a body. */
interface BodyContext {
  /** The event's name; undefined for a response. */
  readonly event?: EventName;
  /** The request's path; undefined for an event. */
  readonly path?: string;
  readonly run: MutationRun;
}

/** Changes a body in place or returns a new one. */
export type Change = (body: Json, where: BodyContext) => unknown;

/** `projection`: a message within its transaction. */
type BodyKind = Kind | "projection";

const EVENTS: Partial<Record<BodyKind, readonly EventName[]>> = {
  transactions: ["transaction.created", "transaction.updated"],
  projection: ["transaction.created", "transaction.updated"],
  "transaction-messages": ["transactionmessage.created"],
  "card-subscriptions": ["cardsubscription.created", "cardsubscription.updated"],
  "network-bulk-feeds": ["networkbulkfeed.statechanged"],
  "bank-transactions": ["banktransaction.created"],
  "transaction-matches": ["transaction.match.created"],
};

/** Changes a body in responses and in events. */
export function changeResource(
  kinds: BodyKind | readonly BodyKind[],
  change: Change,
): Pick<MutationHooks, "http" | "deliveries"> {
  return { http: changeResponses(kinds, change), deliveries: changeEvents(kinds, change) };
}

/** Changes a body in responses only: each list item, and the single resource. */
export function changeResponses(kinds: BodyKind | readonly BodyKind[], change: Change): HttpHook {
  return async (exchange, run) => {
    const response = await exchange.forward();
    if (exchange.request.method !== "GET" || response.status !== 200) return response;
    return await withJson(response, async (json) => {
      let body = json;
      for (const kind of [kinds].flat() as BodyKind[]) {
        body = await changeItems(kind, body, exchange.path, (one) =>
          change(one, { path: exchange.path, run }),
        );
      }
      return body;
    });
  };
}

/** Changes a body in events only. */
export function changeEvents(kinds: BodyKind | readonly BodyKind[], change: Change): DeliveryHook {
  return async (delivery, { send }, run) => {
    let body = parseJson(delivery.body);
    const event = delivery.name as EventName;
    for (const kind of [kinds].flat() as BodyKind[]) {
      if (!EVENTS[kind]?.includes(event)) continue;
      if (kind === "projection")
        await changeProjections(body, (one) => change(one, { event, run }));
      else body = (await change(body, { event, run })) ?? body;
    }
    await send({ ...delivery, body: JSON.stringify(body) });
  };
}

/** Changes the response of a path. `{}` in the path matches any segment. */
export function changeResponseAt(path: string | readonly string[], change: Change): HttpHook {
  return onPath(path, async ({ forward, ...exchange }, run) => {
    const response = await forward();
    if (response.status !== 200) return response;
    const at = exchange.query.size > 0 ? `${exchange.path}?${exchange.query}` : exchange.path;
    return await withJson(
      response,
      async (json) => (await change(json, { path: at, run })) ?? json,
    );
  });
}

/** Handles requests for a path. All others go to the sandbox. */
export function onPath(path: string | readonly string[], hook: HttpHook, method = "GET"): HttpHook {
  const patterns = [path].flat().map(patternOf);
  return (exchange, run) => {
    const isMethod = exchange.request.method === method;
    const isPath = patterns.some((pattern) => pattern.test(exchange.path));
    return isMethod && isPath ? hook(exchange, run) : exchange.forward();
  };
}

/** Lets cards link to their subscription and its feed, which otherwise only events link to. */
export function linkFromCards(hook: HttpHook): HttpHook {
  const linked = changeResponses("cards", async ({ id, _links }, { run: { sandbox } }) => {
    const all = await sandbox.resources("card-subscriptions", { limit: 10_000 });
    const own = all.map(({ body }) => body as Json).find(({ cardId }) => cardId === id);
    if (!own) return;
    _links.subscription = own._links.self;
    if (own._links.networkBulkFeed) _links.networkBulkFeed = own._links.networkBulkFeed;
  });
  return (exchange, run) => linked({ ...exchange, forward: async () => hook(exchange, run) }, run);
}

export function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll("{}", "[^/]+");
  return new RegExp(`^${escaped}$`);
}

/** Changes the body of events. */
export function changeEventsNamed(
  names: EventName | readonly EventName[] | "*",
  change: Change,
): DeliveryHook {
  return onEvents(names, async (delivery, { send }, run) => {
    const body = parseJson(delivery.body);
    const event = delivery.name as EventName;
    const other = (await change(body, { event, run })) ?? body;
    await send({ ...delivery, body: JSON.stringify(other) });
  });
}

/** Handles deliveries of some events. All others are sent unchanged. */
export function onEvents(
  names: EventName | readonly EventName[] | "*",
  hook: DeliveryHook,
): DeliveryHook {
  return async (delivery, stream, run) => {
    const isMethod = names === "*" || ([names].flat() as string[]).includes(delivery.name);
    await (isMethod ? hook(delivery, stream, run) : stream.send(delivery));
  };
}

type When = (body: Json, run: MutationRun) => unknown;

const always: When = () => true;

/** Drops events. */
export function dropEvents(names: EventName | readonly EventName[], when = always): DeliveryHook {
  return onEvents(names, async (delivery, { send }, run) => {
    if (!(await when(parseJson(delivery.body), run))) await send(delivery);
  });
}

/** Sends another event after an event. */
export function sendAfter(
  names: EventName | readonly EventName[],
  also: (
    body: Json,
    run: MutationRun,
  ) => { name: EventName; body: Json } | undefined | Promise<never>,
): DeliveryHook {
  return onEvents(names, async (delivery, { send }, run) => {
    await send(delivery);
    const more = await also(parseJson(delivery.body), run);
    if (more) await send(replaceEvent(delivery, more.name, more.body));
  });
}

/** Replaces the event of a delivery. */
export function replaceEvent(delivery: SentDelivery, name: string, body: Json): SentDelivery {
  const headers = { ...delivery.headers, "webhook-event-type": name };
  return { ...delivery, name, headers, body: JSON.stringify(body) };
}

/** Sends events under another name. */
export function renameEvents(name: EventName, as: string): DeliveryHook {
  return onEvents(name, (delivery, { send }) => {
    const headers = { ...delivery.headers, "webhook-event-type": as };
    return send({ ...delivery, headers });
  });
}

/** Delays an event until after the next event of another name. */
export function delayEvents(name: EventName, after: EventName, when = always): DeliveryHook {
  return async (delivery, { send, defer, takeDeferred }, run) => {
    if (delivery.name === name && (await when(parseJson(delivery.body), run)))
      return defer(delivery);
    await send(delivery);
    if (delivery.name === after) for (const deferred of takeDeferred()) await send(deferred);
  };
}

/** An error response with a problem document, as the sandbox sends it. */
export function problemResponse(status: number, title: string): HttpResponse {
  const headers = { "content-type": "application/problem+json" };
  return { status, headers, body: JSON.stringify({ status, title }) };
}

export async function withJson(
  response: HttpResponse,
  change: (json: Json) => Json | Promise<Json>,
): Promise<HttpResponse> {
  const json = parseJson(response.body);
  if (json === undefined) return response;
  return { ...response, body: JSON.stringify(await change(json)) };
}

async function changeItems(
  kind: BodyKind,
  json: Json,
  path: string,
  change: (body: Json) => unknown,
): Promise<Json> {
  if (kind === "projection") {
    const isList = path === "/transactions";
    if (!isList && !path.startsWith("/transactions/")) return json;
    for (const one of isList ? json._embedded.transactions : [json])
      await changeProjections(one, change);
    return json;
  }
  if (path.startsWith(`/${kind}/`)) return (await change(json)) ?? json;
  if (path !== `/${kind}`) return json;
  const items = json._embedded[nameIn(kind)];
  for (const [at, item] of items.entries()) items[at] = (await change(item)) ?? item;
  return json;
}

async function changeProjections(
  transaction: Json,
  change: (body: Json) => unknown,
): Promise<void> {
  for (const message of transaction._embedded?.messages ?? []) await change(message);
}

/** The name of a kind's list in a page. */
export function nameIn(kind: Kind): string {
  return kind.replace(/-(\w)/, (_, letter: string) => letter.toUpperCase());
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

/** Renames a member, if the body has it. */
export function rename(body: Json, from: string, to: string): void {
  if (body === null || typeof body !== "object" || !(from in body)) return;
  body[to] = body[from];
  delete body[from];
}
