import type { ClaimId, RequirementId } from "../generated/requirements.ts";
import type { Sandbox, WorldName } from "../src/sandbox/index.ts";

/** A bug injected into the sandbox for one run. */
export interface Mutation extends Operation {
  readonly id: string;
  /** The claims that it breaks and that must fail. */
  readonly claims: readonly [ClaimId, ...ClaimId[]];
  /** The requirement of its first claim. */
  readonly requirement: RequirementId;
  /** A one-line description of the bug. */
  readonly description: string;
}

/** What a bug does. */
export interface Operation extends MutationHooks {
  /** The seed data that it needs; default: `small`. */
  readonly world?: WorldName | undefined;
}

/** How a mutation changes the sandbox's behaviour. */
export interface MutationHooks {
  /** Handles requests to the interface, but not to the control API. */
  readonly http?: HttpHook | undefined;
  /** Handles deliveries instead of the sandbox. */
  readonly deliveries?: DeliveryHook | undefined;
  /**
   * Patches the sandbox's modules and returns a function that restores them. Sandboxes of one
   * process share modules, so only one such mutation may run at a time.
   */
  readonly inside?: ((run: MutationRun) => () => void) | undefined;
}

export type HttpHook = (
  exchange: Exchange,
  run: MutationRun,
) => HttpResponse | Promise<HttpResponse>;

export type DeliveryHook = (
  delivery: SentDelivery,
  stream: DeliveryStream,
  run: MutationRun,
) => void | Promise<void>;

/** One run of a mutation, with its state. */
export interface MutationRun {
  readonly sandbox: Sandbox;
  /** The mutation's own state. */
  // biome-ignore lint/suspicious/noExplicitAny: each mutation keeps what it needs
  readonly memory: Map<any, any>;
  /** Counts an effect. Only `inside` must call it; effects of other hooks are detected. */
  fire(): void;
}

/** A request as received. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request with a function that forwards it to the sandbox. */
export interface Exchange {
  readonly request: HttpRequest;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Forwards the request to the sandbox, with the given parts replaced. */
  forward(instead?: Partial<HttpRequest>): Promise<HttpResponse>;
}

/** A delivery as the sandbox sent it. */
export interface SentDelivery {
  /** The endpoint's URL. */
  readonly url: string;
  /** Default: `POST`. */
  readonly method?: string;
  /** The value of the header `webhook-event-type`. */
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends deliveries to the receivers. */
export interface DeliveryStream {
  /** Sends a delivery; resolves when the receiver has responded. */
  send(delivery: SentDelivery): Promise<void>;
  /** Defers a delivery until the sandbox settles or the endpoint is removed. */
  defer(delivery: SentDelivery): void;
  /** Removes and returns the deferred deliveries, to send them earlier. */
  takeDeferred(): readonly SentDelivery[];
}

/**
 * Hands a delivery to a mutation. It counts as an effect unless the mutation sends it once,
 * unchanged. The mutation may keep `send`, and send more later.
 *
 * @param to.post Sends a delivery.
 * @param to.deferred The deliveries that wait until the sandbox settles.
 */
export async function handDelivery(
  hook: DeliveryHook,
  delivery: SentDelivery,
  to: {
    readonly post: (delivery: SentDelivery) => Promise<void>;
    readonly deferred: SentDelivery[];
  },
  run: MutationRun,
): Promise<void> {
  const sent: SentDelivery[] = [];
  let isOver = false;
  const send = async (one: SentDelivery) => {
    sent.push(one);
    if (isOver) run.fire();
    await to.post(one);
  };
  const defer = (one: SentDelivery) => {
    to.deferred.push(one);
  };
  await hook(delivery, { send, defer, takeDeferred: () => to.deferred.splice(0) }, run);
  isOver = true;
  if (sent.length !== 1 || !isEqual(sent[0], delivery)) run.fire();
}

/** Parses JSON; returns undefined if the text is not JSON. */
// biome-ignore lint/suspicious/noExplicitAny: mutations change bodies freely
export function parseJson(body: string): any {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Whether two messages are identical byte for byte. */
export function isEqual<T extends HttpRequest | HttpResponse | SentDelivery>(
  one: T | undefined,
  other: T,
): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
