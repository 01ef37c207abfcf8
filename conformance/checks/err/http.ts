import { each } from "../../assert.ts";
import { type Check, Skip } from "../../check.ts";
import { callOf, securedOperations, withAuthorization } from "../../observe/authorization.ts";
import {
  refusedExchange,
  tokenlessResponses,
  unauthorized,
  wrongCredentials,
} from "../auth/credentials.ts";

const nothing = new Skip("no request was sent");

export const errors: readonly Check[] = [
  // ERR-01: Failed authentication gets 401, on the token endpoint and on every API endpoint.
  {
    claims: ["ERR-01.api"],
    title: "an API request without a token is rejected with 401",
    requires: [],
    run: async (session) =>
      each(await tokenlessResponses(session), nothing, ({ exchange }) => unauthorized(exchange)),
  },
  {
    claims: ["ERR-01.api"],
    title: "an API request with an invalid token is rejected with 401",
    requires: ["state"],
    run: async (session) => {
      if (!(await session.hasToken())) return session.skip("");
      const calls = await Promise.all(securedOperations.map((key) => callOf(session, key)));
      return each(calls, nothing, async (call) => {
        const authorization = "Bearer $TXFEED_TOKEN_OPAQUE";
        return unauthorized(await session.send(withAuthorization(call, authorization)));
      });
    },
  },
  {
    claims: ["ERR-01.token-endpoint"],
    title: "a token request with wrong credentials is rejected with 401",
    requires: ["state"],
    run: (session) =>
      each(
        Object.keys(wrongCredentials) as (keyof typeof wrongCredentials)[],
        nothing,
        async (wrong) => unauthorized(await refusedExchange(session, wrong)),
      ),
  },
];
