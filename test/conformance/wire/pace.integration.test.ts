import { expect, test } from "vitest";
import type { Report } from "../../../conformance/report/report.ts";
import { type RunOptions, replayEvidence } from "../../../conformance/run/run.ts";
import type { Target } from "../../../conformance/target.ts";
import type { HttpHook, HttpResponse } from "../../../mutation/mutation.ts";
import { runBehind } from "../runs.ts";

/** A run adapts its speed to its target; a 429 is never a violation (readings, 26). */

/** Runs the suite against the sandbox behind a proxy, and replays its evidence. */
async function runTwiceBehind(
  http: HttpHook,
  { rate, ...options }: RunOptions & Pick<Target, "rate"> = {},
): Promise<Report> {
  const target = () => (rate ? { rate } : {});
  const { report, evidence } = await runBehind(
    { http },
    { sandbox: { seed: 7 }, target, ...options },
  );
  const start = performance.now();
  expect(JSON.stringify(await replayEvidence(evidence))).toBe(JSON.stringify(report));
  expect(performance.now() - start).toBeLessThan(report.durationMs);
  return report;
}

const verdicts = ({ requirements }: Report) =>
  requirements.flatMap(({ claims = [] }) => claims.map(({ id, verdict }) => [id, verdict]));

let known: Promise<unknown> | undefined;

function verdictsWithoutLimit(): Promise<unknown> {
  known ??= runTwiceBehind(({ forward }) => forward(), { only }).then(verdicts);
  return known;
}

const RATE = 50;

/** Refuses requests beyond 50 in each second. */
function limited(refusal: () => HttpResponse) {
  const seen = { refused: 0, most: 0 };
  let second = 0;
  let count = 0;
  const proxy: HttpHook = async ({ forward }) => {
    const now = Math.floor(performance.now() / 1_000);
    if (now > second) count = 0;
    second = now;
    count += 1;
    seen.most = Math.max(seen.most, count);
    if (count <= RATE) return forward();
    seen.refused += 1;
    return refusal();
  };
  return { proxy, seen };
}

/** The claims that failed behind such a limit before, and some more. */
const only = ["AUTH-01", "AUTH-11", "PAGE"] as const;

test.each<[string, number, () => Record<string, string>]>([
  ["a 429", 429, () => ({})],
  ["a 429 with a date", 429, () => ({ "retry-after": new Date(Date.now() + 1_000).toUTCString() })],
  ["a 503 with seconds", 503, () => ({ "retry-after": "1" })],
])("a limit of 50 requests/s by %s changes no verdict", async (_, status, headers) => {
  const { proxy, seen } = limited(() => ({ status, headers: headers(), body: "" }));
  const report = await runTwiceBehind(proxy, { only });
  expect(seen.refused).toBeGreaterThan(0);
  expect(verdicts(report)).toEqual(await verdictsWithoutLimit());
});

test("a run with a rate stays below it", async () => {
  const { proxy, seen } = limited(() => ({ status: 429, headers: {}, body: "" }));
  const report = await runTwiceBehind(proxy, { only: ["AUTH"], rate: RATE - 5 });
  expect(seen).toEqual({ refused: 0, most: expect.any(Number) });
  expect(seen.most).toBeGreaterThan(RATE / 2);
  expect(report.summary.failed).toBe(0);
});

const busy: HttpResponse = { status: 429, headers: {}, body: "" };

/** Requests that a target always refuses, the claims that are then undecided, and a decided one. */
const REFUSED: readonly [what: string, refused: HttpHook, open: string, decided: string][] = [
  [
    "a path",
    async ({ path, forward }) => (path.startsWith("/bank-links") ? busy : forward()),
    "EP-06",
    "EP-01",
  ],
  [
    "a path for ten minutes",
    async ({ path, forward }) =>
      path.startsWith("/bank-links")
        ? { status: 503, headers: { "retry-after": "600" }, body: "" }
        : forward(),
    "EP-06",
    "EP-01",
  ],
  [
    "wrong credentials",
    async ({ forward }) => {
      const response = await forward();
      return response.status === 401 ? busy : response;
    },
    "AUTH-06",
    "AUTH-01",
  ],
];

test.each(REFUSED)("if the target throttles %s, only its claims are undecided", async (...row) => {
  const [, refused, open, decided] = row;
  const report = await runTwiceBehind(refused, { only: ["AUTH-01", "AUTH-06", "EP", "PAGE"] });
  const of = (id: string) => report.requirements.find((one) => one.id === id);
  expect(report.summary.failed).toBe(0);
  const reason = expect.stringMatching(/^the target answered (429|503) \d times?$/);
  expect(of(open)).toMatchObject({ verdict: "skipped", reason });
  expect(of(decided)?.verdict).toBe("passed");
});

test("a token endpoint that always answers 429 decides nothing", async () => {
  const report = await runTwiceBehind(async ({ path, forward }) =>
    path.startsWith("/auth/") ? busy : forward(),
  );
  expect(report.summary).toMatchObject({ failed: 0, warned: 0 });
  const token = report.requirements.find(({ id }) => id === "AUTH-01");
  expect(token).toMatchObject({
    verdict: "skipped",
    reason: expect.stringContaining("answered 429"),
  });
});
