import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";

/** Planted so that what should not show them can be searched for them. */
export const CREDENTIALS = {
  accountId: "canary-account-4711",
  sdkClientId: "canary-client/4712",
  sdkClientSecret: "canary secret+4713",
};

/** The planted texts, as they are and as addresses and forms have them. */
export const CANARIES = Object.values(CREDENTIALS).flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ secret }).toString().slice("secret=".length),
]);

/** A server that runs until it is closed. */
export interface Running {
  readonly origin: string;
  readonly close: () => Promise<void>;
}

export async function listen(listener: RequestListener): Promise<Running> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Mounts what speaks fetch on node:http. */
export function mount(handler: (request: Request) => Promise<Response>): RequestListener {
  return getRequestListener(handler, { overrideGlobalObjects: false });
}

/** What the token endpoint does with a request whose credentials are right. */
export type Mood = "answers" | "hangs" | "fails" | "talks nonsense" | "resets";

/** The service's token endpoint, as far as the SDK credentials go. */
export interface TokenEndpoint extends Running {
  mood: Mood;
  /** How many requests came. */
  readonly requests: number;
  /** The tokens that it gave, the last one last. */
  readonly tokens: readonly string[];
}

/** @param now Tells the time of its `Date` header. */
export async function tokenEndpoint(now: () => number): Promise<TokenEndpoint> {
  const tokens: string[] = [];
  let requests = 0;
  const running = await listen(async (request, response) => {
    requests += 1;
    const form = new URLSearchParams(await text(request));
    response.setHeader("date", new Date(now()).toUTCString());
    response.setHeader("content-type", "application/json");
    if (!isRight(request.method, request.url, form)) {
      response.statusCode = 401;
      // A server may well repeat what it was sent.
      response.end(JSON.stringify({ error: "invalid_client", form: String(form) }));
    } else if (endpoint.mood === "fails") {
      response.statusCode = 503;
      response.end(String(form));
    } else if (endpoint.mood === "talks nonsense") {
      response.end(String(form));
    } else if (endpoint.mood === "resets") {
      request.socket.resetAndDestroy();
    } else if (endpoint.mood === "answers") {
      const token = `eyJhbGciOiJSUzI1NiJ9.eyJuIjo${tokens.length}fQ.c2lnbmF0dXJl`;
      tokens.push(token);
      const body = { access_token: token, expires_in: 300, token_type: "Bearer" };
      response.end(JSON.stringify(body));
    }
  });
  const endpoint: TokenEndpoint = {
    ...running,
    mood: "answers",
    tokens,
    get requests() {
      return requests;
    },
  };
  return endpoint;
}

function isRight(method = "", url = "", form: URLSearchParams): boolean {
  const { accountId, sdkClientId, sdkClientSecret } = CREDENTIALS;
  return (
    method === "POST" &&
    url === `/auth/realms/${encodeURIComponent(accountId)}/protocol/openid-connect/token` &&
    form.get("grant_type") === "client_credentials" &&
    form.get("client_id") === sdkClientId &&
    form.get("client_secret") === sdkClientSecret
  );
}
