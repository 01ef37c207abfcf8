import { createFeedClient, type FeedClientOptions } from "../../src/client/index.ts";
import type { Transport, TransportRequest, TransportResponse } from "../../src/client/transport.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { credentials } from "./credentials.ts";

/** Responds to one request. */
export type Reply = (request: TransportRequest) => TransportResponse | Promise<TransportResponse>;

/** A response with a status and a JSON body. */
export function response(status: number, body: object = {}): TransportResponse {
  return { status, headers: new Headers(), text: JSON.stringify(body) };
}

/** A response that never arrives. */
export const never = () => new Promise<never>(() => {});

/**
 * An in-memory service used as a transport. It needs only promises and no sockets, so a test can
 * move the clock while nothing else is pending.
 */
export class MemoryService {
  exchanges = 0;
  /** The number of resource requests. */
  requests = 0;
  exchange: Reply = () =>
    response(200, {
      access_token: `token-${this.exchanges}`,
      expires_in: 300,
      token_type: "Bearer",
    });
  resource: Reply = () => response(200, { id: "card-1" });

  readonly transport: Transport = async (request) => {
    const isExchange = request.method === "POST";
    if (isExchange) this.exchanges += 1;
    else this.requests += 1;
    return (isExchange ? this.exchange : this.resource)(request);
  };
}

/** Creates a client and an in-memory service. */
export function memoryFixture(options: Partial<FeedClientOptions> = {}) {
  const clock = new FakeClock();
  const service = new MemoryService();
  const { transport } = service;
  const own = { clock, random: () => 0, transport, ...options };
  return {
    clock,
    service,
    feed: createFeedClient({ ...credentials("https://feed.example"), ...own }),
  };
}

/** Records the outcome of a promise, so that a test can check whether it is settled. */
export function watched<T>(promise: Promise<T>) {
  const outcome: { value?: T; error?: unknown; isSettled: boolean } = { isSettled: false };
  promise.then(
    (value) => Object.assign(outcome, { value, isSettled: true }),
    (error: unknown) => Object.assign(outcome, { error, isSettled: true }),
  );
  return outcome;
}
