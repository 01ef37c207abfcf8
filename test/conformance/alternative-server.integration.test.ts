import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { replayEvidence } from "../../conformance/index.ts";
import { runConformance } from "../../conformance/run/run.ts";
import type { Evidence } from "../../conformance/wire/evidence.ts";
import { type Delivery, scenario, scenarioNames } from "../../src/fixtures/index.ts";
import { AlternativeServer, abridged, type Manners, SDK } from "./alternative-server/server.ts";
import { findingsIn } from "./runs.ts";

/**
 * Variants of the alternative server.
 * The suite must not fail a server for a choice that the interface leaves open.
 */
const manners: [string, Manners & Ways][] = [
  ["every list by offset, messages projected", { style: "offset", projection: true }],
  ["every list by cursor, no projection", { style: "cursor", projection: false }],
  [
    "ids in upper case, messages abridged, removed resources kept",
    {
      ...{ style: "cursor", projection: true, exactSelf: true },
      ...{ abridged: true, remembers: true, upperCase: true },
    },
  ],
  [
    "everything changes during the requests",
    { style: "offset", projection: true, exactSelf: true, live: true },
  ],
];

/** More ways in which the server differs. */
interface Ways {
  readonly upperCase?: boolean;
  /** Whether each scenario is delivered in order, step by step, while the run sends requests. */
  readonly live?: boolean;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** A scenario's deliveries as this server sends them. */
function deliveredBy(
  all: readonly Delivery[],
  { upperCase, abridged: isAbridged }: Manners & Ways,
) {
  const text = JSON.stringify(all);
  const own: Delivery[] = JSON.parse(
    upperCase ? text.replace(UUID, (id) => id.toUpperCase()) : text,
  );
  if (!isAbridged) return own;
  return own.map((delivery) => {
    const isMessage = delivery.headers["webhook-event-type"] === "transactionmessage.created";
    return isMessage
      ? ({ ...delivery, body: abridged(delivery.body) } as unknown as Delivery)
      : delivery;
  });
}

/** Every scenario, once for the past and once for deliveries during the run. */
const past = scenarioNames.map((name, i) => scenario(name, { seed: 100 + i }));
const present = scenarioNames.map((name, i) => scenario(name, { seed: 500 + i }));

/** Delivers out of order, with duplicates, concurrently: the interface promises no order. */
async function deliver(url: string, deliveries: readonly Delivery[]): Promise<void> {
  const queue = deliveries.flatMap((delivery, i) =>
    i % 7 === 0 ? [delivery, delivery] : delivery,
  );
  // A fixed shuffle makes failures reproducible.
  const shuffled = queue
    .map((delivery, i) => ({ delivery, key: (i * 7_919) % 1_009 }))
    .sort((a, b) => a.key - b.key);
  await Promise.all(
    shuffled.map(async ({ delivery }, i) => {
      await sleep(i % 50);
      await send(url, delivery);
    }),
  );
}

/** Plays all scenarios concurrently, each in order. The state changes just before each delivery. */
async function playConcurrently(
  url: string,
  scenarios: readonly (readonly Delivery[])[],
  take: (delivery: Delivery) => void,
): Promise<void> {
  await Promise.all(
    scenarios.map(async (deliveries, i) => {
      for (const [at, delivery] of deliveries.entries()) {
        await sleep(10 + ((i * 37 + at * 61) % 120));
        take(delivery);
        await send(url, delivery);
      }
    }),
  );
}

async function send(url: string, delivery: Delivery): Promise<void> {
  await fetch(`${url}/hook?tenant=1`, {
    method: "POST",
    headers: {
      "Webhook-Event-Type": delivery.headers["webhook-event-type"],
      "content-type": "application/json; charset=utf-8",
      "x-attempt": "1",
    },
    body: JSON.stringify({ ...delivery.body, eventTime: 1_700_000_000, tenant: { nr: 1 } }),
  });
}

test.each(manners)("other choices of a server give no findings: %s", async (_, how) => {
  await using server = await new AlternativeServer(how).start();
  for (const delivery of deliveredBy(past.flat(), how)) server.take(delivery);
  const now = present.map((one) => deliveredBy(one, how));
  for (const delivery of scenario("bank-only-movement", { seed: 900 })) server.take(delivery, 1);
  const [credentials, secondAccount] = server.accounts;
  const { baseUrl } = server;
  const evidence: Evidence[] = [];
  let delivering: Promise<void> | undefined;
  const report = await runConformance(
    {
      baseUrl,
      credentials,
      secondAccount,
      sdkCredentials: SDK,
      profile: "full",
      webhooks: { host: "127.0.0.1", port: 0, collectSeconds: 3 },
    },
    {
      onEvidence: (entry) => evidence.push(entry),
      onListening: (url) => {
        if (how.live) {
          // Skip the long scenarios, which repeat the short ones.
          const short = now.filter((deliveries) => deliveries.length < 30);
          delivering = playConcurrently(url, short, (delivery) => server.take(delivery));
        } else {
          for (const delivery of now.flat()) server.take(delivery);
          delivering = deliver(url, now.flat());
        }
      },
    },
  );
  await delivering;
  expect(findingsIn(report)).toEqual([]);
  expect(report.suiteErrors).toEqual([]);
  expect(report.claims.decided).toBeGreaterThan(100);
  expect(JSON.stringify(await replayEvidence(evidence))).toBe(JSON.stringify(report));
});
