import { expect, test } from "vitest";
import { sample, sampleByCase } from "../../../conformance/observe/feed.ts";

/** Sampling of resources. */
const purchase = (nr: number) => ({ nr, network: "NETWORK_A", status: "SETTLED" });
const many = Array.from({ length: 1000 }, (_, nr) => purchase(nr));

test("a short list is returned whole", () => {
  expect(sampleByCase(many.slice(0, 5), 5, (one) => one)).toEqual(many.slice(0, 5));
});

test("a sample is spread from the first to the last", () => {
  expect(sample(many, 3).map(({ nr }) => nr)).toEqual([0, 500, 999]);
  expect(sample(many, 1).map(({ nr }) => nr)).toEqual([0]);
});

test.each([
  ["a superseded message", { supersededMessageIds: ["x"] }],
  ["no card", { cardId: null }],
  ["another network", { network: "NETWORK_C" }],
  ["a bank's message", { _embedded: { messages: [{ bankData: {}, network: "N" }] } }],
])("a rare case is always sampled: %s", (_what, rare) => {
  const one = { ...purchase(777), ...rare };
  const list = many.with(777, one);
  expect(sampleByCase(list, 50, (each) => each)).toContain(one);
  expect(sampleByCase(list, 50, (each) => each)).toHaveLength(50);
});

test("a large number of cases leaves room for other resources", () => {
  const list = many.map((one) => ({ ...one, status: `S${one.nr}` }));
  const chosen = sampleByCase(list, 50, (each) => each);
  expect(chosen).toHaveLength(50);
  expect(chosen).toContain(list.at(-1));
});
