import { type Case, casesOf, invalid, silent } from "./case.ts";
import { at, change, response, withBody, without } from "./payload.ts";

const TOKEN = response("POST /auth/realms/{account_id}/protocol/openid-connect/token", "token");
const JWT = String(at(TOKEN, "/access_token"));
const [HEADER, CLAIMS] = JWT.split(".");

/** The response of the token endpoint. */
export const auth: Case[] = [
  ...casesOf("AUTH-02", [
    silent("the response has the three members", TOKEN),
    silent(
      "the response has other members too",
      change(TOKEN, { "/scope": "feed", "/not-before-policy": 0 }),
    ),
    ...["access_token", "expires_in", "token_type"].map((member) =>
      invalid(`${member} is absent`, without(TOKEN, `/${member}`)),
    ),
    ...["access_token", "expires_in", "token_type"].map((member) =>
      invalid(`${member} is null`, change(TOKEN, { [`/${member}`]: null })),
    ),
    invalid("the token is opaque", change(TOKEN, { "/access_token": "2YotnFZFEjr1zCsicMWpAA" })),
    invalid("the token is empty", change(TOKEN, { "/access_token": "" })),
    invalid(
      "the token is a JWT with no third part",
      change(TOKEN, { "/access_token": `${HEADER}.${CLAIMS}` }),
    ),
    invalid(
      "the token is a JWT with an empty signature",
      change(TOKEN, { "/access_token": `${HEADER}.${CLAIMS}.` }),
    ),
    invalid(
      "the token starts with its scheme",
      change(TOKEN, { "/access_token": `Bearer ${JWT}` }),
    ),
    invalid("the token's lifetime is ten minutes", change(TOKEN, { "/expires_in": 600 })),
    invalid("the token's lifetime is a second less", change(TOKEN, { "/expires_in": 299 })),
    invalid("the lifetime is a string", change(TOKEN, { "/expires_in": "300" })),
    invalid("the type is in lower case", change(TOKEN, { "/token_type": "bearer" })),
    invalid("the type is not Bearer", change(TOKEN, { "/token_type": "MAC" })),
    invalid("the response is an array", withBody(TOKEN, [TOKEN.body])),
    invalid("the response is only the token", withBody(TOKEN, JWT)),
  ]),
  ...casesOf("AUTH-03", [
    silent("refresh_expires_in is present", change(TOKEN, { "/refresh_expires_in": 0 })),
    invalid("refresh_token is present", change(TOKEN, { "/refresh_token": JWT })),
    invalid("refresh_token is empty", change(TOKEN, { "/refresh_token": "" })),
    // Absent means that the member does not exist.
    invalid("refresh_token is null", change(TOKEN, { "/refresh_token": null })),
  ]),
];
