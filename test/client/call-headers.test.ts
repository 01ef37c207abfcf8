import { expect, onTestFinished, test } from "vitest";
import { type UndiciTransport, undiciTransport } from "../../src/client/undici/index.ts";
import { TxfeedError } from "../../src/errors.ts";
import { startFixture } from "./fixture.ts";
import { rejectionOf } from "./test-server.ts";

const card = "/cards/card-1";

const BAD: [name: string, value: string][] = [
  ["x-tenant", "canary\nx-other: 1"],
  ["x-tenant", "canary\r\n\r\n"],
  ["x-tenant", "canary\rx"],
  ["x tenant", "canary"],
  ["x:tenant", "canary"],
  ["x-tenänt", "canary"],
];

const TRANSPORTS = [
  ["fetch", () => ({})],
  ["undici", () => ({ transport: closing(undiciTransport()) })],
] as const;

function closing(transport: UndiciTransport): UndiciTransport {
  onTestFinished(transport.close);
  return transport;
}

function expectRefused(error: unknown, name: string): void {
  expect(error).toBeInstanceOf(TxfeedError);
  expect(error).toMatchObject({ code: "usage" });
  expect((error as Error).message).toContain(name);
  expect((error as Error).message).not.toMatch(/canary|\n/);
}

test.each(BAD)("a call's header %j: %j is rejected before sending", async (name, value) => {
  const { server, feed } = await startFixture({ retries: 0 });
  const headers = { [name]: value };
  const calls = [
    feed.cards.get("card-1", { headers }),
    feed.cards.getResult("card-1", { headers }),
    feed.bankLinks.complete("link-1", { headers }),
    feed.follow(card, { headers }),
    feed.cards.list({ headers }).toArray({ max: 1 }),
  ];
  for (const error of await Promise.all(calls.map(rejectionOf))) expectRefused(error, name);
  expect(server.seen).toEqual([]);
});

test.each(TRANSPORTS.flatMap(([by, options]) => BAD.map((bad) => [by, ...bad, options] as const)))(
  "by %s, a header that middleware sets to %j: %j is never sent",
  async (_, name, value, options) => {
    let runs = 0;
    const { clock, server, feed } = await startFixture({
      ...options(),
      middleware: [
        (request, next) => {
          runs += 1;
          return next({ ...request, headers: { ...request.headers, [name]: value } });
        },
      ],
    });
    expectRefused(await rejectionOf(clock.skipDelays(feed.cards.get("card-1"))), name);
    expect(server.requests()).toBe(0);
    expect(runs).toBe(1);
  },
);

test("a call accepts Headers under the same rules as a record", async () => {
  const { server, feed } = await startFixture();
  const headers = new Headers({ "X-Tenant": "acme", Authorization: "mine" });
  await feed.cards.get("card-1", { headers });
  await feed.cards
    .list({ headers })
    .toArray({ max: 1 })
    .catch(() => {});
  const seen = server.seen.filter(({ method }) => method === "GET");
  expect(seen).toHaveLength(2);
  for (const request of seen) {
    expect(request.headers).toMatchObject({
      "x-tenant": "acme",
      authorization: "Bearer token-1",
    });
  }
});
