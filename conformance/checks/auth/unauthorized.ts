import { type Breach, Skip } from "../../check.ts";
import {
  callWithUnknownIds,
  type SecuredCall,
  securedOperations,
} from "../../observe/authorization.ts";
import { UNKNOWN_ID } from "../../observe/operations.ts";
import type { Session } from "../../run/session.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import type { TokenRequestOptions } from "../../wire/tokens.ts";

/** Token requests with one wrong field. Each must get a 401 (AUTH-04 to AUTH-06). */
export const wrongCredentials = {
  account: { accountId: UNKNOWN_ID },
  clientId: { form: { client_id: UNKNOWN_ID } },
  clientSecret: { form: { client_secret: UNKNOWN_ID } },
} as const satisfies Record<string, TokenRequestOptions>;

/** The response to a token request with one wrong field. All checks share it. */
export function refusedExchange(
  session: Session,
  wrong: keyof typeof wrongCredentials,
): Promise<Exchange> {
  return session.share(`token request with a wrong ${wrong}`, (shared) =>
    shared.exchangeToken(wrongCredentials[wrong]),
  );
}

/** The responses to requests without a token, for unknown ids. All checks share them. */
export function tokenlessResponses(session: Session): Promise<readonly TokenlessResponse[]> {
  return session.share("requests without a token", (shared) =>
    Promise.all(
      securedOperations.map(callWithUnknownIds).map(async (call) => {
        return { call, exchange: await shared.send(call) };
      }),
    ),
  );
}

interface TokenlessResponse {
  readonly call: SecuredCall;
  readonly exchange: Exchange;
}

/**
 * Checks that the response is 401, as for every failed authentication (ERR-01).
 *
 * @throws {Skip} if the response is 429: the interface does not specify rate limits
 */
export function unauthorized(exchange: Exchange): Breach[] {
  const { status } = exchange.response ?? {};
  if (status === 401) return [];
  if (status === 429) throw new Skip("the target limits the rate: it returned 429");
  return [{ expected: "401", actual: outcomeOf(exchange), evidence: [exchange] }];
}
