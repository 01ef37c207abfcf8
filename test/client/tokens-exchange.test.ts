import {
  allowInsecureRequests,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  processClientCredentialsResponse,
} from "oauth4webapi";
import { expect, test } from "vitest";
import { json, type Responder, status, TOKEN_PATH } from "./feed-server.ts";
import { startFixture } from "./fixture.ts";

/** Exchanges a token with oauth4webapi. Rejects if oauth4webapi rejects the response. */
async function exchangeByLibrary(url: string, clientSecret: string): Promise<string> {
  const issuer = { issuer: url, token_endpoint: url + TOKEN_PATH };
  const client = { client_id: "client-1" };
  const secret = ClientSecretPost(clientSecret);
  const options = { [allowInsecureRequests]: true };
  const reply = await clientCredentialsGrantRequest(issuer, client, secret, {}, options);
  return (await processClientCredentialsResponse(issuer, client, reply)).access_token;
}

/** Whether the client and oauth4webapi accept a token response. */
async function verdicts(reply: Responder) {
  const { clock, server, feed } = await startFixture({ retries: 0 });
  server.plan(TOKEN_PATH, reply, reply);
  const ours = clock.skipDelays(feed.cards.get("card-1")).then(
    () => true,
    // An accepted token is sent, even though this server does not know it.
    () => server.requests() > 0,
  );
  const own = await ours;
  const library = await exchangeByLibrary(server.url, "secret-1").then(
    () => true,
    () => false,
  );
  return { own, library };
}

test.each(["secret-1", "a b+c%&=ä/?~*'()!"])(
  "the token request equals that of oauth4webapi: %s",
  async (clientSecret) => {
    const { server, feed } = await startFixture({ clientSecret });
    await feed.cards.get("card-1");
    await exchangeByLibrary(server.url, clientSecret);
    const [own, library] = server.seen.filter(({ path }) => path === TOKEN_PATH);
    const fields = (body = "") => [...new URLSearchParams(body)].sort();
    expect(fields(own?.body)).toEqual(fields(library?.body));
    expect(fields(own?.body)).toEqual([
      ["client_id", "client-1"],
      ["client_secret", clientSecret],
      ["grant_type", "client_credentials"],
    ]);
    expect(own?.method).toBe("POST");
    // oauth4webapi adds a charset, which the form media type does not define.
    expect(library?.headers["content-type"]?.split(";")[0]).toBe(own?.headers["content-type"]);
    expect(own?.headers["authorization"]).toBeUndefined();
  },
);

const good = { access_token: "token-x", expires_in: 300, token_type: "Bearer" };
const text =
  (body: string, type = "application/json"): Responder =>
  (response) =>
    response.writeHead(200, { "content-type": type }).end(body);

test.each<[string, boolean, Responder]>([
  ["a token", true, json(200, good)],
  ["token_type bearer", true, json(200, { ...good, token_type: "bearer" })],
  ["token_type BEARER", true, json(200, { ...good, token_type: "BEARER" })],
  ["other members too", true, json(200, { ...good, scope: "a b", "not-before-policy": 0 })],
  ["a lifetime with a fraction", true, json(200, { ...good, expires_in: 299.5 })],
  ["JSON as text/plain", true, text(JSON.stringify(good), "text/plain")],
  ["no access_token", false, json(200, { ...good, access_token: undefined })],
  ["access_token null", false, json(200, { ...good, access_token: null })],
  ["an empty access_token", false, json(200, { ...good, access_token: "" })],
  ["access_token as a number", false, json(200, { ...good, access_token: 1 })],
  ["no token_type", false, json(200, { ...good, token_type: undefined })],
  ["token_type as a number", false, json(200, { ...good, token_type: 1 })],
  ["another token_type", false, json(200, { ...good, token_type: "MAC" })],
  ["expires_in negative", false, json(200, { ...good, expires_in: -1 })],
  ["expires_in null", false, json(200, { ...good, expires_in: null })],
  ["expires_in as a word", false, json(200, { ...good, expires_in: "soon" })],
  ["an array", false, json(200, [good])],
  ["null", false, json(200, null)],
  ["a JSON string", false, json(200, "token")],
  ["a page of HTML", false, text("<!doctype html>", "text/html")],
  ["half of a JSON document", false, text('{"access_token":')],
  ["nothing", false, status(200)],
  ["201", false, json(201, good)],
  ["204", false, status(204)],
  ["400 with an OAuth error", false, json(400, { error: "invalid_client" })],
  ["401 with a body", false, json(401, { error: "invalid_client" })],
  ["401 without a body", false, status(401)],
  ["401 with a challenge", false, status(401, { "www-authenticate": 'Basic realm="x"' })],
  ["500", false, status(500)],
])("a token response has the same result as in oauth4webapi: %s", async (_, expected, reply) => {
  expect(await verdicts(reply)).toEqual({ own: expected, library: expected });
});

// Intentional differences from oauth4webapi.
test.each<[string, { own: boolean; library: boolean }, Responder]>([
  // AUTH-02 requires expires_in, RFC 6749 only recommends it; the client needs it for renewal.
  ["no expires_in", { own: false, library: true }, json(200, { ...good, expires_in: undefined })],
  // A token that is expired on arrival would cause endless exchanges.
  ["expires_in 0", { own: false, library: true }, json(200, { ...good, expires_in: 0 })],
  // AUTH-02 requires a number; oauth4webapi converts a string.
  [
    "expires_in as a string",
    { own: false, library: true },
    json(200, { ...good, expires_in: "300" }),
  ],
  // Neither is a single valid header value.
  [
    "a token with a line break",
    { own: false, library: true },
    json(200, { ...good, access_token: "a\r\nb" }),
  ],
  [
    "a token with a space",
    { own: false, library: true },
    json(200, { ...good, access_token: "a b" }),
  ],
])("a deliberate difference from oauth4webapi: %s", async (_, expected, reply) => {
  expect(await verdicts(reply)).toEqual(expected);
});

test.each<[string, object, Responder]>([
  ["a 401", { code: "authentication", stage: "token-exchange" }, status(401)],
  ["a 400", { code: "http", status: 400 }, json(400, { error: "invalid_client" })],
  ["a 200 without a token", { code: "contract", status: 200 }, json(200, {})],
  ["a 200 that is not JSON", { code: "contract", status: 200 }, text("<p>")],
])("a failed exchange is an error of the token endpoint: %s", async (_, facts, reply) => {
  const { server, feed } = await startFixture();
  server.plan(TOKEN_PATH, reply);
  await expect(feed.cards.get("card-1")).rejects.toMatchObject({
    ...facts,
    method: "POST",
    path: "/auth/realms/{account_id}/protocol/openid-connect/token",
    attempts: 1,
  });
  expect(server.exchanges).toBe(1);
  expect(server.requests()).toBe(0);
});
