import type { Caller } from "./caller.ts";
import { FeedAuthenticationError, FeedContractError, FeedHttpError } from "./errors.ts";
import { headersOf } from "./headers.ts";
import { type Answer, CallProgress, type OutgoingCall } from "./outgoing-call.ts";
import { readBody, refusalOf } from "./refusal.ts";
import type { StoredToken } from "./token-store.ts";
import type { Wiring } from "./wiring.ts";

const PATH = "/auth/realms/{account_id}/protocol/openid-connect/token";
const OPERATION = `POST ${PATH}`;

/**
 * Makes what exchanges client credentials for an access token (AUTH-01).
 *
 * @returns a function that resolves to a token. It rejects with a FeedAuthenticationError where the
 * credentials are wrong, with a FeedContractError where the answer has no token, and as any call.
 */
export function tokenExchange(caller: Caller, wiring: Wiring): () => Promise<StoredToken> {
  const { accountId, clientId, clientSecret } = wiring.settings;
  const outgoing: OutgoingCall = {
    operation: OPERATION,
    method: "POST",
    url: wiring.base.href + PATH.replace("{account_id}", encodeURIComponent(accountId)),
    headers: headersOf(undefined, "application/x-www-form-urlencoded"),
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      grant_type: "client_credentials",
    }).toString(),
    options: {},
  };
  return async () => {
    const answer = await caller.call(outgoing);
    const token = readToken(answer, outgoing, wiring);
    wiring.secrets.addToken(token.accessToken);
    wiring.log?.({
      level: "info",
      event: "token",
      operation: OPERATION,
      lifetimeSeconds: token.lifetimeSeconds,
    });
    return token;
  };
}

/** AUTH-02: a bearer token that goes into a header, and how many seconds it is good for. */
function readToken(answer: Answer, outgoing: OutgoingCall, wiring: Wiring): StoredToken {
  const { base, secrets, clock, server } = { ...wiring, clock: wiring.settings.clock };
  const { method, path: place } = new CallProgress(outgoing, base, secrets);
  const facts = { method, path: place, attempts: answer.attempts };
  if (answer.status !== 200) {
    const refusal = refusalOf(answer, server);
    if (answer.status !== 401) throw new FeedHttpError(refusal, facts);
    throw new FeedAuthenticationError("token-exchange", refusal, facts);
  }
  const body = (readBody(answer.text) ?? {}) as Record<string, unknown>;
  const { access_token: accessToken, expires_in: lifetimeSeconds, token_type: type } = body;
  const wrong = (expected: string) =>
    new FeedContractError(`the answer has no ${expected} (AUTH-02)`, [], facts, answer.status);
  if (typeof accessToken !== "string" || !/^[\x21-\x7e]+$/.test(accessToken)) {
    throw wrong("access_token");
  }
  if (typeof type !== "string" || type.toLowerCase() !== "bearer") {
    throw wrong('token_type "Bearer"');
  }
  if (typeof lifetimeSeconds !== "number" || !(lifetimeSeconds > 0)) {
    throw wrong("expires_in in seconds");
  }
  const age = clock.now() - answer.sentAt;
  const expiresAt = server.now() - age + lifetimeSeconds * 1000;
  return { accessToken, expiresAt, lifetimeSeconds };
}
