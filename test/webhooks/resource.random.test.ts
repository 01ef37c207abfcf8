import { expect, test } from "vitest";
import { playScripts } from "../../mutation/random-scripts.ts";
import type { FeedEvent } from "../../src/contract/index.ts";
import { createSandbox } from "../../src/sandbox/index.ts";
import { resourceOf } from "../../src/webhooks/resource.ts";

/** The sandbox delivers a message and its enrichments in order with their transaction. */
const isOfMessage = (key: string) => key.startsWith("transaction-messages:");

test("events with the same key are those that an ordered sandbox sends in order", async () => {
  await using sandbox = await createSandbox({ seed: 3 });
  await playScripts(sandbox, { count: 60, seed: 11 });
  const orderOf = new Map<string, string>();
  const keyOf = new Map<string, string>();
  const names = new Set<string>();
  for (let after = 0; ; ) {
    const events = await sandbox.events({ after });
    if (events.length === 0) break;
    for (const { name, body, resource } of events) {
      const key = resourceOf({ name, body } as FeedEvent);
      if (key === undefined) throw new Error(`${name} has no key`);
      names.add(name);
      expect(orderOf.get(key) ?? resource).toBe(resource);
      orderOf.set(key, resource);
      if (isOfMessage(key)) continue;
      expect(keyOf.get(resource) ?? key).toBe(key);
      keyOf.set(resource, key);
    }
    after = events.at(-1)?.seq ?? 0;
  }
  expect(names.size).toBe(13);
  expect(keyOf.size).toBeGreaterThan(200);
});
