import { TxfeedError } from "txfeed";
import {
  createFeedClient,
  FeedAbortedError,
  FeedContractError,
  FeedError,
  FeedHttpError,
  FeedLinkError,
  type LogEntry,
  type Transport,
} from "txfeed/client";
import { check, rejection } from "./facts.ts";

/** A transaction without an injected fault. */
const CALM = "pending";

/** In a browser, a redirect that is not followed has status 0. */
const REDIRECT = "document" in globalThis ? 0 : 302;

/** Uses the client with the server of `feed-server.ts`. */
export async function useClient(origin: string, transport?: Transport): Promise<void> {
  const entries: LogEntry[] = [];
  const feed = createFeedClient({
    baseUrl: origin,
    accountId: "an-account",
    clientId: "a-client",
    clientSecret: "a-secret",
    validate: "throw",
    maxResponseBytes: 100_000,
    log: (entry) => entries.push(entry),
    random: () => 0,
    ...(transport && { transport }),
  });
  const count = (event: LogEntry["event"]) => entries.filter((entry) => entry.event === event);
  const failure = (id: string) => rejection(feed.transactions.get(id));

  const transaction = await feed.transactions.get(CALM);
  check("a transaction is fetched", transaction.status === "PENDING");
  const card = transaction._links.card && (await feed.follow(transaction._links.card));
  check("a link is followed", card !== undefined && card.id === transaction.cardId);
  const ids: string[] = [];
  for await (const { id } of feed.transactions.list({ limit: 1 })) ids.push(id);
  check("a list is read to its end", new Set(ids).size === 3);
  const { data, response } = await feed.GET("/cards/{id}", { params: { path: { id: "a-card" } } });
  check("openapi-fetch is called", response.status === 200 && data?.id === card?.id);
  const fetched = await feed.fetch("/cards/a-card");
  check("feed.fetch fetches a path", fetched.ok && (await fetched.json()).id === card?.id);
  check("a body in gzip is read", (await feed.transactions.get("zipped")).id === transaction.id);

  await feed.transactions.get("busy");
  check("a 503 is retried", count("retry").length === 1);
  check("one token suffices", count("token").length === 1);
  await feed.transactions.get("revoked");
  check("a revoked token is exchanged for another", count("token").length === 2);

  const missing = await failure("missing");
  check("a 404 is an error", missing instanceof FeedHttpError && missing.status === 404);
  check("it is a TxfeedError and a FeedError", missing instanceof TxfeedError && isFeed(missing));
  check("it has its name", missing instanceof Error && missing.name === "FeedError [http]");
  const moved = await failure("moved");
  check("a redirect is an error", moved instanceof FeedHttpError && moved.status === REDIRECT);
  const broken = await failure("broken");
  check(
    "an invalid response is an error",
    broken instanceof FeedContractError && broken.issues.length > 0,
  );
  check(
    "a response that is too long is an error",
    (await failure("too-long")) instanceof FeedContractError,
  );
  const astray = await rejection(feed.follow("https://elsewhere.example/cards/1"));
  check(
    "a link to another origin is rejected",
    astray instanceof FeedLinkError && astray.attempts === 0,
  );

  const controller = new AbortController();
  const slow = rejection(feed.transactions.get("slow", { signal: controller.signal }));
  setTimeout(() => controller.abort(), 50);
  check("a call is aborted", (await slow) instanceof FeedAbortedError);
}

function isFeed(error: unknown): boolean {
  return error instanceof FeedError;
}
