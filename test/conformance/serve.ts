import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";

/** Has a server listen on the loopback until the test is over; gives its base address. */
export async function serve(handler: RequestListener | Server): Promise<string> {
  const server = typeof handler === "function" ? createServer(handler) : handler;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    if ("closeAllConnections" in server)
      (server as { closeAllConnections(): void }).closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An access token in the shape of a JWT: its signature is nobody's. */
export const TOKEN = [
  { alg: "RS256", typ: "JWT" },
  { iat: 1_767_603_600, exp: 1_767_603_900 },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .concat("c2lnbmVkLWJ5LW5vYm9keQ")
  .join(".");

/** Answers the token exchange as the interface says, and everything else as it is told. */
export function withToken(rest: RequestListener, token = TOKEN, lifetime = 300): RequestListener {
  const body = { access_token: token, expires_in: lifetime, token_type: "Bearer" };
  return (request, response) => {
    if (!request.url?.includes("/auth/realms/")) return rest(request, response);
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
}

export const notFound: RequestListener = (_request, response) => {
  response.writeHead(404).end();
};
