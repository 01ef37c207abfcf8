import { AccessTokenError } from "./error.ts";
import { EXPIRES_IN } from "./expires-in.ts";

/** SDK-03: after so many milliseconds the enrollment SDK gives up. */
const SDK_TIMEOUT_MS = 5000;

/** What a header can carry; a login page or JSON is no token. */
const TOKEN = /^(?![<{["])[\x21-\x7e]+$/;

/** What tells the time and waits; passed in where a test has its own. */
export interface Clock {
  /** Milliseconds since some beginning. */
  now(): number;
  /** Runs something once after so many milliseconds, and gives what calls it off. */
  after(ms: number, run: () => void): () => void;
}

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
  /** Tells the time and waits, in place of the machine's clock. */
  readonly clock?: Clock;
}

/** A token, and between which times it is handed out again. */
interface Held {
  readonly token: string;
  readonly from: number;
  readonly until: number;
}

/**
 * Creates the `getAccessToken` of `openForm` (SDK-02): it posts to the token route of your own
 * server (`createSdkTokenHandler` of `txfeed/client/sdk`), and the browser gets the token alone
 * (AUTH-14). The token is kept in memory until min(30 s, 10 %) before it expires by the route's
 * `x-token-expires-in`, and not at all where that is missing. Calls at the same time share one
 * request, which carries the page's cookies to its own origin.
 *
 * @returns a function that resolves to the token, or rejects with an AccessTokenError, within
 * 5 seconds in either case (SDK-03); the call after a failure asks anew. Throws an AccessTokenError
 * `usage` at a bad option.
 */
export function createGetAccessToken(options: GetAccessTokenOptions): () => Promise<string> {
  const given: Partial<GetAccessTokenOptions> = options ?? {};
  const { url, timeoutMs = 4500, clock = systemClock } = given;
  if (!url) throw new AccessTokenError("usage", "url is missing: give your token route's");
  if (!(timeoutMs > 0 && timeoutMs < SDK_TIMEOUT_MS)) {
    throw new AccessTokenError("usage", "timeoutMs takes milliseconds above 0 and below 5000");
  }
  let held: Held | undefined;
  let pending: Promise<Held> | undefined;
  return async () => {
    const now = clock.now();
    // A clock that was set back makes a token look young, so it counts as unknown.
    if (held && held.from <= now && now < held.until) return held.token;
    pending ??= inTime(timeoutMs, clock, (signal) => ask(options, clock, signal))
      .then((fresh) => {
        held = fresh;
        return fresh;
      })
      .finally(() => {
        pending = undefined;
      });
    return (await pending).token;
  };
}

const systemClock: Clock = {
  // It goes on while the machine sleeps, as the token's life does; performance.now() may not.
  now: () => Date.now(),
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
  clock: Clock,
  signal: AbortSignal,
): Promise<Held> {
  const from = clock.now();
  const { response, text } = await read(() =>
    fetch(url, {
      method: "POST",
      credentials: "same-origin",
      cache: "no-store",
      // A route that needs a login may lead to its page, which is no token.
      redirect: "error",
      headers: { ...headers },
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
  return { token: text, from, until: from + keepMs(response.headers.get(EXPIRES_IN)) };
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

/** How long to keep a token that is good for so many seconds. */
function keepMs(expiresIn: string | null): number {
  if (expiresIn === null || !/^\d{1,9}$/.test(expiresIn)) return 0;
  const lifetimeMs = Number(expiresIn) * 1000;
  return lifetimeMs - Math.min(30_000, lifetimeMs / 10);
}
