import type { RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { getRequestListener } from "@hono/node-server";
import { type LocalServer, startServer } from "../support/local-server.ts";

/** Recognizable credentials; tests search outputs for them. */
export const CREDENTIALS = {
  accountId: "canary-account-4711",
  sdkClientId: "canary-client/4712",
  sdkClientSecret: "canary secret+4713",
};

/** The credentials in plain, URL-encoded and form-encoded form. */
export const CANARIES = Object.values(CREDENTIALS).flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  new URLSearchParams({ secret }).toString().slice("secret=".length),
]);

/** Adapts a fetch handler to a node:http listener. */
export function mount(handler: (request: Request) => Promise<Response>): RequestListener {
  return getRequestListener(handler, { overrideGlobalObjects: false });
}

/** The token endpoint's behavior for valid credentials. */
export type Behavior = "responds" | "hangs" | "fails" | "sends text" | "resets";

/** A token endpoint that accepts SDK credentials. */
export interface TokenEndpoint extends LocalServer {
  behavior: Behavior;
  /** The number of requests received. */
  readonly requests: number;
  /** The issued tokens, oldest first. */
  readonly tokens: readonly string[];
}

/** @param now Returns the time for the `Date` header. */
export async function tokenEndpoint(now: () => number): Promise<TokenEndpoint> {
  const tokens: string[] = [];
  let requests = 0;
  const running = await startServer(async (request, response) => {
    requests += 1;
    const form = new URLSearchParams(await text(request));
    response.setHeader("date", new Date(now()).toUTCString());
    response.setHeader("content-type", "application/json");
    if (!isRight(request.method, request.url, form)) {
      response.statusCode = 401;
      // Some servers echo the request.
      response.end(JSON.stringify({ error: "invalid_client", form: String(form) }));
    } else if (endpoint.behavior === "fails") {
      response.statusCode = 503;
      response.end(String(form));
    } else if (endpoint.behavior === "sends text") {
      response.end(String(form));
    } else if (endpoint.behavior === "resets") {
      request.socket.resetAndDestroy();
    } else if (endpoint.behavior === "responds") {
      const token = `eyJhbGciOiJSUzI1NiJ9.eyJuIjo${tokens.length}fQ.c2lnbmF0dXJl`;
      tokens.push(token);
      const body = { access_token: token, expires_in: 300, token_type: "Bearer" };
      response.end(JSON.stringify(body));
    }
  });
  const endpoint: TokenEndpoint = {
    ...running,
    behavior: "responds",
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
