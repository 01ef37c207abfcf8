import type { EventName } from "../generated/events.ts";
import type { Kind } from "../src/sandbox/index.ts";
import type {
  DeliveryHook,
  Exchange,
  HttpHook,
  HttpResponse,
  Mutation,
  MutationRun,
  SentDelivery,
} from "./mutation.ts";
import { parseJson } from "./mutation.ts";

// How faults say what they do: to a body wherever it is shown, to answers, to deliveries.

// biome-ignore lint/suspicious/noExplicitAny: faults reach into bodies as they like
export type Json = any;

/** Where a body is shown. */
export interface Where {
  /** The event that carries it; undefined in an answer. */
  readonly event?: EventName;
  /** The path of the request; undefined in an event. */
  readonly path?: string;
  readonly run: MutationRun;
}

/** Changes a body in place, or returns another one. */
export type Change = (body: Json, where: Where) => unknown;

/** `projection`: a message within its transaction. */
export type Shown = Kind | "projection";

const EVENTS: Partial<Record<Shown, readonly EventName[]>> = {
  transactions: ["transaction.created", "transaction.updated"],
  projection: ["transaction.created", "transaction.updated"],
  "transaction-messages": ["transactionmessage.created"],
  "card-subscriptions": ["cardsubscription.created", "cardsubscription.updated"],
  "network-bulk-feeds": ["networkbulkfeed.statechanged"],
  "bank-transactions": ["banktransaction.created"],
  "transaction-matches": ["transaction.match.created"],
};

/** A body changed wherever the interface shows it, in answers and in events: as a bug inside. */
export function shown(
  kinds: Shown | readonly Shown[],
  change: Change,
): Pick<Mutation, "http" | "deliveries"> {
  return { http: served(kinds, change), deliveries: announced(kinds, change) };
}

/** A body changed in answers alone: each list item, and the single resource. */
export function served(kinds: Shown | readonly Shown[], change: Change): HttpHook {
  return async (exchange, run) => {
    const answer = await exchange.forward();
    if (exchange.request.method !== "GET" || answer.status !== 200) return answer;
    return await withJson(answer, async (json) => {
      let body = json;
      for (const kind of [kinds].flat() as Shown[]) {
        body = await withinAnswer(kind, body, exchange.path, (one) =>
          change(one, { path: exchange.path, run }),
        );
      }
      return body;
    });
  };
}

/** A body changed in events alone. */
export function announced(kinds: Shown | readonly Shown[], change: Change): DeliveryHook {
  return async (delivery, { send }, run) => {
    let body = parseJson(delivery.body);
    const event = delivery.name as EventName;
    for (const kind of [kinds].flat() as Shown[]) {
      if (!EVENTS[kind]?.includes(event)) continue;
      if (kind === "projection") await projections(body, (one) => change(one, { event, run }));
      else body = (await change(body, { event, run })) ?? body;
    }
    await send({ ...delivery, body: JSON.stringify(body) });
  };
}

/** A page of a list changed, or what stands at a path; `{}` in it stands for any one segment. */
export function answered(path: string | readonly string[], change: Change): HttpHook {
  return onPath(path, async ({ forward, ...exchange }, run) => {
    const answer = await forward();
    if (answer.status !== 200) return answer;
    const at = exchange.query.size > 0 ? `${exchange.path}?${exchange.query}` : exchange.path;
    return await withJson(answer, async (json) => (await change(json, { path: at, run })) ?? json);
  });
}

/** Requests for a path, answered as told; all others as the sandbox does. */
export function onPath(path: string | readonly string[], hook: HttpHook, method = "GET"): HttpHook {
  const patterns = [path].flat().map(patternOf);
  return (exchange, run) => {
    const isMeant = exchange.request.method === method;
    const isThere = patterns.some((pattern) => pattern.test(exchange.path));
    return isMeant && isThere ? hook(exchange, run) : exchange.forward();
  };
}

export function patternOf(path: string): RegExp {
  const escaped = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replaceAll("{}", "[^/]+");
  return new RegExp(`^${escaped}$`);
}

/** The body of events changed. */
export function sentAs(
  names: EventName | readonly EventName[] | "*",
  change: Change,
): DeliveryHook {
  return delivered(names, async (delivery, { send }, run) => {
    const body = parseJson(delivery.body);
    const event = delivery.name as EventName;
    const other = (await change(body, { event, run })) ?? body;
    await send({ ...delivery, body: JSON.stringify(other) });
  });
}

