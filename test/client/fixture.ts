import {
  createFeedClient,
  type FeedClient,
  type FeedClientOptions,
} from "../../src/client/index.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { credentials } from "./credentials.ts";
import { FeedServer } from "./feed-server.ts";

/** A client with its server and its clock. */
export interface ClientFixture {
  readonly clock: FakeClock;
  readonly server: FeedServer;
  readonly feed: FeedClient;
  /** Creates another client of the same server. */
  readonly another: (options?: Partial<FeedClientOptions>) => FeedClient;
}

/** The client options, and settings of the server. */
export interface FixtureOptions extends Partial<FeedClientOptions> {
  /** The server clock's lead over the client's, in milliseconds. */
  readonly serverAheadMs?: number;
  readonly lifetimeSeconds?: number;
}

/** Creates a client and a server, which is closed after the test. */
export async function startFixture({
  serverAheadMs = 0,
  lifetimeSeconds = 300,
  ...options
}: FixtureOptions = {}): Promise<ClientFixture> {
  const clock = new FakeClock();
  // Setting the client's wall clock does not change the server's clock.
  const start = clock.now();
  const now = () => start + clock.elapsed + serverAheadMs;
  const server = await new FeedServer({ now, lifetimeSeconds }).listen();
  const another = (own: Partial<FeedClientOptions> = {}) =>
    createFeedClient({ ...credentials(server.url), clock, random: () => 0, ...options, ...own });
  return { clock, server, another, feed: another() };
}

/** Calls `make` `count` times, synchronously. */
export function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
