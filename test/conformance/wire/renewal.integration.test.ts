import type { RequestListener } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import type { Session } from "../../../conformance/check.ts";
import type { Evidence, RecordedRequest } from "../../../conformance/index.ts";
import { runConformance } from "../../../conformance/run/run.ts";
import type { Exchange } from "../../../conformance/wire/exchange.ts";
import { TokenRenewer } from "../../../conformance/wire/tokens.ts";
import { startMutant } from "../../../mutation/mutant.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";
import { serve } from "../../support/local-server.ts";
import { doing } from "../run/some-checks.ts";
import { fullTarget, targetAt } from "../runs.ts";

/** Tokens that expire during a run. */

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

/**
 * Runs a check that asks, in turns, for some cards at once, and lets time pass: the driver says so,
 * or the server's clock goes on by itself.
 */
async function run(
  server: TokenServer,
  turns: readonly number[],
  seconds: number,
  isDriven = true,
) {
  const statuses: unknown[] = [];
  const asks = async (session: Session) => {
    for (const count of turns) {
      const asking = Array.from({ length: count }, () => session.call("GET /cards"));
      for (const { response } of await Promise.all(asking)) statuses.push(response?.status);
      if (isDriven) await session.drive("advance", { seconds });
      else server.clock += seconds;
    }
  };
  const advance = async () => {
    server.clock += seconds;
  };
  const evidence: Evidence[] = [];
  const target = targetAt(await serve(server.listener), { driver: { advance } });
  const report = await runConformance(
    target,
    { only: ["CONV-06"], onEvidence: (entry) => evidence.push(entry) },
    [doing("CONV-06", asks)],
  );
  expect(report.suiteErrors).toEqual([]);
  const found = report.requirements.find(({ id }) => id === "CONV-06")?.checks[0];
  return { report: found, statuses, renewals: renewalsIn(evidence) };
}

const renewalsIn = (evidence: readonly Evidence[]) =>
  evidence.filter((entry) => entry.kind === "exchange" && entry.scope === "renewal").length;

test("requests that need a new token at once share one exchange", async () => {
  const server = new TokenServer(300);
  const { statuses, renewals } = await run(server, [10, 10, 10, 10], 400);
  expect(statuses).toEqual(Array(40).fill(200));
  expect([server.exchanges, renewals]).toEqual([4, 3]);
});

afterEach(() => vi.useRealTimers());

/** A token renewer with a controlled clock and a fake exchange. */
function renewals(lifetime: number) {
  vi.useFakeTimers({ toFake: ["performance"] });
  const at = { exchanges: 0, status: 200 };
  const ask: RecordedRequest = { method: "POST", url: "http://feed.test/token", headers: {} };
  const tokenExchange = (): Exchange => {
    const json = { access_token: "a-token", expires_in: lifetime };
    const response = { status: at.status, headers: {}, body: "", json };
    return { nr: 1, request: ask, response, durationMs: 1 };
  };
  const renewer = new TokenRenewer(async () => {
    at.exchanges += 1;
    return tokenExchange();
  });
  renewer.note(ask, "$TXFEED_TOKEN", tokenExchange());
  const headers = { authorization: "Bearer $TXFEED_TOKEN" };
  return { at, use: () => renewer.renewFor({ ...ask, headers }) };
}

test.each([
  [300, [269_000, 2_000, 268_000, 2_000], 2],
  [40, [19_000, 2_000, 18_000, 2_000], 2],
  [2, [900, 200, 700, 400], 2],
])("a token of %d s is renewed before it expires, repeatedly", async (lifetime, waits, times) => {
  const { at, use } = renewals(lifetime);
  for (const ms of waits) {
    vi.advanceTimersByTime(ms);
    await Promise.all([use(), use(), use()]);
  }
  expect(at.exchanges).toBe(times);
});

test("after a failed renewal the old token is used until it expires", async () => {
  const { at, use } = renewals(300);
  at.status = 503;
  vi.advanceTimersByTime(271_000);
  for (let i = 0; i < 5; i++) await use();
  expect(at.exchanges).toBe(1);
  vi.advanceTimersByTime(2_000);
  await use();
  expect(at.exchanges).toBe(2);
  vi.advanceTimersByTime(28_000);
  const reason = "the token expired and could not be renewed: 503";
  await expect(use()).rejects.toMatchObject({ reason });
  at.status = 200;
  await use();
});

test.each([0, -5, 0.000_1, 1e300, Number.NaN])(
  "a lifetime of %d s does not stop the run",
  async (lifetime) => {
    const server = new TokenServer(lifetime);
    const { report } = await run(server, [3], 0, false);
    expect(report).toMatchObject({ verdict: "passed" });
    expect(server.exchanges).toBeLessThanOrEqual(4);
  },
);

test("an expired token that can't be renewed is not a finding", async () => {
  const server = new TokenServer(300);
  server.refusal = 503;
  const { report } = await run(server, [1, 5], 400);
  const reason = "the token expired and could not be renewed: 503";
  expect(report).toMatchObject({ verdict: "skipped", reason });
});

test("a 401 for a valid token is reported, without a renewal", async () => {
  const server = new TokenServer(300);
  const { statuses } = await run(server, [1, 1, 1], 200, false);
  expect([statuses, server.exchanges]).toEqual([[200, 200, 401], 1]);
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
  const evidence: Evidence[] = [];
  const onEvidence = (entry: Evidence) => evidence.push(entry);
  const report = await runConformance(fullTarget(sandbox, faulty.baseUrl), { onEvidence });
  expect(renewalsIn(evidence)).toBeGreaterThan(0);
  const broken = report.requirements.filter(({ verdict }) => verdict === "failed");
  expect(broken.length).toBeGreaterThan(0);
  const others = broken.filter(({ id }) => !["AUTH-02", "AUTH-09", "AUTH-10"].includes(id));
  expect(others.map(({ id }) => id)).toEqual([]);
});
