import type { SandboxAccount } from "../src/sandbox/index.ts";
import type { Exchange, HttpHook, HttpResponse, MutationRun } from "./mutation.ts";
import { parseJson } from "./mutation.ts";
import { type Http, on, onApi, problem } from "./requests.ts";
import { Bodies, type Json, patternOf, withJson } from "./rewrite.ts";

// Operations of mutations on tokens.

/** The token endpoint. */
export const TOKEN = "/auth/realms/{}/protocol/openid-connect/token";

export const isToken = ({ path }: Exchange) => patternOf(TOKEN).test(path);

export const onToken = (hook: HttpHook) => on(`POST ${TOKEN}`, hook);

/** The responses that have a token. */
export const tokens = new Bodies("responses with a token", (change) =>
  onToken(async ({ forward }, run) => {
    const response = await forward();
    return response.status === 200 ? withJson(response, (json) => change(json, run)) : response;
  }),
);

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

/**
 * Accepts requests that the sandbox rejects, for the account in their token or the first one.
 *
 * @param statuses The rejections.
 */
export function accept(
  isAccepted: (exchange: Exchange, run: MutationRun) => unknown,
  statuses: readonly number[] = [401],
) {
  return onApi(async (exchange, run) => {
    const response = await exchange.forward();
    if (!statuses.includes(response.status) || !isAccepted(exchange, run)) return response;
    const { accounts } = run.sandbox;
    const { account } = claimsOf(exchange)?.claims ?? {};
    const own = accounts.find(({ accountId }) => accountId === account);
    return await forwardAs(exchange, own ?? accounts[0]);
  });
}

/** A token that was issued, and when, in seconds. */
interface Issued {
  readonly token: string;
  readonly at: number;
}

/** Rejects tokens by what was issued to their client. */
export function sessions(
  isEnded: (token: string, issued: readonly Issued[], now: number) => unknown,
): Http {
  return {
    http: async (exchange, run) => {
      const now = await nowOf(run);
      const response = await exchange.forward();
      if (isToken(exchange)) {
        const client = new URLSearchParams(exchange.request.body).get("client_id");
        const token = `Bearer ${parseJson(response.body)?.access_token}`;
        const issued = run.memory.get(client) ?? [];
        if (response.status === 200) run.memory.set(client, [...issued, { token, at: now }]);
        return response;
      }
      const issued = run.memory.get(claimsOf(exchange)?.claims.sub) ?? [];
      return isEnded(authorizationOf(exchange) ?? "", issued, now) ? problem(401) : response;
    },
  };
}

/** The time of the sandbox, in seconds. */
export const nowOf = async ({ sandbox }: MutationRun) =>
  Date.parse((await sandbox.readClock()).now) / 1000;

/** Issues changed tokens, and accepts each in place of its original. */
export function reissued(change: (token: string) => string): Http {
  return {
    http: async (exchange, { memory }) => {
      if (isToken(exchange)) {
        const response = await exchange.forward();
        if (response.status !== 200) return response;
        return await withJson(response, (json) => {
          const changed = change(json.access_token);
          memory.set(`Bearer ${changed}`, `Bearer ${json.access_token}`);
          return { ...json, access_token: changed };
        });
      }
      const original = memory.get(authorizationOf(exchange));
      if (original === undefined) return await exchange.forward();
      const { Authorization, authorization, ...headers } = exchange.request.headers;
      return await exchange.forward({ headers: { ...headers, authorization: original } });
    },
  };
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
