import { type OperationKey, operations } from "../../../generated/operations.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import { memberOf } from "../../../src/contract/pointer.ts";
import { type Breach, type Check, once } from "../../check.ts";
import { NOTHING, pathOfNothing } from "../../feed/operations.ts";
import type { Session } from "../../session.ts";
import { inAnswers } from "../../shape.ts";
import { type Exchange, outcomeOf } from "../../wire/exchange.ts";
import type { WhoAsks } from "../../wire/vault.ts";

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
      if (status === 200 && json !== undefined) return once([]);
      return once([
        { expected: "200 with JSON", actual: outcomeOf(exchange), shownBy: [exchange] },
      ]);
    },
  },
  inAnswers("AUTH-02", "the token is a signed JWT, lives 300 s and is of type Bearer"),
  {
    requirement: "AUTH-03",
    title: "the token answer has no refresh_token",
    needs: [],
    run: async (session) => {
      const exchange = await session.tokenExchange();
      if (memberOf(exchange.response?.json, "refresh_token") === undefined) return once([]);
      const expected = "no refresh_token";
      return once([
        { path: "/refresh_token", expected, actual: "one is there", shownBy: [exchange] },
      ]);
    },
  },
  refusesToken("AUTH-04", "a wrong account id is answered 401", { accountId: NOTHING }),
  refusesToken("AUTH-05", "a wrong client_id is answered 401", { form: { client_id: NOTHING } }),
  refusesToken("AUTH-06", "a wrong client_secret is answered 401", {
    form: { client_secret: NOTHING },
  }),
  ...securedOperations.map((operation): Check => {
    return {
      requirement: "AUTH-07",
      title: `${operation} needs a token`,
      needs: [],
      run: async (session) => once(unauthorized(await sendUnauthorized(session, operation))),
    };
  }),
];

export const errors: readonly Check[] = [
  {
    requirement: "ERR-01",
    title: "an API request without a token is answered 401",
    needs: [],
    run: async (session) =>
      once(unauthorized(await sendUnauthorized(session, "GET /transactions"))),
  },
  refusesToken("ERR-01", "a token request that fails is answered 401", {
    form: { client_secret: NOTHING },
  }),
];

function refusesToken(requirement: RequirementId, title: string, wrong: WhoAsks): Check {
  return {
    requirement,
    title,
    needs: ["state"],
    run: async (session) => once(unauthorized(await session.exchangeToken(wrong))),
  };
}

/** A request that gets through all the same touches nothing. */
function sendUnauthorized(session: Session, operation: OperationKey): Promise<Exchange> {
  const { method, path } = operations[operation];
  return session.send({ method, path: pathOfNothing(path) });
}

function unauthorized(exchange: Exchange): Breach[] {
  if (exchange.response?.status === 401) return [];
  return [{ expected: "401", actual: outcomeOf(exchange), shownBy: [exchange] }];
}
