import type { RequestListener } from "node:http";

/** An access token in the form of a JWT, with an invalid signature. */
export const TOKEN = [
  { alg: "RS256", typ: "JWT" },
  { iat: 1_767_603_600, exp: 1_767_603_900 },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  .concat("c2lnbmVkLWJ5LW5vYm9keQ")
  .join(".");

/** Responds to the token exchange and passes other requests to `rest`. */
export function withToken(rest: RequestListener, token = TOKEN, lifetime = 300): RequestListener {
  const body = { access_token: token, expires_in: lifetime, token_type: "Bearer" };
  return (request, response) => {
    if (!request.url?.includes("/auth/realms/")) return rest(request, response);
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
}
