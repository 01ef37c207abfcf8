import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { expect } from "vitest";
import type { Control, DeliveryFault, Endpoint } from "../../../src/sandbox/control/control.ts";
import { serve } from "../../support/local-server.ts";
import { uuid } from "../../support/payloads.ts";
import { startSandbox, type TestSandbox, type TestSandboxOptions } from "../test-sandbox.ts";

/** A received request. */
export interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body's `id`, which identifies the test's events. */
  readonly id: string;
}

/** The response to a request: a status, or a function. */
export type Reply = (
  arrival: Arrival,
  response: ServerResponse,
) => number | undefined | Promise<number | undefined>;

/** A receiver on loopback. */
export interface TestReceiver {
  readonly url: string;
  readonly port: number;
  /** All requests, in order. */
  readonly arrivals: Arrival[];
  /** The ids of all requests, in order. */
  readonly ids: () => string[];
  /** Changes the response to all later requests. */
  setReply(reply: Reply): void;
  /** The number of connections opened. */
  readonly connections: () => number;
  /** The number of open connections. */
  open(): Promise<number>;
}

/** Starts a receiver that closes with the test. Default status: 204. */
export async function startReceiver(initial: Reply = () => 204): Promise<TestReceiver> {
  let reply = initial;
  let connections = 0;
  const arrivals: Arrival[] = [];
  const server = createServer(async (message, response) => {
    // A sender may abort the request.
    const chunks = await message.toArray().catch(() => undefined);
    if (!chunks) return;
    const body = Buffer.concat(chunks).toString("utf8");
    const { method = "", url = "", headers } = message;
    const { id } = JSON.parse(body) as { id: string };
    const arrival = { method, path: url, headers, body, id };
    arrivals.push(arrival);
    const status = await reply(arrival, response);
    if (status !== undefined) response.writeHead(status).end();
  });
  server.on("connection", () => {
    connections += 1;
  });
  const origin = await serve(server);
  return {
    url: `${origin}/hook`,
    port: Number(new URL(origin).port),
    arrivals,
    ids: () => arrivals.map(({ id }) => id),
    setReply: (other) => {
      reply = other;
    },
    connections: () => connections,
    open: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
  };
}

/** A promise that a test resolves. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** A service that delivers to a receiver. */
export interface Delivering {
  readonly sandbox: TestSandbox;
  readonly control: Control;
  readonly receiver: TestReceiver;
  readonly endpoint: Endpoint;
}

interface DeliveringOptions extends TestSandboxOptions {
  readonly reply?: Reply | undefined;
  readonly ordered?: boolean | undefined;
  readonly faults?: readonly DeliveryFault[] | undefined;
}

/** Starts a service with an endpoint. Both close with the test. */
export async function startDelivering(options: DeliveringOptions = {}): Promise<Delivering> {
  const { reply, ordered, faults, ...others } = options;
  const sandbox = startSandbox(others);
  const { control } = sandbox;
  const receiver = await startReceiver(reply);
  const endpoint = await control.addEndpoint({ url: receiver.url, ordered });
  if (faults) await control.setFaults({ deliveries: faults });
  return { sandbox, control, receiver, endpoint };
}

/** A step of a delivery test, or an expectation. */
export type DeliveryStep = (on: Delivering) => unknown;

/** The resource of {@link announce}. */
const ONE = "one";

/** Announces an event with the n-th id. */
export function announce(n: number, resource = ONE): DeliveryStep {
  return ({ sandbox }) => sandbox.announce(n, { resource });
}

/** Announces several events of one resource in one change. */
export function announceAll(...numbers: readonly number[]): DeliveryStep {
  return ({ sandbox }) =>
    sandbox.engine.commit((work) => {
      for (const n of numbers) sandbox.announceIn(work, n, { resource: ONE });
    });
}

/** Advances the clock. */
export function advance(by: string): DeliveryStep {
  return ({ control }) => control.advance(by);
}

/** Waits for everything that is due. */
export const settle: DeliveryStep = ({ control }) => control.settle();

/** Changes the response to later requests. */
export function reply(next: (arrival: Arrival, count: number) => number): DeliveryStep {
  return ({ receiver }) => receiver.setReply((arrival) => next(arrival, receiver.arrivals.length));
}

/** Resends the n-th delivery, or all. */
export function replay(n: number | "all"): DeliveryStep {
  return async ({ sandbox, control }) => {
    await control.replay(n === "all" ? n : ((await sandbox.log())[n - 1]?.id ?? ""));
  };
}

/** Expects all arrivals so far, in order. */
export function arrived(...numbers: readonly number[]): DeliveryStep {
  return ({ receiver }) => expect(receiver.ids()).toEqual(numbers.map(uuid));
}

/** Expects the states of all deliveries, oldest first. */
export function states(...expected: readonly string[]): DeliveryStep {
  return async ({ sandbox }) => expect(await sandbox.states()).toEqual(expected);
}
