import { type OperationKey, operations } from "../../generated/operations.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Breach, Check } from "../check.ts";
import { type Exchange, outcomeOf } from "../exchange.ts";
import type { Credentials, Session } from "../session.ts";
import { shape } from "../shape.ts";
import { pathOfNothing } from "../subject.ts";

/** A wrong value of every kind of credential, in the shape of a real one. */
const WRONG = "00000000-0000-4000-8000-00000000dead";

const securedOperations = (Object.keys(operations) as OperationKey[]).filter(
  (key) => operations[key].secured,
);

export const authentication: readonly Check[] = [
  {
    requirement: "AUTH-01",
    title: "the token endpoint answers client credentials by 200 and JSON",
    needs: [],
    run: async (session) => {
      const exchange = await session.tokenExchange();
      const { status, json } = exchange.response ?? {};
      if (status === 200 && json !== undefined) return [];
      return [{ expected: "200 with JSON", actual: outcomeOf(exchange), exchange }];
    },
  },
  shape("AUTH-02", "the token is a signed JWT, lives 300 s and is of type Bearer"),
  {
    requirement: "AUTH-03",
    title: "the token answer has no refresh_token",
    needs: [],
    run: async (session) => {
      const exchange = await session.tokenExchange();
      if (memberOf(exchange.response?.json, "refresh_token") === undefined) return [];
      const expected = "no refresh_token";
      return [{ path: "/refresh_token", expected, actual: "one is there", exchange }];
    },
  },
  refusesToken("AUTH-04", "a wrong account id is answered 401", { accountId: WRONG }),
  refusesToken("AUTH-05", "a wrong client_id is answered 401", { clientId: WRONG }),
  refusesToken("AUTH-06", "a wrong client_secret is answered 401", { clientSecret: WRONG }),
  ...securedOperations.map((operation): Check => {
    return {
      requirement: "AUTH-07",
      title: `${operation} needs a token`,
      needs: [],
      run: async (session) => unauthorized(await sendUnauthorized(session, operation)),
    };
  }),
];

export const errors: readonly Check[] = [
  {
    requirement: "ERR-01",
    title: "an API request without a token is answered 401",
    needs: [],
    run: async (session) => unauthorized(await sendUnauthorized(session, "GET /transactions")),
  },
  refusesToken("ERR-01", "a token request that fails is answered 401", { clientSecret: WRONG }),
];

function refusesToken(
  requirement: RequirementId,
  title: string,
  changed: Partial<Credentials>,
): Check {
  return {
    requirement,
    title,
    needs: ["state"],
    run: async (session) => unauthorized(await session.exchangeToken(changed)),
  };
}

/** A request that gets through all the same touches nothing. */
function sendUnauthorized(session: Session, operation: OperationKey): Promise<Exchange> {
  const { method, path } = operations[operation];
  return session.send({ method, path: pathOfNothing(path) });
}

function unauthorized(exchange: Exchange): Breach[] {
  if (exchange.response?.status === 401) return [];
  return [{ expected: "401", actual: outcomeOf(exchange), exchange }];
}
