import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The times of a resource's announced updates, in order. */
async function updatesOf(sandbox: Sandbox, id: string): Promise<string[]> {
  const events = await sandbox.events();
  const bodies = events.map(({ body }) => body as { id?: string; updatedAt?: string });
  return bodies.flatMap(({ id: one, updatedAt }) => (one === id && updatedAt ? [updatedAt] : []));
}

test("updatedAt increases on a frozen, set back and restored clock", async () => {
  const directory = tempDir();
  const options = { data: join(directory, "data.db"), clock: "frozen" } as const;
  const first = await createSandbox(options);
  const { transactionId } = (await first.trigger("purchase", { amount: 100 })).result;
  await first.trigger("clear-partial", { transactionId, amount: 20 });
  await first.trigger("clear-partial", { transactionId, amount: 30 });
  const { now } = await first.readClock();
  expect(await updatesOf(first, transactionId)).toEqual(
    [0, 1, 2].map((ms) => new Date(Date.parse(now) + ms).toISOString()),
  );
  await first.setClock({ mode: "frozen", now: "2020-01-01T00:00:00.000Z" });
  await first.trigger("clear-partial", { transactionId, amount: 10 });
  await first.snapshot("four");
  await first.trigger("clear-partial", { transactionId, amount: 10 });
  await first.restore("four");
  await first.close();
  await using second = await createSandbox(options);
  await second.trigger("clear", { transactionId });
  const updates = await updatesOf(second, transactionId);
  expect(updates).toHaveLength(5);
  expect(updates).toEqual([...new Set(updates)].toSorted());
});
