import { describeUnknownOption } from "../../options.ts";
import { AccessTokenError } from "./error.ts";
import { REFUSED_TOKEN, TOKEN_ID } from "./token-headers.ts";

/** The timeout of the enrollment SDK (SDK-03). */
const SDK_TIMEOUT_MS = 5000;

/** Visible ASCII, as in a header; excludes login pages and JSON. */
const TOKEN = /^(?![<{["])[\x21-\x7e]+$/;

/** A source of timers; tests pass their own. */
export interface Clock {
  /** Runs a function once after a delay in milliseconds; returns a function that cancels it. */
  after(ms: number, run: () => void): () => void;
}

/** The names of {@link GetAccessTokenOptions}. */
const OPTIONS = ["url", "headers", "timeoutMs", "fetch", "clock"] as const;

/** The options of {@link createGetAccessToken}. */
export interface GetAccessTokenOptions {
  /** The address of the token route on your own server, such as `/sdk-token`. */
  readonly url: string | URL;
  /** Additional headers of the request, such as a CSRF token. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time limit of the route, below 5,000 (SDK-03; default: 4,500). */
  readonly timeoutMs?: number;
  /** Sends the request (default: the global `fetch`). */
  readonly fetch?: (url: string | URL, init: RequestInit) => Promise<Response>;
  /** The source of timers (default: the system timers). */
  readonly clock?: Clock;
}

/** A token, and its `x-token-id`; null if the route sends none. */
interface IssuedToken {
  readonly token: string;
  readonly id: string | null;
}

/**
 * Creates the `getAccessToken` of `openForm` (SDK-02). It posts to the token route of your own
 * server (`createSdkTokenHandler` of `txfeed/client/sdk`); the browser receives only the token, no
 * credentials (AUTH-14). Concurrent calls share one request, which sends cookies if the route has
 * the page's origin. The route caches the token; the page does not.
 *
 * The SDK calls the function at first launch, and again when the service refuses the token.
 * Therefore each call after the first reports the last token as refused, in the header
 * `x-refused-token`, and the route renews that token if it is still cached. Create one function for
 * each `openForm`. If the route has another origin, its CORS headers must expose `x-token-id` and
 * allow `x-refused-token`.
 *
 * @returns a function that resolves to the token, or rejects with an AccessTokenError, within
 * 5 seconds (SDK-03). The call after a failure sends a new request.
 * @throws {AccessTokenError} `usage` if an option is invalid
 */
export function createGetAccessToken(options: GetAccessTokenOptions): () => Promise<string> {
  const given: Partial<GetAccessTokenOptions> = options ?? {};
  const unknown = describeUnknownOption(given, OPTIONS);
  if (unknown !== undefined) {
    throw new AccessTokenError("usage", `createGetAccessToken: ${unknown}`);
  }
  const { url, timeoutMs = 4500, clock = systemClock } = given;
  if (!url)
    throw new AccessTokenError("usage", "url is missing: set it to the URL of your token route");
  if (!(timeoutMs > 0 && timeoutMs < SDK_TIMEOUT_MS)) {
    throw new AccessTokenError("usage", "timeoutMs must be above 0 and below 5000");
  }
  let lastId: string | null = null;
  let pending: Promise<IssuedToken> | undefined;
  return async () => {
    pending ??= withTimeout(timeoutMs, clock, (signal) =>
      requestToken(options, lastId, signal),
    ).finally(() => {
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

/** Runs a task with a time limit, even if the task ignores the signal. */
function withTimeout<T>(
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

async function requestToken(
  { url, headers, fetch = (to, init) => globalThis.fetch(to, init) }: GetAccessTokenOptions,
  refusedId: string | null,
  signal: AbortSignal,
): Promise<IssuedToken> {
  const { response, text } = await readResponse(() =>
    fetch(url, {
      method: "POST",
      credentials: "same-origin",
      cache: "no-store",
      // A redirect would lead to a login page instead of a token.
      redirect: "error",
      headers: { ...headers, ...(refusedId !== null && { [REFUSED_TOKEN]: refusedId }) },
      signal,
    }),
  );
  const { status } = response;
  if (status !== 200) {
    throw new AccessTokenError("http", `the token route responded with ${status}`, status);
  }
  if (!TOKEN.test(text)) {
    const message = "the token route responded with 200, but its body is not a token";
    throw new AccessTokenError("contract", message, status);
  }
  return { token: text, id: response.headers.get(TOKEN_ID) };
}

/** Drops the cause, because the error of a custom `fetch` could contain anything. */
async function readResponse(fetched: () => Promise<Response>) {
  try {
    const response = await fetched();
    return { response, text: await response.text() };
  } catch {
    throw new AccessTokenError(
      "network",
      "the token route is unreachable, or its response is incomplete",
    );
  }
}

/** The parameters of the enrollment SDK's `openForm` (SDK-01). */
export interface OpenFormParameters {
  /** The company's name, shown to the cardholder. */
  readonly companyName: string;
  /** The subaccount that the cards are enrolled under. */
  readonly subaccountId: string;
  /**
   * Resolves to an access token of the SDK credentials, within 5 seconds (SDK-03). It is called at
   * first launch and whenever the token expires (SDK-02). Create it with `createGetAccessToken`.
   */
  readonly getAccessToken: () => Promise<string>;
  /** Called when the enrollment is complete; the interface does not specify the argument. */
  onSuccess(data: unknown): void;
  /** Called when the enrollment failed; the interface does not specify the argument. */
  onError(error: unknown): void;
  /** Called when the cardholder cancels. */
  onCancel(): void;
}
