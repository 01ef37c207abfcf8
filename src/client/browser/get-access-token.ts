import { describeUnknownOption } from "../../options.ts";
import { AccessTokenError } from "./error.ts";
import { REFUSED_TOKEN, TOKEN_ID } from "./token-headers.ts";

/** SDK-03: after so many milliseconds the enrollment SDK gives up. */
const SDK_TIMEOUT_MS = 5000;

/** What a header can carry; a login page or JSON is no token. */
const TOKEN = /^(?![<{["])[\x21-\x7e]+$/;

/** What waits; passed in where a test has its own. */
export interface Clock {
  /** Runs something once after so many milliseconds, and gives what calls it off. */
  after(ms: number, run: () => void): () => void;
}

/** The names of {@link GetAccessTokenOptions}. */
const OPTIONS = ["url", "headers", "timeoutMs", "fetch", "clock"] as const;

/** What `getAccessToken` needs to know. */
export interface GetAccessTokenOptions {
  /** The address of the token route on your own server, such as `/sdk-token`. */
  readonly url: string | URL;
  /** Headers of the request, such as one against forged requests. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the route may take: 4,500 unless set, and below 5,000 (SDK-03). */
  readonly timeoutMs?: number;
  /** Sends the request, in place of the global `fetch`. */
  readonly fetch?: (url: string | URL, init: RequestInit) => Promise<Response>;
  /** Waits, in place of the machine's timers. */
  readonly clock?: Clock;
}

/** A token, and its `x-token-id`; null if the route sends none. */
interface IssuedToken {
  readonly token: string;
  readonly id: string | null;
}

/**
 * Creates the `getAccessToken` of `openForm` (SDK-02): it posts to the token route of your own
 * server (`createSdkTokenHandler` of `txfeed/client/sdk`), and the browser gets the token alone
 * (AUTH-14). Calls at the same time share one request, which carries the page's cookies to its own
 * origin. The route caches the token; the page does not.
 *
 * The SDK calls it at first launch, and again when the service refuses the token. So each call
 * after the first reports the last token as refused, in the header `x-refused-token`, and the route
 * renews that token if it still has it. Create one for each `openForm`. If the route has another
 * origin, its CORS headers must expose `x-token-id` and allow `x-refused-token`.
 *
 * @returns a function that resolves to the token, or rejects with an AccessTokenError, within
 * 5 seconds in either case (SDK-03); the call after a failure asks anew. Throws an AccessTokenError
 * `usage` at a bad option.
 */
export function createGetAccessToken(options: GetAccessTokenOptions): () => Promise<string> {
  const given: Partial<GetAccessTokenOptions> = options ?? {};
  const unknown = describeUnknownOption(given, OPTIONS);
  if (unknown !== undefined) {
    throw new AccessTokenError("usage", `createGetAccessToken: ${unknown}`);
  }
  const { url, timeoutMs = 4500, clock = systemClock } = given;
  if (!url) throw new AccessTokenError("usage", "url is missing: give your token route's");
  if (!(timeoutMs > 0 && timeoutMs < SDK_TIMEOUT_MS)) {
    throw new AccessTokenError("usage", "timeoutMs takes milliseconds above 0 and below 5000");
  }
  let lastId: string | null = null;
  let pending: Promise<IssuedToken> | undefined;
  return async () => {
    pending ??= inTime(timeoutMs, clock, (signal) => ask(options, lastId, signal)).finally(() => {
      pending = undefined;
    });
    const { token, id } = await pending;
    lastId = id;
    return token;
  };
}

const systemClock: Clock = {
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Gives a task so much time, whether or not it heeds the signal. */
function inTime<T>(
  timeoutMs: number,
  clock: Clock,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const stop = clock.after(timeoutMs, () => {
      reject(new AccessTokenError("timeout", `the token route took longer than ${timeoutMs} ms`));
      controller.abort();
    });
    task(controller.signal).then(resolve, reject).finally(stop);
  });
}

async function ask(
  { url, headers, fetch = (to, init) => globalThis.fetch(to, init) }: GetAccessTokenOptions,
  refusedId: string | null,
  signal: AbortSignal,
): Promise<IssuedToken> {
  const { response, text } = await read(() =>
    fetch(url, {
      method: "POST",
      credentials: "same-origin",
      cache: "no-store",
      // A route that needs a login may lead to its page, which is no token.
      redirect: "error",
      headers: { ...headers, ...(refusedId !== null && { [REFUSED_TOKEN]: refusedId }) },
      signal,
    }),
  );
  const { status } = response;
  if (status !== 200) {
    throw new AccessTokenError("http", `the token route answered ${status}`, status);
  }
  if (!TOKEN.test(text)) {
    const message = "the token route answered 200 without a token alone as its body";
    throw new AccessTokenError("contract", message, status);
  }
  return { token: text, id: response.headers.get(TOKEN_ID) };
}

/** No cause goes along: what a fetch that is passed in throws may hold anything. */
async function read(fetched: () => Promise<Response>) {
  try {
    const response = await fetched();
    return { response, text: await response.text() };
  } catch {
    throw new AccessTokenError(
      "network",
      "the token route can't be reached, or its answer broke off",
    );
  }
}
