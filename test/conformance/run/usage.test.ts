import { expect, test, vi } from "vitest";
import { type RunOptions, replayEvidence, runConformance } from "../../../conformance/run/run.ts";
import { limitOption } from "../../../conformance/run/usage.ts";

/** The options of the API are validated like those of the command line, with one-line errors. */

const credentials = { accountId: "a", clientId: "b", clientSecret: "canary-secret" };
const target = { baseUrl: "http://127.0.0.1:9", credentials, profile: "full" } as const;
const webhooks = { host: "127.0.0.1", port: 0 };
const ADDRESS = "baseUrl takes http(s)://HOST[:PORT][/PATH], with no user, query or fragment";

test.each<[wrong: unknown, options: RunOptions, message: string]>([
  [undefined, {}, "the target is missing: pass baseUrl, credentials and profile"],
  [{ ...target, baseUrl: undefined }, {}, ADDRESS],
  [{ ...target, baseUrl: "file:///etc" }, {}, ADDRESS],
  [{ ...target, baseUrl: "http://127.0.0.1:9/?a=1#x" }, {}, ADDRESS],
  [{ ...target, baseUrl: "http://127.0.0.1:9/?" }, {}, ADDRESS],
  [{ ...target, baseUrl: "http://user:canary@127.0.0.1:9" }, {}, ADDRESS],
  [{ ...target, profile: "Full" }, {}, 'profile takes full or mock, not "Full"'],
  [{ ...target, profile: undefined }, {}, 'profile takes full or mock, not "undefined"'],
  [{ ...target, credentials: undefined }, {}, "credentials.accountId is missing"],
  [
    { ...target, credentials: { ...credentials, clientSecret: "" } },
    {},
    "credentials.clientSecret is missing",
  ],
  [{ ...target, secondAccount: { accountId: "x" } }, {}, "secondAccount.clientId is missing"],
  [{ ...target, sdkCredentials: { clientId: "x" } }, {}, "sdkCredentials.clientSecret is missing"],
  [
    { ...target, webhooks: { ...webhooks, collectSeconds: Number.NaN } },
    {},
    "webhooks.collectSeconds takes a number from 0 to 86,400, not NaN",
  ],
  [
    { ...target, webhooks: { ...webhooks, collectSeconds: 5 } },
    { limitMs: 5_000 },
    "limitMs of 5000 ms is too short: webhooks.collectSeconds takes 5 s",
  ],
  [
    target,
    { only: ["MAT-99"] },
    `only: there is no group or requirement "MAT-99"; did you mean "MAT-09"?`,
  ],
  [
    target,
    { only: [] },
    "option 'only' takes a list of groups and ids; omit it to run every check",
  ],
])("invalid input %# is rejected before any request", async (wrong, options, message) => {
  const fetched = vi.spyOn(globalThis, "fetch");
  const running = runConformance(wrong as typeof target, options);
  const error = await running.catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "usage", message });
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
});

test("`only` ignores the case of names, also in a replay", async () => {
  const means = { profile: "mock", networks: {}, verbs: [] };
  const run = { kind: "run", version: 1, target: "http://x", startedAt: "", means } as never;
  const report = await replayEvidence([run], { only: ["mat-05"] });
  const requests = report.requirements.filter(({ reason }) => reason !== "not selected");
  expect(requests.filter(({ verdict }) => verdict !== "excluded").map(({ id }) => id)).toEqual([
    "MAT-05",
  ]);
  const wrong = replayEvidence([run], { only: ["MAT-99"] });
  await expect(wrong).rejects.toMatchObject({ code: "usage" });
});

test("the default time limit includes the collection time", () => {
  const collecting = { standardMs: 120_000, collectMs: 300_000 };
  expect(limitOption("timeoutMs", undefined, collecting)).toBe(420_000);
  expect(limitOption("timeoutMs", 301_000, collecting)).toBe(301_000);
  expect(() => limitOption("timeoutMs", 60_000, collecting)).toThrow(
    /^timeoutMs of 60000 ms is too short/,
  );
});
