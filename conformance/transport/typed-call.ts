import {
  createFeedClient,
  type FeedClient,
  FeedError,
  FeedLinkError,
  type Middleware,
  type TokenStore,
  type Transport,
} from "../../src/client/index.ts";
import { Skip } from "../skip.ts";
import { ACCEPT, type Exchange, type RecordedRequest } from "./exchange.ts";

/** One call of the client, such as `(feed) => feed.GET("/cards")`. */
export type TypedCall = (feed: FeedClient) => Promise<unknown>;

/** Longer than the recorder's own deadline, which is to be the one that counts. */
const NEVER_MS = 60_000;

const REFUSED = "a link leaves the base address or is not in its plain form: it is not followed";

/**
 * Makes a call of the client, for the one request that it is. The client builds the address, holds
 * a link to the base address (PAGE-14), and adds the token; what it makes of the answer is its
 * opinion and dropped. Each call has a client of its own, so that no earlier answer bears on it.
 *
 * @param send Sends the request and records it.
 * @returns Resolves to the exchange. Rejects with Unseen where the client refuses the link, and as
 * `send` does.
 */
export async function makeTypedCall(
  call: TypedCall,
  baseUrl: string,
  send: (request: RecordedRequest) => Promise<Exchange>,
): Promise<Exchange> {
  let sent: Promise<Exchange> | undefined;
  const transport: Transport = async ({ method, url, body, ...request }) => {
    // AUTH-02 judges the token: it goes out as it is, whatever the client would say of it.
    const headers = { ...request.headers, authorization: "Bearer $TXFEED_TOKEN" };
    sent ??= send({ method, url, headers, ...(body !== undefined && { body }) });
    await sent;
    throw new Error("what the client would make of the answer is of no interest");
  };
  const feed = createFeedClient({
    ...NOBODY,
    baseUrl,
    transport,
    tokenStore: STORE,
    middleware: [acceptAsRaw],
    retries: 0,
    timeoutMs: NEVER_MS,
    attemptTimeoutMs: NEVER_MS,
  });
  try {
    await call(feed);
  } catch (error) {
    if (error instanceof FeedLinkError) throw new Skip(REFUSED);
    if (!(error instanceof FeedError)) throw error;
  }
  if (!sent) throw new Error("the client sent nothing");
  return sent;
}

/** Accepts what a raw request accepts. */
const acceptAsRaw: Middleware = (request, next) =>
  next({ ...request, headers: { ...request.headers, accept: ACCEPT } });

/** The client gets no token by itself: the wire fills in the run's. */
const NOBODY = { accountId: "nobody", clientId: "nobody", clientSecret: "nothing" };

/** Keeps the client from an exchange of its own, by a token in whose place the run's goes out. */
const STORE: TokenStore = {
  read: async () => ({
    accessToken: "the-run-s",
    expiresAt: Number.POSITIVE_INFINITY,
    lifetimeSeconds: Number.POSITIVE_INFINITY,
  }),
  write: async () => {},
};
