import type { RequestListener, ServerResponse } from "node:http";
import { expect } from "vitest";
import type { Report } from "../../conformance/report/report.ts";
import { type RunOptions, runConformance } from "../../conformance/run/run.ts";
import type { Target } from "../../conformance/target.ts";
import { requirementIds } from "../../generated/requirements.ts";
import { withToken } from "./serve.ts";

const credentials = { accountId: "a-1", clientId: "client-1", clientSecret: "canary-secret" };

/** Runs every check against a target with a short timeout. The report must be complete. */
export async function runAgainst(
  baseUrl: string,
  options: RunOptions = {},
  changed: Partial<Target> = {},
): Promise<Report> {
  const limits = { patienceMs: 1_000, limitMs: 40_000, concurrency: 16 };
  const target: Target = { baseUrl, credentials, profile: "full", ...changed };
  const report = await runConformance(target, { ...limits, ...options });
  expect(report.requirements.map(({ id }) => id)).toEqual(requirementIds);
  expect(report.suiteErrors).toEqual([]);
  expect(JSON.stringify(report)).not.toContain("canary-secret");
  return report;
}

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
