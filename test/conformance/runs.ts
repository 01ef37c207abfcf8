import type { RequestListener, ServerResponse } from "node:http";
import { expect } from "vitest";
import type { Check } from "../../conformance/check.ts";
import sandboxDriver from "../../conformance/drivers/sandbox.ts";
import { renderHtml } from "../../conformance/report/html/index.ts";
import { renderJunit } from "../../conformance/report/junit.ts";
import { renderMarkdown } from "../../conformance/report/markdown.ts";
import type { CheckReport, Report } from "../../conformance/report/report.ts";
import { renderText } from "../../conformance/report/text.ts";
import { viewOf } from "../../conformance/report/view.ts";
import { type RunOptions, replayEvidence, runConformance } from "../../conformance/run/run.ts";
import type { Target } from "../../conformance/target.ts";
import { type Evidence, evidenceLine } from "../../conformance/wire/evidence.ts";
import { type ClaimId, requirementIds } from "../../generated/requirements.ts";
import { startMutant } from "../../mutation/mutant.ts";
import type { MutationHooks } from "../../mutation/mutation.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.ts";

/** Runs of the suite against servers and sandboxes. */

export const credentials = {
  ...{ accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" },
};

/** A target with nothing but its address and the credentials. */
export function targetAt(baseUrl: string, changed: Partial<Target> = {}): Target {
  return { baseUrl, credentials, profile: "full", ...changed };
}

/** Runs every check against a target with a short timeout. The report must be complete. */
export async function runAgainst(
  baseUrl: string,
  options: RunOptions = {},
  changed: Partial<Target> = {},
): Promise<Report> {
  const limits = { patienceMs: 1_000, limitMs: 40_000, concurrency: 16 };
  const report = await runConformance(targetAt(baseUrl, changed), { ...limits, ...options });
  expect(report.requirements.map(({ id }) => id)).toEqual(requirementIds);
  expect(report.suiteErrors).toEqual([]);
  expect(JSON.stringify(report)).not.toContain("canary-secret");
  return report;
}

/** A report in each format. */
export function textsOf(report: Report) {
  const view = viewOf(report);
  return {
    json: JSON.stringify(report),
    html: renderHtml(view),
    junit: renderJunit(view),
    markdown: renderMarkdown(view),
    text: renderText(view, styleFor({ isTTY: false }, {}), { isVerbose: true }),
  };
}

/** A sandbox as a target with every capability, possibly behind a server at another address. */
export function fullTarget(sandbox: Sandbox, baseUrl = sandbox.baseUrl) {
  const [own, second] = sandbox.accounts;
  const { sdkClientId: clientId, sdkClientSecret: clientSecret } = own;
  return {
    ...{ baseUrl, credentials: own, secondAccount: second, profile: "full", writes: true },
    ...{ sdkCredentials: { clientId, clientSecret }, driver: sandboxDriver({ baseUrl }) },
  } satisfies Target;
}

/** How the suite runs against a sandbox. */
interface Behind extends RunOptions {
  /** Default: the world `small`. */
  readonly sandbox?: SandboxOptions;
  /** More of the target than its address and the first account's credentials. */
  readonly target?: (baseUrl: string) => Partial<Target>;
  readonly checks?: readonly Check[];
}

/** Runs the suite against a sandbox behind a server that changes its responses and deliveries. */
export async function runBehind(hooks: MutationHooks | undefined, how: Behind = {}) {
  const { sandbox: own, target, checks, ...options } = how;
  await using sandbox = await createSandbox({ world: "small", ...own });
  await using mutant = await startMutant(sandbox, hooks);
  const { baseUrl } = mutant;
  const [credentials] = sandbox.accounts;
  const evidence: Evidence[] = [];
  const onEvidence = (entry: Evidence) => evidence.push(JSON.parse(JSON.stringify(entry)));
  const report = await runConformance(
    targetAt(baseUrl, { credentials, ...target?.(baseUrl) }),
    { ...options, onEvidence },
    checks,
  );
  return { report, evidence, violations: sandbox.violations };
}

/** Runs the suite and replays the lines of its evidence, which must give the same report. */
export async function runTwice(
  target: Target,
  options: RunOptions = {},
  checks?: readonly Check[],
): Promise<{ report: Report; evidence: Evidence[]; chars: number }> {
  const lines: string[] = [];
  const onEvidence = (entry: Evidence) => lines.push(evidenceLine(entry));
  const report = await runConformance(target, { ...options, onEvidence }, checks);
  const evidence = lines.map((line): Evidence => JSON.parse(line));
  const { only, strict } = options;
  const again = await replayEvidence(evidence, { only, strict }, checks);
  expect(JSON.stringify(again)).toBe(JSON.stringify(report));
  return { report, evidence, chars: lines.reduce((sum, line) => sum + line.length, 0) };
}

export const verdictsOf = ({ requirements }: Report) =>
  requirements.map(({ id, verdict }) => [id, verdict]);

/** The results of checks, by requirement and title. */
export const checksIn = ({ requirements }: Report): ReadonlyMap<string, CheckReport> =>
  new Map(
    requirements.flatMap(({ id, checks }) =>
      checks.map((check) => [`${id}: ${check.name}`, check] as const),
    ),
  );

export const claimIn = ({ requirements }: Report, id: ClaimId) =>
  requirements.flatMap(({ claims }) => claims ?? []).find((claim) => claim.id === id);

/** The messages of all findings, with their requirements. */
export const findingsIn = ({ requirements }: Report) =>
  requirements.flatMap(({ id, checks }) =>
    checks.flatMap(({ findings = [] }) => findings.map(({ message }) => `${id} ${message}`)),
  );

export function respondJson(response: ServerResponse, text: string | Buffer, headers = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(text);
}

/** Responds to everything but the token exchange with this body. */
export function always(text: string | Buffer, headers = {}): RequestListener {
  return withToken((_request, response) => respondJson(response, text, headers));
}

/** A page of the collection at a URL, with these links and items. */
export function page(url = "", _links: object = {}, items: unknown = []): string {
  const [path = ""] = url.split("?");
  const name = path.slice(1).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return JSON.stringify({ _links, _embedded: { [name]: items }, totalItems: 1_000_000 });
}

/** Resources that link to themselves. */
export function itemsOf(count: number, idOf: (at: number) => string) {
  return Array.from({ length: count }, (_, at) => {
    return { id: idOf(at), _links: { self: { href: `/transactions/${idOf(at)}` } } };
  });
}

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
