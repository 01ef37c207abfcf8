import { onTestFinished } from "vitest";
import {
  createFeedClient,
  type FeedClient,
  type FeedClientOptions,
} from "../../src/client/index.ts";
import { credentials } from "./credentials.ts";
import { FakeClock } from "./fake-clock.ts";
import { FeedServer } from "./feed-server.ts";

/** A client, the server that it talks to, and the clock that it goes by. */
export interface Stage {
  readonly clock: FakeClock;
  readonly server: FeedServer;
  readonly feed: FeedClient;
  /** Makes another client of the same server. */
  readonly another: (options?: Partial<FeedClientOptions>) => FeedClient;
}

/** What a stage may have of its own. */
export interface StageOptions extends Partial<FeedClientOptions> {
  /** How far the server's clock is ahead of the client's, in milliseconds. */
  readonly serverAheadMs?: number;
  readonly lifetimeSeconds?: number;
}

/** Sets up a client and a server of its own, which is closed when the test is over. */
export async function stage({
  serverAheadMs = 0,
  lifetimeSeconds = 300,
  ...options
}: StageOptions = {}): Promise<Stage> {
  const clock = new FakeClock();
  // The server's clock runs on where the client's is set.
  const start = clock.now();
  const now = () => start + clock.elapsed + serverAheadMs;
  const server = await new FeedServer({ now, lifetimeSeconds }).listen();
  onTestFinished(() => server.close());
  const another = (own: Partial<FeedClientOptions> = {}) =>
    createFeedClient({ ...credentials(server.url), clock, random: () => 0, ...options, ...own });
  return { clock, server, another, feed: another() };
}

/** A number of things made at the same moment. */
export function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
