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
import { hold, rejection } from "./facts.ts";

/** The server has a transaction of each of these names, and is peculiar about some. */
const CALM = "pending";

/** In a browser a redirect that is not followed shows nothing of itself, not even its status. */
const REDIRECT = "document" in globalThis ? 0 : 302;

/** Uses the client against the server that `feed.ts` is. */
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
  hold("a transaction is got", transaction.status === "PENDING");
  const card = transaction._links.card && (await feed.follow(transaction._links.card));
  hold("a link is followed", card !== undefined && card.id === transaction.cardId);
  const ids: string[] = [];
  for await (const { id } of feed.transactions.list({ limit: 1 })) ids.push(id);
  hold("a list is walked to its end", new Set(ids).size === 3);
  const { data, response } = await feed.GET("/cards/{id}", { params: { path: { id: "a-card" } } });
  hold("openapi-fetch is called", response.status === 200 && data?.id === card?.id);
  const fetched = await feed.fetch("/cards/a-card");
  hold("an address is fetched", fetched.ok && (await fetched.json()).id === card?.id);
  hold("a body in gzip is read", (await feed.transactions.get("zipped")).id === transaction.id);

  await feed.transactions.get("busy");
  hold("a 503 is tried again", count("retry").length === 1);
  hold("one token does", count("token").length === 1);
  await feed.transactions.get("revoked");
  hold("a revoked token is exchanged for another", count("token").length === 2);

  const missing = await failure("missing");
  hold("a 404 is an error", missing instanceof FeedHttpError && missing.status === 404);
  hold("it is a TxfeedError and a FeedError", missing instanceof TxfeedError && isFeed(missing));
  hold("it has its name", missing instanceof Error && missing.name === "FeedError [http]");
  const moved = await failure("moved");
  hold("a redirect is no answer", moved instanceof FeedHttpError && moved.status === REDIRECT);
  const broken = await failure("broken");
  hold("a broken answer is told", broken instanceof FeedContractError && broken.issues.length > 0);
  hold("an answer is too long", (await failure("too-long")) instanceof FeedContractError);
  const astray = await rejection(feed.follow("https://elsewhere.example/cards/1"));
  hold("a link elsewhere is refused", astray instanceof FeedLinkError && astray.attempts === 0);

  const controller = new AbortController();
  const slow = rejection(feed.transactions.get("slow", { signal: controller.signal }));
  setTimeout(() => controller.abort(), 50);
  hold("a call is aborted", (await slow) instanceof FeedAbortedError);
}

function isFeed(error: unknown): boolean {
  return error instanceof FeedError;
}
