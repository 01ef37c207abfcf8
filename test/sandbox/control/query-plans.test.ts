import { expect, test, vi } from "vitest";
import { Listing } from "../../../src/sandbox/http/listing.ts";
import { playALittle, startHarness } from "./harness.ts";

test("queries for the latest or a page neither sort nor scan all resources", async () => {
  const { engine, local } = await startHarness();
  const prepared = vi.spyOn(engine.store, "sql");
  await playALittle(local);
  const [account] = (await local.status()).accounts;
  const accountId = account?.accountId ?? "";
  await local.resources("transactions");
  await local.resources("transactions", { accountId });
  for (const asOfMs of [undefined, 0]) {
    const listing = new Listing(engine.store, "cards", accountId, asOfMs);
    listing.after(0, 1);
    listing.from(0, 1);
    listing.total();
  }
  const { database } = engine.store;
  const read = new Set(prepared.mock.calls.map(([text]) => text));
  const plans = [...read]
    .filter((text) => /\bresources\b/.test(text) && !text.startsWith("INSERT"))
    .map(
      (text) => [text, detailsOf(database.prepare(`EXPLAIN QUERY PLAN ${text}`).all())] as const,
    );
  expect(plans.length).toBeGreaterThan(8);
  const slow = plans.filter(([text, plan]) => {
    // Children of both states are sorted because they are few; counts come from an index.
    const isSorted = /TEMP B-TREE/.test(plan) && !text.includes("open IN");
    return isSorted || /SCAN resources(?! USING COVERING INDEX)/.test(plan);
  });
  expect(slow).toEqual([]);
});

function detailsOf(rows: readonly Record<string, unknown>[]): string {
  return rows.map((row) => row["detail"]).join("; ");
}
