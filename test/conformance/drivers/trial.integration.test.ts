import { expect, test } from "vitest";
import { type Driver, verbs } from "../../../conformance/driver.ts";
import sandboxDriver from "../../../conformance/drivers/sandbox.ts";
import { type TrialOptions, tryDriver } from "../../../conformance/drivers/trial.ts";
import { createSandbox } from "../../../src/sandbox/index.ts";

/** Tries the sandbox's driver with changed verbs. Returns what is wrong, by verb. */
async function tried(change: (driver: Driver) => Driver, options: TrialOptions = {}) {
  await using sandbox = await createSandbox({ world: "empty", clock: "frozen" });
  const { baseUrl } = sandbox;
  const [credentials] = sandbox.accounts;
  const driver = change(sandboxDriver({ baseUrl }));
  const target = { baseUrl, credentials, profile: "full", driver } as const;
  const trial = await tryDriver(target, { patienceMs: 500, verbMs: 500, ...options });
  const problems = trial.tried.flatMap(({ verb, problems }) =>
    problems.map((problem) => `${verb}: ${problem}`),
  );
  const untried = trial.tried.flatMap(({ verb, untried }) =>
    untried === undefined ? [] : [`${verb}: ${untried}`],
  );
  return { ...trial, problems, untried };
}

test("all verbs of the sandbox's driver work", async () => {
  const { problems, untried, missing, tried: calls } = await tried((driver) => driver);
  expect({ problems, untried, missing }).toEqual({ problems: [], untried: [], missing: [] });
  expect(new Set(calls.map(({ verb }) => verb))).toEqual(new Set(verbs));
  const events = new Set(calls.flatMap((call) => call.events));
  expect(events.size).toBe(13);
});

test("events are awaited if the driver can't settle", async () => {
  const { problems, missing } = await tried(({ settle, ...driver }) => driver);
  expect({ problems, missing }).toEqual({ problems: [], missing: ["settle"] });
});

test.each<[string, Driver, string[]]>([
  [
    "returns nothing, or rejects, or throws",
    {
      clear: (async () => {}) as never,
      enrich: () => Promise.reject(new Error("HTTP 500\n  at x")),
      rematch: () => {
        throw new Error("no VPN");
      },
    },
    [
      "enrich: it rejected: HTTP 500",
      "rematch: it rejected: no VPN",
      "clear: it returned nothing instead of { messageId }",
    ],
  ],
  [
    "never resolves",
    { enrich: () => new Promise(() => {}) },
    ["enrich: it did not resolve within 0.5 s"],
  ],
  [
    "returns a number as an id",
    { submitFeed: (async () => ({ feedId: 7 })) as never },
    [
      "submitFeed: its result's feedId is 7 instead of an id",
      "submitFeed: its result's feedId is 7 instead of an id",
    ],
  ],
  [
    "returns an id of its own",
    { submitFeed: async () => ({ feedId: "feed-1" }) },
    [
      "submitFeed: GET /network-bulk-feeds/feed-1 returned 404: the id must be that of the interface",
      expect.stringContaining("acceptFeed: it rejected: 404"),
      "submitFeed: GET /network-bulk-feeds/feed-1 returned 404: the id must be that of the interface",
      expect.stringContaining("rejectFeed: it rejected: 404"),
    ],
  ],
  [
    "has no effect",
    { enrich: async () => {} },
    ["enrich: no enrichment.merchant.created until the target had settled"],
  ],
  [
    "can't subscribe",
    { subscribe: () => Promise.reject(new Error("forbidden")) },
    ["subscribe: it rejected: forbidden"],
  ],
])("reports a verb that %s in one line", async (_, change, expected) => {
  const { problems } = await tried((driver) => ({ ...driver, ...change }));
  expect(problems).toEqual(expected);
});

test("a verb is not called without the result that it needs", async () => {
  const { untried, problems } = await tried(({ clearSca, ...driver }) => ({
    ...driver,
    startLink: () => Promise.reject(new Error("no bank")),
  }));
  expect(problems).toEqual(["startLink: it rejected: no bank", "startLink: it rejected: no bank"]);
  expect(untried).toContain("authorize: needs a result of clearSca");
  expect(untried).toContain("completeLink: needs a result of startLink");
  expect(untried).toContain("retireDuplicate: needs a result of postAtBank");
});

test("what lacks a resource names the verb that creates it", async () => {
  const { untried } = await tried(({ enrich, snapshot, ...driver }) => ({
    ...driver,
    authorize: () => Promise.reject(new Error("no network")),
  }));
  expect(untried).toContain("clear: needs a result of authorize");
  expect(untried).toContain("restore: needs a result of snapshot");
});

test("an event of another resource does not count", async () => {
  const { problems } = await tried((driver) => {
    const { enrich, authorize, ...others } = driver;
    const { deactivate, enroll } = driver;
    return {
      ...others,
      // Deactivates another card than the given one.
      deactivate: async () => {
        const { subscriptionId } = (await enroll?.()) ?? { subscriptionId: "" };
        await driver.clearSca?.({ subscriptionId });
        await deactivate?.({ subscriptionId });
      },
    };
  });
  expect(problems).toEqual([
    expect.stringMatching(/^deactivate: no cardsubscription.updated of [-0-9a-f]{36} until/),
  ]);
});

test("an interrupted trial reports what it has tried", async () => {
  const interruption = new AbortController();
  const { brokenOff, tried: calls } = await tried((driver) => driver, {
    signal: interruption.signal,
    onTried: ({ verb }) => {
      if (verb === "authorize") interruption.abort(new Error("stopped by Ctrl-C"));
    },
  });
  expect(brokenOff).toBe("stopped by Ctrl-C");
  expect(calls.map(({ verb }) => verb).at(-2)).toBe("authorize");
  expect(calls.at(-1)?.verb).toBe("unsubscribe");
});

test("a trial announces each verb before it calls it", async () => {
  const events: string[] = [];
  await tried((driver) => driver, {
    onTrying: (verb) => void events.push(`trying ${verb}`),
    onTried: ({ verb }) => void events.push(`tried ${verb}`),
  });
  // The run itself calls the verbs of the subscription.
  const [first, ...others] = events;
  expect([first, others.pop()]).toEqual(["tried subscribe", "tried unsubscribe"]);
  expect(others.length).toBeGreaterThan(20);
  for (const [at, event] of others.entries()) {
    if (at % 2 === 0) expect(others[at + 1]).toBe(event.replace("trying", "tried"));
  }
  expect(others[0]).toMatch(/^trying /);
});
