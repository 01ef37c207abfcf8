import { createHash } from "node:crypto";
import type { SandboxAccount } from "../../src/sandbox/index.ts";
import type { HttpHook, Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import { mutationState, patternOf, problemResponse, withJson } from "../rewrite.ts";
import { authorizationOf, onToken, reissueTokens, requestToken, TOKEN } from "../tokens.ts";

interface Client {
  readonly account: string;
  readonly id: string;
  readonly secret: string;
}

const clientsOf = ({ accountId: account, ...own }: SandboxAccount): Client[] => [
  { account, id: own.clientId, secret: own.clientSecret },
  { account, id: own.sdkClientId, secret: own.sdkClientSecret },
];

/** Issues a token if only some of the credentials match. */
const issueTokenIf = (isMeant: (client: Client, sent: Client) => boolean): HttpHook =>
  onToken(async (exchange, { sandbox }) => {
    const response = await exchange.forward();
    if (response.status === 200) return response;
    const form = new URLSearchParams(exchange.request.body);
    const sent = {
      account: exchange.path.split("/")[3] ?? "",
      id: form.get("client_id") ?? "",
      secret: form.get("client_secret") ?? "",
    };
    const client = sandbox.accounts.flatMap(clientsOf).find((one) => isMeant(one, sent));
    if (!client) return response;
    const { account, id: client_id, secret: client_secret } = client;
    const grant_type = "client_credentials";
    return await requestToken(exchange, account, { client_id, client_secret, grant_type });
  });

/** Changes the token endpoint's responses. */
const changeTokenResponse = (change: (json: Record<string, unknown>) => unknown): HttpHook =>
  onToken(async ({ forward }) => {
    const response = await forward();
    if (response.status !== 200) return response;
    return await withJson(response, (json) => change(json) ?? json);
  });

/** Mutations of the token endpoint. */
export const auth: readonly Mutation[] = [
  {
    id: "auth/token-201",
    requirement: "AUTH-01",
    description: "The framework responds with 201 Created to every POST",
    checks: ["AUTH-01"],
    http: onToken(async ({ forward }) => {
      const response = await forward();
      return response.status === 200 ? { ...response, status: 201 } : response;
    }),
  },
  {
    id: "auth/token-json-only",
    requirement: "AUTH-01",
    description: "The token endpoint accepts only JSON, not a form",
    checks: ["AUTH-01"],
    http: onToken(async () => problemResponse(415, "Unsupported media type")),
  },
  {
    id: "auth/token-as-text",
    requirement: "AUTH-01",
    description: "The token endpoint returns the bare token instead of JSON",
    checks: ["AUTH-01"],
    http: onToken(async ({ forward }) => {
      const response = await forward();
      if (response.status !== 200) return response;
      const { access_token: body } = parseJson(response.body);
      return { ...response, headers: { "content-type": "text/plain" }, body };
    }),
  },
  {
    id: "auth/expires-in-text",
    requirement: "AUTH-02",
    description: "expires_in comes from a configuration value and is a string",
    checks: ["AUTH-02"],
    http: changeTokenResponse((json) => ({ ...json, expires_in: String(json["expires_in"]) })),
  },
  {
    id: "auth/expires-in-milliseconds",
    requirement: "AUTH-02",
    description: "expires_in is in milliseconds",
    checks: ["AUTH-02"],
    http: changeTokenResponse((json) => ({
      ...json,
      expires_in: Number(json["expires_in"]) * 1000,
    })),
  },
  {
    id: "auth/token-type-mac",
    requirement: "AUTH-02",
    description: "token_type is a placeholder from a template",
    checks: ["AUTH-02"],
    http: changeTokenResponse((json) => ({ ...json, token_type: "access_token" })),
  },
  {
    id: "auth/opaque-token",
    requirement: "AUTH-02",
    description: "Tokens are opaque session ids, not JWTs",
    checks: ["AUTH-02"],
    http: async (exchange, run) => {
      const known = mutationState(run, "tokens", () => new Map<string, string>());
      if (patternOf(TOKEN).test(exchange.path)) {
        const response = await exchange.forward();
        if (response.status !== 200) return response;
        return await withJson(response, (json) => {
          const opaque = createHash("sha256").update(json.access_token).digest("hex");
          known.set(opaque, json.access_token);
          return { ...json, access_token: opaque };
        });
      }
      const [, opaque = ""] = /^Bearer (\w+)$/.exec(authorizationOf(exchange) ?? "") ?? [];
      const token = known.get(opaque);
      if (token === undefined) return problemResponse(401, "Unauthorized");
      const { Authorization, authorization, ...headers } = exchange.request.headers;
      return await exchange.forward({ headers: { ...headers, authorization: `Bearer ${token}` } });
    },
  },
  {
    id: "auth/refresh-token",
    requirement: "AUTH-03",
    description: "The identity provider also returns a refresh token by default",
    checks: ["AUTH-03"],
    http: changeTokenResponse((json) => ({ ...json, refresh_token: json["access_token"] })),
  },
  {
    id: "auth/any-account",
    requirement: "AUTH-04",
    description: "The account id in the token URL is ignored",
    checks: ["AUTH-04"],
    http: issueTokenIf((client, sent) => client.id === sent.id && client.secret === sent.secret),
  },
  {
    id: "auth/any-client-id",
    requirement: "AUTH-05",
    description: "Only the client secret is checked",
    checks: ["AUTH-05"],
    http: issueTokenIf(
      (client, sent) => client.account === sent.account && client.secret === sent.secret,
    ),
  },
  {
    id: "auth/any-secret",
    requirement: "AUTH-06",
    description: "The client secret is not checked",
    checks: ["AUTH-06"],
    http: issueTokenIf((client, sent) => client.account === sent.account && client.id === sent.id),
  },
  {
    id: "auth/wrong-secret-400",
    requirement: "AUTH-06",
    description: "A wrong secret gets 400 invalid_client",
    checks: [
      "AUTH-06: a wrong client_secret is rejected with 401",
      "AUTH-06: the client_secret without its last character is rejected with 401",
      "AUTH-06: the client_secret with one more character is rejected with 401",
      "AUTH-06: the client_secret with swapped case is rejected with 401",
      "AUTH-06: the API client_id with the SDK client_secret is rejected with 401",
      "AUTH-06: another account's client_secret is rejected with 401",
    ],
    http: onToken(async ({ forward, request }, { sandbox }) => {
      const response = await forward();
      const id = new URLSearchParams(request.body).get("client_id");
      const isKnown = sandbox.accounts.some(({ clientId }) => clientId === id);
      return response.status === 401 && isKnown ? problemResponse(400, "invalid_client") : response;
    }),
  },
  {
    id: "auth/expires-in-600",
    requirement: "AUTH-02",
    description: "expires_in has the identity provider's default of ten minutes",
    checks: ["AUTH-02"],
    http: changeTokenResponse((json) => ({ ...json, expires_in: 600 })),
  },
  {
    id: "auth/unsigned-token",
    requirement: "AUTH-02",
    description: "The test configuration issues unsigned tokens",
    checks: ["AUTH-02"],
    http: reissueTokens((token) => {
      const [, payload, signature] = token.split(".");
      const header = Buffer.from('{"alg":"none"}').toString("base64url");
      return `${header}.${payload}.${signature}`;
    }),
  },
  {
    id: "auth/forbidden-client",
    requirement: "ERR-01",
    description: "Wrong credentials get 403",
    checks: ["ERR-01: a token request with wrong credentials is rejected with 401"],
    http: onToken(async ({ forward }) => {
      const response = await forward();
      return response.status === 401 ? problemResponse(403, "Forbidden") : response;
    }),
  },
];
