import { once } from "node:events";
import { createServer } from "node:http";
import { afterEach, expect, test } from "vitest";
import { runConformance } from "../../conformance/run.ts";

/** How the suite goes on where the client by itself would not. */
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };
const TOKEN = { access_token: "head.body.sign", expires_in: 300, token_type: "Bearer" };

/** Runs the suite against a server that gives this token answer, and this body for all else. */
async function runAgainst(token: object, body: object) {
  const server = createServer((request, response) => {
    const isToken = request.url?.includes("/auth/realms/");
    response.end(JSON.stringify(isToken ? token : body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  const { requirements } = await runConformance({ baseUrl, credentials, profile: "full" });
  return (id: string) => requirements.find((requirement) => requirement.id === id);
}

test.each([
  { access_token: "head.body.sign" },
  { ...TOKEN, expires_in: "300" },
  { ...TOKEN, expires_in: 0 },
  { ...TOKEN, token_type: "mac" },
])("a token answer of %j fails AUTH-02, and the token serves all the same", async (token) => {
  const find = await runAgainst(token, {});
  expect(find("AUTH-02")).toMatchObject({ verdict: "failed" });
  expect(find("EP-01")).toMatchObject({ verdict: "passed" });
});

test("an endpoint that only a refused link leads to is undecided, and says why", async () => {
  const cards = [{ _links: { self: { href: "//127.0.0.1:1/cards/1" } } }];
  const find = await runAgainst(TOKEN, { _embedded: { cards } });
  expect(find("EP-13")?.checks[0]).toEqual({
    name: "GET /cards/{id} answers 200",
    verdict: "skipped",
    reason: "a link leaves the base address or is not in its plain form: it is not followed",
  });
});
