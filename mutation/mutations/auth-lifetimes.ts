import type { Mutation } from "../mutation.ts";
import { parseJson } from "../mutation.ts";
import { mutationState, patternOf, problemResponse } from "../rewrite.ts";
import { authorizationOf, claimsOf, forwardAs, onApi, reissueTokens, TOKEN } from "../tokens.ts";

interface Issued {
  readonly token: string;
  readonly until: number;
}

/** Mutations of how long tokens are valid. */
export const authLifetimes: readonly Mutation[] = [
  {
    id: "auth/never-expires",
    requirement: "AUTH-09",
    description: "The expiry of a token is ignored",
    checks: ["AUTH-09: a token is accepted for 5 minutes and rejected afterwards"],
    http: onApi(async (exchange, run) => {
      const good = mutationState(run, "good", () => new Set<string>());
      const response = await exchange.forward();
      const token = authorizationOf(exchange) ?? "";
      if (response.status === 200) good.add(token);
      if (response.status !== 401 || !good.has(token)) return response;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  },
  {
    id: "auth/lives-a-minute-longer",
    requirement: "AUTH-09",
    description: "The verifier allows a minute of clock skew",
    checks: ["AUTH-09: a token is accepted for 5 minutes and rejected afterwards"],
    http: onApi(async (exchange, run) => {
      const { exp = 0 } = claimsOf(exchange)?.claims ?? {};
      const response = await exchange.forward();
      const now = Date.parse((await run.sandbox.readClock()).now) / 1000;
      if (response.status !== 401 || now < exp || now > exp + 60) return response;
      return await forwardAs(exchange, run.sandbox.accounts[0]);
    }),
  },
  {
    id: "auth/short-lived",
    requirement: "AUTH-09",
    description: "Clock skew is subtracted twice, so a token expires after one minute",
    checks: ["AUTH-09: a token is accepted for 5 minutes and rejected afterwards"],
    http: onApi(async (exchange, { sandbox }) => {
      const { exp = Number.POSITIVE_INFINITY } = claimsOf(exchange)?.claims ?? {};
      const { now } = await sandbox.readClock();
      const isOver = Date.parse(now) / 1000 > exp - 240;
      return isOver ? problemResponse(401, "Unauthorized") : await exchange.forward();
    }),
  },
  {
    id: "auth/one-session",
    requirement: "AUTH-10",
    description: "A new token invalidates the previous one",
    checks: ["AUTH-10: later tokens do not invalidate the first"],
    http: async (exchange, run) => {
      const latest = mutationState(run, "latest", () => new Map<string, string>());
      if (patternOf(TOKEN).test(exchange.path)) {
        const response = await exchange.forward();
        const client = new URLSearchParams(exchange.request.body).get("client_id") ?? "";
        if (response.status === 200)
          latest.set(client, `Bearer ${parseJson(response.body).access_token}`);
        return response;
      }
      const { sub = "" } = claimsOf(exchange)?.claims ?? {};
      const isOld = latest.has(sub) && latest.get(sub) !== authorizationOf(exchange);
      return isOld ? problemResponse(401, "Unauthorized") : await exchange.forward();
    },
  },
  {
    id: "auth/two-sessions",
    requirement: "AUTH-10",
    description: "A client has two sessions at most: a third token ends the first one",
    checks: ["AUTH-10: later tokens do not invalidate the first"],
    http: async (exchange, run) => {
      const live = mutationState(run, "live", () => new Map<string, string[]>());
      if (patternOf(TOKEN).test(exchange.path)) {
        const response = await exchange.forward();
        const client = new URLSearchParams(exchange.request.body).get("client_id") ?? "";
        const token = `Bearer ${parseJson(response.body)?.access_token}`;
        if (response.status === 200) live.set(client, [...(live.get(client) ?? []), token]);
        return response;
      }
      const { sub = "" } = claimsOf(exchange)?.claims ?? {};
      const ended = live.get(sub)?.slice(0, -2) ?? [];
      const isEnded = ended.includes(authorizationOf(exchange) ?? "");
      return isEnded ? problemResponse(401, "Unauthorized") : await exchange.forward();
    },
  },
  {
    id: "auth/hour-in-claims",
    requirement: "AUTH-09",
    description: "The token's claims have the identity provider's default lifetime of one hour",
    checks: [
      "AUTH-09: iat and exp of a token of the API client are 300 s apart",
      "AUTH-09: iat and exp of a token of the SDK client are 300 s apart",
      "AUTH-09: iat and exp of a token of the second account are 300 s apart",
    ],
    http: reissueTokens((token) => {
      const [header, payload = "", signature] = token.split(".");
      const claims = parseJson(Buffer.from(payload, "base64url").toString());
      const longer = Buffer.from(JSON.stringify({ ...claims, exp: claims.iat + 3_600 }));
      return `${header}.${longer.toString("base64url")}.${signature}`;
    }),
  },
  {
    id: "auth/first-session-only",
    requirement: "AUTH-10",
    description: "While a client has a valid token, a new one is not registered",
    checks: ["AUTH-10: a second token grants the same access as the first"],
    http: async (exchange, run) => {
      const good = mutationState(run, "good", () => new Map<string, Issued>());
      const now = Date.parse((await run.sandbox.readClock()).now) / 1000;
      if (patternOf(TOKEN).test(exchange.path)) {
        const response = await exchange.forward();
        const client = new URLSearchParams(exchange.request.body).get("client_id") ?? "";
        const isKept = (good.get(client)?.until ?? 0) > now;
        if (response.status === 200 && !isKept) {
          const token = `Bearer ${parseJson(response.body).access_token}`;
          good.set(client, { token, until: now + 300 });
        }
        return response;
      }
      const { token, until = 0 } = good.get(claimsOf(exchange)?.claims.sub ?? "") ?? {};
      const isOther = until > now && token !== authorizationOf(exchange);
      return isOther ? problemResponse(401, "Unauthorized") : await exchange.forward();
    },
  },
  {
    id: "auth/token-cached",
    requirement: "AUTH-09",
    description: "The token endpoint returns a cached token while it is valid",
    checks: ["AUTH-09: each of two tokens expires 5 minutes after its own issue"],
    http: async (exchange, run) => {
      if (!patternOf(TOKEN).test(exchange.path)) return await exchange.forward();
      const cached = mutationState(run, "cached", () => new Map<string, Issued>());
      const now = Date.parse((await run.sandbox.readClock()).now) / 1000;
      const key = `${exchange.path} ${exchange.request.body}`;
      const { token, until = 0 } = cached.get(key) ?? {};
      const response = await exchange.forward();
      if (response.status !== 200) return response;
      if (token !== undefined && until > now) return { ...response, body: token };
      cached.set(key, { token: response.body, until: now + 300 });
      return response;
    },
  },
];