/** Events delivered as told; all others as the sandbox does. */
export function delivered(
  names: EventName | readonly EventName[] | "*",
  hook: DeliveryHook,
): DeliveryHook {
  return async (delivery, stream, run) => {
    const isMeant = names === "*" || ([names].flat() as string[]).includes(delivery.name);
    await (isMeant ? hook(delivery, stream, run) : stream.send(delivery));
  };
}

type When = (body: Json, run: MutationRun) => unknown;

const always: When = () => true;

/** Events that never come. */
export function dropped(names: EventName | readonly EventName[], when = always): DeliveryHook {
  return delivered(names, async (delivery, { send }, run) => {
    if (!(await when(parseJson(delivery.body), run))) await send(delivery);
  });
}

/** What is sent besides, after an event. */
export function followed(
  names: EventName | readonly EventName[],
  also: (
    body: Json,
    run: MutationRun,
  ) => { name: EventName; body: Json } | undefined | Promise<never>,
): DeliveryHook {
  return delivered(names, async (delivery, { send }, run) => {
    await send(delivery);
    const more = await also(parseJson(delivery.body), run);
    if (more) await send(of(delivery, more.name, more.body));
  });
}

/** Another event in a delivery's place. */
export function of(delivery: SentDelivery, name: string, body: Json): SentDelivery {
  const headers = { ...delivery.headers, "webhook-event-type": name };
  return { ...delivery, name, headers, body: JSON.stringify(body) };
}

/** Events under another name. */
export function relabelled(name: EventName, as: string): DeliveryHook {
  return delivered(name, (delivery, { send }) => {
    const headers = { ...delivery.headers, "webhook-event-type": as };
    return send({ ...delivery, headers });
  });
}

/** An event that comes after the next one of another name, rather than before. */
export function swapped(name: EventName, after: EventName, when = always): DeliveryHook {
  return async (delivery, { send, defer: keep, takeDeferred: takeKept }, run) => {
    if (delivery.name === name && (await when(parseJson(delivery.body), run)))
      return keep(delivery);
    await send(delivery);
    if (delivery.name === after) for (const kept of takeKept()) await send(kept);
  };
}

/** A status with a problem document, as the sandbox writes them. */
export function refused(status: number, title: string): HttpResponse {
  const headers = { "content-type": "application/problem+json" };
  return { status, headers, body: JSON.stringify({ status, title }) };
}

export async function withJson(
  answer: HttpResponse,
  change: (json: Json) => Json | Promise<Json>,
): Promise<HttpResponse> {
  const json = parseJson(answer.body);
  if (json === undefined) return answer;
  return { ...answer, body: JSON.stringify(await change(json)) };
}

async function withinAnswer(
  kind: Shown,
  json: Json,
  path: string,
  change: (body: Json) => unknown,
): Promise<Json> {
  if (kind === "projection") {
    const isList = path === "/transactions";
    if (!isList && !path.startsWith("/transactions/")) return json;
    for (const one of isList ? json._embedded.transactions : [json]) await projections(one, change);
    return json;
  }
  if (path.startsWith(`/${kind}/`)) return (await change(json)) ?? json;
  if (path !== `/${kind}`) return json;
  const items = json._embedded[nameIn(kind)];
  for (const [at, item] of items.entries()) items[at] = (await change(item)) ?? item;
  return json;
}

async function projections(transaction: Json, change: (body: Json) => unknown): Promise<void> {
  for (const message of transaction._embedded?.messages ?? []) await change(message);
}

/** What a kind's items stand under in a page. */
export function nameIn(kind: Kind): string {
  return kind.replace(/-(\w)/, (_, letter: string) => letter.toUpperCase());
}

/** What a fault remembers under a name. */
export function remembered<T>({ memory }: MutationRun, name: string, make: () => T): T {
  if (!memory.has(name)) memory.set(name, make());
  return memory.get(name) as T;
}

/** Something of the sandbox's own put otherwise; returns what puts it back. */
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

/** A member renamed, where it is there. */
export function rename(body: Json, from: string, to: string): void {
  if (body === null || typeof body !== "object" || !(from in body)) return;
  body[to] = body[from];
  delete body[from];
}

export type { Exchange };
