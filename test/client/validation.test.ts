import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { responseExamples } from "../../generated/response-examples.ts";
import {
  type FeedClientOptions,
  FeedContractError,
  type LogEntry,
  type ValidationMode,
} from "../../src/client/index.ts";
import { validateResponse } from "../../src/contract/index.ts";
import { clientOf, rejectionOf, startTestServer } from "./test-server.ts";

const [{ body: GOOD }] = responseExamples["GET /transactions/{transactionId}"];
/** A body with two errors: an invalid amount and an invalid status. */
const BAD = { ...GOOD, transactionHoldAmount: "BADVALUE-1", status: 7 };
const PATH = "GET /transactions/{transactionId}";

/** A client of a server that sends this body, and its logged findings. */
async function feedOf(body: unknown, options: Partial<FeedClientOptions> = {}) {
  const findings: LogEntry[] = [];
  const log = (entry: LogEntry) => {
    if (entry.event === "findings") findings.push(entry);
  };
  const server = await startTestServer(() => ({ body }));
  return { feed: clientOf(server, { log, ...options }), findings };
}

describe("an invalid response", () => {
  const MODES = ["off", "warn", "throw"] as const;
  const PAIRS = MODES.flatMap((client) =>
    [undefined, ...MODES].map((call) => [client, call] as const),
  );

  test.each(PAIRS)(
    "is handled by the client's mode (%s) or the call's (%s)",
    async (client, call) => {
      const mode: ValidationMode = call ?? client;
      const { feed, findings } = await feedOf(BAD, { validate: client });
      const options = call && { validate: call };
      const outcomes = [
        feed.transactions.get("1", options),
        feed.transactions.getResult("1", options).then(({ data }) => data),
        feed
          .GET("/transactions/{transactionId}", {
            params: { path: { transactionId: "1" } },
            ...options,
          })
          .then(({ data }) => data),
        feed.follow("/transactions/1", options),
      ];
      // The calls settle in any order; await each in turn.
      for (const outcome of outcomes) outcome.catch(() => {});
      for (const outcome of outcomes) {
        if (mode !== "throw") expect(await outcome).toEqual(BAD);
        else expect(await rejectionOf(outcome)).toBeInstanceOf(FeedContractError);
      }
      expect(findings).toHaveLength(mode === "warn" ? outcomes.length : 0);
    },
  );

  test("is not validated by default", async () => {
    const { feed, findings } = await feedOf(BAD);
    expect(await feed.transactions.get("1")).toEqual(BAD);
    expect(findings).toEqual([]);
  });

  test("throws exactly the findings of the validators", async () => {
    const { feed } = await feedOf(BAD, { validate: "throw" });
    const error = (await rejectionOf(feed.transactions.get("1"))) as FeedContractError;
    const { findings } = validateResponse(PATH, 200, BAD);
    expect(error.issues).toEqual(findings.filter(({ level }) => level === "error"));
    expect(error.issues.map(({ path }) => path).sort()).toEqual([
      "/status",
      "/transactionHoldAmount",
    ]);
    expect(error.message).toMatch(/^GET \/transactions\/1: .* TXN-\d\d \/\w+ and 1 more$/);
    expect(error.message).not.toContain("BADVALUE");
  });

  test("is logged with requirement and path, without values", async () => {
    const { feed, findings } = await feedOf(BAD, { validate: "warn" });
    await feed.transactions.get("1");
    expect(findings).toEqual([
      {
        level: "warn",
        event: "findings",
        operation: PATH,
        path: "/transactions/1",
        requirements: expect.arrayContaining([
          expect.stringMatching(/^TXN-\d\d \/status$/),
          expect.stringMatching(/^CONV-\d\d \/transactionHoldAmount$/),
        ]),
      },
    ]);
    expect(JSON.stringify(findings)).not.toContain("BADVALUE");
  });

  test("ends a list's iteration at its page", async () => {
    const { feed } = await feedOf(
      { _links: { self: { href: "/cards" } }, _embedded: { cards: [{ id: 7 }] } },
      { validate: "throw" },
    );
    expect(await rejectionOf(feed.cards.list().toArray({ max: 9 }))).toMatchObject({
      code: "contract",
      path: "/cards",
      issues: expect.arrayContaining([
        expect.objectContaining({ requirement: "CONV-01", path: "/_embedded/cards/0/id" }),
      ]),
    });
  });
});

test("a valid response is returned unchanged in every mode", async () => {
  for (const validate of ["off", "warn", "throw"] as const) {
    const { feed, findings } = await feedOf(GOOD, { validate });
    expect(await feed.transactions.get("1")).toEqual(GOOD);
    expect(findings).toEqual([]);
  }
});

test.each(Object.entries(responseExamples).filter(([key]) => key.startsWith("GET ")))(
  "%s: the contract's examples are valid",
  async (key, examples) => {
    for (const { body } of examples) {
      const { feed, findings } = await feedOf(body, { validate: "throw" });
      const path = key.slice(4).replace(/\{\w+\}/g, "1");
      expect(await feed.follow(path)).toEqual(body);
      expect(findings).toEqual([]);
    }
  },
);

test("an unknown value of an open set is not an error", async () => {
  const { feed, findings } = await feedOf({ ...GOOD, status: "REVERSED" }, { validate: "throw" });
  await feed.transactions.get("1");
  await feed.transactions.get("1", { validate: "warn" });
  expect(findings).toEqual([]);
});

test("the client's network codes are used", async () => {
  const [{ body }] = responseExamples["GET /transaction-messages/{id}"];
  const message = { ...body, network: "MAPLE", traceId: "000734120056", approvalCode: null };
  const other = { ...message, network: "NETWORK_C" };
  const networks = { a: "OAK", b: "PINE", c: "MAPLE" };
  const outcome = async (response: unknown, options: Partial<FeedClientOptions>) => {
    const { feed } = await feedOf(response, { validate: "throw", ...options });
    return feed.transactionMessages.get("1").then(
      () => "valid",
      (error: FeedContractError) => error.issues.map(({ path }) => path).join(),
    );
  };
  expect(await outcome(message, { networks })).toBe("valid");
  expect(await outcome(other, {})).toBe("valid");
  // Only one network has trace ids (MSG-04).
  expect(await outcome(message, {})).toContain("/traceId");
  expect(await outcome(other, { networks })).toContain("/traceId");
});

test("unspecified responses are not validated", async () => {
  const { feed, findings } = await feedOf({ any: "thing" }, { validate: "throw" });
  expect(await feed.follow("/elsewhere")).toEqual({ any: "thing" });
  expect(await feed.bankLinks.complete("1")).toEqual({ any: "thing" });
  const server = await startTestServer(() => ({ status: 404, body: { id: 7 } }));
  const result = await clientOf(server, { validate: "throw" }).cards.getResult("1");
  expect(result).toMatchObject({ ok: false, status: 404, error: { id: 7 } });
  expect(findings).toEqual([]);
});

test("an error's issues quote the body, but are not printed", async () => {
  const { feed } = await feedOf(BAD, { validate: "throw" });
  const error = (await rejectionOf(feed.transactions.get("1"))) as FeedContractError;
  expect(error.issues.map(({ path }) => path)).toContain("/transactionHoldAmount");
  expect(JSON.stringify(error.issues)).toContain("BADVALUE-1");
  const printed = [
    inspect(error, { depth: Number.POSITIVE_INFINITY }),
    JSON.stringify(error),
    JSON.stringify({ ...error }),
    String(error),
    error.stack,
  ];
  for (const text of printed) expect(text).not.toContain("BADVALUE");
});
