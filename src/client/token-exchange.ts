import { segmentOf } from "./base-address.ts";
import { Call } from "./call.ts";
import { createCaller } from "./caller.ts";
import type { ClientContext } from "./context.ts";
import { FeedContractError, httpErrorOf, parseJson } from "./errors.ts";
import { headersOf } from "./headers.ts";
import type { StoredToken } from "./token-store.ts";
import type { TransportResponse } from "./transport.ts";

const PATH = "/auth/realms/{account_id}/protocol/openid-connect/token";
const OPERATION = `POST ${PATH}`;

/**
 * Creates the function that exchanges the client credentials for an access token (AUTH-01).
 *
 * @returns a function that resolves to a token. It rejects with a FeedAuthenticationError if the
 * credentials are wrong, a FeedContractError if the response has no token, or any other FeedError.
 */
export function tokenExchange(context: ClientContext): () => Promise<StoredToken> {
  const { settings, base, log } = context;
  const { accountId, clientId, clientSecret } = settings;
  const makeCall = createCaller(context);
  const url = base.href + PATH.replace("{account_id}", segmentOf("account_id", accountId));
  const headers = headersOf(undefined, "application/x-www-form-urlencoded");
  const form = new URLSearchParams({
    client_id: clientId,
    client_secret: clientSecret,
    grant_type: "client_credentials",
  });
  return async () => {
    const call = new Call(context, OPERATION, url, headers, {}, form.toString());
    const token = readToken(context, call, await makeCall(call));
    const { lifetimeSeconds } = token;
    log?.({ level: "info", event: "token", operation: OPERATION, lifetimeSeconds });
    return token;
  };
}

/** Reads a bearer token and its lifetime in seconds (AUTH-02). */
function readToken(
  { server, settings }: ClientContext,
  call: Call,
  response: TransportResponse,
): StoredToken {
  if (response.status !== 200) throw httpErrorOf("token-exchange", response, server, call);
  const body = Object(parseJson(response.text)) as Readonly<Record<string, unknown>>;
  const { access_token: accessToken, expires_in: lifetimeSeconds, token_type: type } = body;
  const isBearer = typeof type === "string" && /^bearer$/i.test(type);
  if (
    !isSendable(accessToken) ||
    !isBearer ||
    typeof lifetimeSeconds !== "number" ||
    !(lifetimeSeconds > 0)
  ) {
    throw new FeedContractError("the response is not a bearer token (AUTH-02)", {
      call,
      status: response.status,
    });
  }
  const ageMs = settings.clock.now() - call.sentAt;
  const expiresAt = server.now() - ageMs + lifetimeSeconds * 1000;
  return { accessToken, expiresAt, lifetimeSeconds };
}

/** Whether a value is a token that can be sent in a header. */
export function isSendable(token: unknown): token is string {
  return typeof token === "string" && /^[\x21-\x7e]+$/.test(token);
}
