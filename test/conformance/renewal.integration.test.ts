import type { RequestListener } from "node:http";
import { expect, test } from "vitest";
import { each, once } from "../../conformance/assert.ts";
import { type Check, type Found, type Session, Skip } from "../../conformance/check.ts";
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { runConformance } from "../../conformance/run/run.ts";
import type { Target } from "../../conformance/target.ts";
import type { Evidence } from "../../conformance/wire/evidence.ts";
import type { Exchange, RecordedRequest } from "../../conformance/wire/exchange.ts";
import { TokenRenewer } from "../../conformance/wire/tokens.ts";
import { startMutant } from "../../mutation/mutant.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { serve } from "../support/local-server.ts";

/** Tokens that expire during a run. */

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };

/** A server that issues tokens with a lifetime on its own clock, which tests can advance. */
class TokenServer {
  readonly lifetimeSeconds: number;
  clock = 0;
  exchanges = 0;
  /** The status of all exchanges after the first, if they are refused. */
  refusal: number | undefined;
  readonly #endsAt = new Map<string, number>();

  constructor(lifetimeSeconds: number) {
    this.lifetimeSeconds = lifetimeSeconds;
  }

  readonly listener: RequestListener = (request, response) => {
    if (request.url?.includes("/auth/realms/")) {
      this.exchanges += 1;
      if (this.refusal !== undefined && this.exchanges > 1) {
        response.writeHead(this.refusal).end();
        return;
      }
      const access_token = `token-nr-${this.exchanges}`;
      this.#endsAt.set(access_token, this.clock + this.lifetimeSeconds);
      const expires_in = this.lifetimeSeconds;
      response.end(JSON.stringify({ access_token, expires_in, token_type: "Bearer" }));
      return;
    }
    const [, token = ""] = request.headers.authorization?.split(" ") ?? [];
    const isGood = (this.#endsAt.get(token) ?? -1) > this.clock;
    response.writeHead(isGood ? 200 : 401).end("{}");
  };
}

/** Runs one check. Returns its result and the evidence. */
async function run(
  server: TokenServer,
  look: (session: Session) => Promise<Found | Skip>,
  driver: Target["driver"] = {},
) {
  const check: Check = { claims: ["CONV-06.json"], title: "a", requires: [], run: look };
  const evidence: Evidence[] = [];
  const baseUrl = await serve(server.listener);
  const report = await runConformance(
    { baseUrl, credentials, profile: "full", driver },
    { only: ["CONV-06"], onEvidence: (entry) => evidence.push(entry) },
    [check],
  );
  expect(report.suiteErrors).toEqual([]);
  const checks = report.requirements.find(({ id }) => id === "CONV-06")?.checks;
  return { report: checks?.[0], evidence };
}

const statuses = async (session: Session, count: number) => {
  const asking = Array.from({ length: count }, () => session.call("GET /cards"));
  return (await Promise.all(asking)).map(({ response }) => response?.status);
};

const found = (...seen: unknown[]) => each(seen, new Skip("nothing"), () => []);

test("requests that need a new token at once share one exchange", async () => {
  const server = new TokenServer(300);
  const advance = async ({ seconds }: { seconds: number }) => {
    server.clock += seconds;
  };
  const seen: unknown[] = [];
  const { evidence } = await run(
    server,
    async (session) => {
      for (let i = 0; i < 3; i++) {
        seen.push(...(await statuses(session, 10)));
        await session.drive("advance", { seconds: 400 });
      }
      seen.push(...(await statuses(session, 10)));
      return found(...seen);
    },
    { advance },
  );
  expect(new Set(seen)).toEqual(new Set([200]));
  expect(server.exchanges).toBe(4);
  const renewals = evidence.filter(
    (entry) => entry.kind === "exchange" && entry.scope === "renewal",
  );
  expect(renewals).toHaveLength(3);
});

/** A token renewer with a controlled clock and a fake exchange. */
function renewals(lifetime: number) {
  const at = { ms: 0, exchanges: 0, status: 200 };
  const ask: RecordedRequest = { method: "POST", url: "http://feed.test/token", headers: {} };
  const tokenExchange = (): Exchange => {
    const json = { access_token: "a-token", expires_in: lifetime };
    const response = { status: at.status, headers: {}, body: "", json };
    return { nr: 1, request: ask, response, durationMs: 1 };
  };
  const renewals = new TokenRenewer(
    async () => {
      at.exchanges += 1;
      return tokenExchange();
    },
    () => at.ms,
  );
  renewals.note(ask, "$TXFEED_TOKEN", tokenExchange());
  const headers = { authorization: "Bearer $TXFEED_TOKEN" };
  return { at, use: () => renewals.renewFor({ ...ask, headers }) };
}

test.each([
  [300, [269_000, 2_000, 268_000, 2_000], 2],
  [40, [19_000, 2_000, 18_000, 2_000], 2],
  [2, [900, 200, 700, 400], 2],
])("a token of %d s is renewed before it expires, repeatedly", async (lifetime, waits, times) => {
  const { at, use } = renewals(lifetime);
  for (const ms of waits) {
    at.ms += ms;
    await Promise.all([use(), use(), use()]);
  }
  expect(at.exchanges).toBe(times);
});

test("after a failed renewal the old token is used until it expires", async () => {
  const { at, use } = renewals(300);
  at.status = 503;
  at.ms = 271_000;
  for (let i = 0; i < 5; i++) await use();
  expect(at.exchanges).toBe(1);
  at.ms = 273_000;
  await use();
  expect(at.exchanges).toBe(2);
  at.ms = 301_000;
  await expect(use()).rejects.toMatchObject({
    reason: "the token expired and could not be renewed: 503",
  });
  at.status = 200;
  await use();
});

test.each([0, -5, 0.000_1, 1e300, Number.NaN])(
  "a lifetime of %d s does not stop the run",
  async (lifetime) => {
    const server = new TokenServer(lifetime);
    const { report } = await run(server, async (session) => found(await statuses(session, 3)));
    expect(report).toMatchObject({ verdict: "passed" });
    expect(server.exchanges).toBeLessThanOrEqual(4);
  },
);

test("an expired token that can't be renewed is not a finding", async () => {
  const server = new TokenServer(300);
  server.refusal = 503;
  const advance = async () => {
    server.clock += 400;
  };
  const look = async (session: Session) => {
    await statuses(session, 1);
    await session.drive("advance", { seconds: 400 });
    return found(...(await statuses(session, 5)));
  };
  const { report } = await run(server, look, { advance });
  const reason = "the token expired and could not be renewed: 503";
  expect(report).toMatchObject({ verdict: "skipped", reason });
});

test("a 401 for a valid token is reported, without a renewal", async () => {
  const server = new TokenServer(300);
  const seen: unknown[] = [];
  await run(server, async (session) => {
    seen.push(...(await statuses(session, 1)));
    server.clock += 200;
    seen.push(...(await statuses(session, 1)));
    server.clock += 200;
    seen.push(...(await statuses(session, 1)));
    return once([]);
  });
  expect(seen).toEqual([200, 200, 401]);
  expect(server.exchanges).toBe(1);
});

test("a lifetime of 3 s breaks only requirements about lifetimes", async () => {
  await using sandbox = await createSandbox({ world: "small" });
  const issuedAt = new Map<string, number>();
  await using faulty = await startMutant(sandbox, {
    http: async ({ request, path, forward }) => {
      const token = request.headers["authorization"]?.split(" ")[1] ?? "";
      const age = performance.now() - (issuedAt.get(token) ?? performance.now());
      if (age > 3_000) return { status: 401, headers: {}, body: "" };
      const response = await forward();
      if (!path.startsWith("/auth/realms/") || response.status !== 200) return response;
      const body = JSON.parse(response.body);
      issuedAt.set(body.access_token, performance.now());
      return { ...response, body: JSON.stringify({ ...body, expires_in: 3 }) };
    },
  });
  const [own, secondAccount] = sandbox.accounts;
  const sdkCredentials = { clientId: own.sdkClientId, clientSecret: own.sdkClientSecret };
  const driver = sandboxDriver(faulty);
  const evidence: Evidence[] = [];
  const report = await runConformance(
    {
      ...{ baseUrl: faulty.baseUrl, credentials: own, sdkCredentials, secondAccount },
      ...{ profile: "full", writes: true, driver },
    },
    { onEvidence: (entry) => evidence.push(entry) },
  );
  const renewals = evidence.filter(
    (entry) => entry.kind === "exchange" && entry.scope === "renewal",
  );
  expect(renewals.length).toBeGreaterThan(0);
  const broken = report.requirements.filter(({ verdict }) => verdict === "failed");
  const others = broken
    .map(({ id }) => id)
    .filter((id) => !["AUTH-02", "AUTH-09", "AUTH-10"].includes(id));
  expect(others).toEqual([]);
  expect(broken.length).toBeGreaterThan(0);
});
