import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { judgeEvidence } from "../../conformance/index.ts";
import { runConformance } from "../../conformance/run.ts";
import type { Evidence } from "../../conformance/wire/evidence.ts";
import { type Delivery, story, storyNames } from "../../src/fixtures/index.ts";
import { ContraryServer, type Manners, SDK } from "./contrary/contrary-server.ts";

/**
 * A suite that fails a server for what the interface leaves open is worth nothing to the server's
 * makers. This one does otherwise than the sandbox wherever it may.
 */
const manners: [string, Manners][] = [
  ["every list by offset, messages projected", { style: "offset", projection: true }],
  ["every list by cursor, no projection", { style: "cursor", projection: false }],
];

/** Every story there is, each of a scene of its own; the last few happen while the run looks on. */
const past = storyNames.map((name, i) => story(name, { seed: 100 + i }));
const present = storyNames.map((name, i) => story(name, { seed: 500 + i }));

/** Out of order, some twice, several at once: how deliveries come is nowhere promised. */
async function deliver(url: string, deliveries: readonly Delivery[]): Promise<void> {
  const queue = deliveries.flatMap((delivery, i) =>
    i % 7 === 0 ? [delivery, delivery] : delivery,
  );
  // A fixed shuffle: what fails today fails tomorrow.
  const shuffled = queue
    .map((delivery, i) => ({ delivery, key: (i * 7_919) % 1_009 }))
    .sort((a, b) => a.key - b.key);
  await Promise.all(
    shuffled.map(async ({ delivery }, i) => {
      await sleep(i % 50);
      await fetch(`${url}/hook?tenant=1`, {
        method: "POST",
        headers: {
          "Webhook-Event-Type": delivery.headers["webhook-event-type"],
          "content-type": "application/json; charset=utf-8",
          "x-attempt": "1",
        },
        body: JSON.stringify({ ...delivery.body, eventTime: 1_700_000_000, tenant: { nr: 1 } }),
      });
    }),
  );
}

test.each(manners)("nothing is held against a server that does otherwise: %s", async (_, how) => {
  await using server = await new ContraryServer(how).start();
  for (const delivery of past.flat()) server.take(delivery);
  for (const delivery of story("bank-only-movement", { seed: 900 })) server.take(delivery, 1);
  const [credentials, secondAccount] = server.accounts;
  if (!credentials || !secondAccount) throw new Error("two accounts");
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
        for (const delivery of present.flat()) server.take(delivery);
        delivering = deliver(url, present.flat());
      },
    },
  );
  await delivering;
  const broken = report.requirements.filter(({ verdict }) => /failed|warned/.test(verdict));
  expect(
    broken.flatMap(({ id, checks }) =>
      checks.flatMap(
        ({ name, findings }) => findings?.map(({ message }) => `${id} ${name}: ${message}`) ?? [],
      ),
    ),
  ).toEqual([]);
  expect(report.faults).toEqual([]);
  expect(report.summary.passed).toBeGreaterThan(40);
  expect(JSON.stringify(await judgeEvidence(evidence))).toBe(JSON.stringify(report));
});
