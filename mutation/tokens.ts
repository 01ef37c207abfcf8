import type { SandboxAccount } from "../src/sandbox/index.ts";
import type { Exchange, HttpHook, HttpResponse } from "./mutation.ts";
import { parseJson } from "./mutation.ts";
import { type Json, mutationState, onPath, patternOf, withJson } from "./rewrite.ts";

/** The token endpoint. */
export const TOKEN = "/auth/realms/{}/protocol/openid-connect/token";

export function onToken(hook: HttpHook): HttpHook {
  return onPath(TOKEN, hook, "POST");
}

/** Handles all requests except those for tokens. */
export function onApi(hook: HttpHook): HttpHook {
  return (exchange, run) =>
    exchange.path.startsWith("/auth/") ? exchange.forward() : hook(exchange, run);
}

/** Requests a token of an account with a form. */
export function requestToken(
  { forward, request }: Exchange,
  accountId: string,
  form: URLSearchParams | Record<string, string>,
): Promise<HttpResponse> {
  // The token endpoint would read HTTP Basic as additional credentials.
  const { Authorization, authorization, ...headers } = request.headers;
  return forward({
    method: "POST",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(form).toString(),
    target: TOKEN.replace("{}", accountId),
  });
}

/** Forwards a request with a valid token of an account. */
export async function forwardAs(
  exchange: Exchange,
  account: SandboxAccount,
): Promise<HttpResponse> {
  const { access_token } = parseJson((await grant(exchange, account)).body);
  const { Authorization, authorization, ...headers } = exchange.request.headers;
  return await exchange.forward({
    headers: { ...headers, authorization: `Bearer ${access_token}` },
  });
}

/** Requests a token with an account's API credentials. */
function grant(exchange: Exchange, account: SandboxAccount): Promise<HttpResponse> {
  const { accountId, clientId, clientSecret } = account;
  return requestToken(exchange, accountId, {
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: "client_credentials",
  });
}

/** Accepts requests that the sandbox rejects, with a token of the first account. */
export function openTo(isAccepted: (exchange: Exchange) => boolean): HttpHook {
  return onApi(async (exchange, { sandbox }) => {
    const response = await exchange.forward();
    const isRefused = response.status === 401 || response.status === 403;
    if (!isRefused || !isAccepted(exchange)) return response;
    return await forwardAs(exchange, sandbox.accounts[0]);
  });
}

/** The header of the token. */
export function authorizationOf({ request: { headers } }: Exchange): string | undefined {
  const name = Object.keys(headers).find((one) => one.toLowerCase() === "authorization");
  return name === undefined ? undefined : headers[name];
}

/** The contents of a token. Its signature is not checked. */
interface Claims {
  readonly header: Json;
  readonly claims: Json;
  readonly signature: string;
}

/** Parses the token of a request; returns undefined if it is not a JWT. */
export function claimsOf(exchange: Exchange): Claims | undefined {
  const [, header = "", payload = "", signature = ""] =
    /^Bearer +([^.\s]+)\.([^.\s]+)\.?([^.\s]*)$/i.exec(authorizationOf(exchange) ?? "") ?? [];
  const [head, claims] = [header, payload].map((part) =>
    parseJson(Buffer.from(part, "base64url").toString()),
  );
  return head && claims ? { header: head, claims, signature } : undefined;
}

/** Issues changed tokens, and accepts each in place of its original. */
export function reissueTokens(change: (token: string) => string): HttpHook {
  return async (exchange, run) => {
    const originals = mutationState(run, "originals", () => new Map<string, string>());
    if (patternOf(TOKEN).test(exchange.path)) {
      const response = await exchange.forward();
      if (response.status !== 200) return response;
      return await withJson(response, (json) => {
        const changed = change(json.access_token);
        originals.set(`Bearer ${changed}`, `Bearer ${json.access_token}`);
        return { ...json, access_token: changed };
      });
    }
    const original = originals.get(authorizationOf(exchange) ?? "");
    if (original === undefined) return await exchange.forward();
    const { Authorization, authorization, ...headers } = exchange.request.headers;
    return await exchange.forward({ headers: { ...headers, authorization: original } });
  };
}
