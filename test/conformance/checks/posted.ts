import type { Check } from "../../../conformance/check.ts";
import { httpChecks } from "../../../conformance/checks/http.ts";
import { webhookChecks } from "../../../conformance/checks/webhooks.ts";
import type { CheckReport } from "../../../conformance/index.ts";
import { runConformance } from "../../../conformance/run.ts";
import type { RequirementId } from "../../../generated/requirements.ts";
import type { Sandbox } from "../../../src/sandbox/index.ts";

/** A request to the receiver. */
export interface Posted {
  readonly name?: string | undefined;
  readonly method?: string;
  /** Sent as JSON unless it is a string. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A run sends requests to the API before it compares deliveries. */
const looking = httpChecks.filter(({ requirement }) => requirement === "CONV-01");

/**
 * Sends deliveries, one by one, to a run against a target with an empty API.
 *
 * @returns the results of the requirement's checks that use only deliveries.
 */
export async function afterPosting(
  { baseUrl, accounts: [credentials] }: Sandbox,
  requirement: RequirementId,
  posted: readonly Posted[],
): Promise<readonly CheckReport[]> {
  let url = "";
  const posting: Check = {
    requirement: "VER-01",
    title: "deliveries come",
    requires: ["writes"],
    run: async () => {
      for (const one of posted) await post(url, one);
      return { assertions: 1, breaches: [] };
    },
  };
  const own = webhookChecks.filter(
    (check) => check.requirement === requirement && !check.requires.includes("state"),
  );
  const webhooks = { host: "127.0.0.1", port: 0 };
  const report = await runConformance(
    { baseUrl, credentials, profile: "full", writes: true, webhooks },
    {
      patienceMs: 1_500,
      onListening: (at) => {
        url = at;
      },
    },
    [...looking, ...own, posting],
  );
  const titles = new Set(own.map(({ title }) => title));
  return (report.requirements.find(({ id }) => id === requirement)?.checks ?? []).filter(
    ({ name }) => titles.has(name),
  );
}

export async function post(url: string, { name, method = "POST", body, headers }: Posted) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const event = name === undefined ? {} : { "webhook-event-type": name };
  const { status } = await fetch(url, {
    method,
    headers: { "content-type": "application/json", ...event, ...headers },
    ...(method !== "GET" && body !== undefined && { body: text }),
  });
  if (status !== 200) throw new Error(`the receiver answered ${status}`);
}
