import { expect, test } from "vitest";
import { eventNames } from "../../generated/events.ts";
import { operations } from "../../generated/operations.ts";
import {
  type ResourceName,
  resourceEvents,
  resourceFields,
  resourceOperations,
  resources,
} from "../../generated/resources.ts";

const names = Object.keys(resources) as ResourceName[];

test("there are ten resources", () => {
  expect(names).toHaveLength(10);
});

test("every GET operation belongs to one resource", () => {
  const reads = Object.keys(operations).filter((key) => key.startsWith("GET "));
  const ofResources = Object.values(resourceOperations).flatMap((one) => Object.values(one));
  expect(ofResources.toSorted()).toEqual(reads.toSorted());
});

test("every event but an enrichment belongs to one resource", () => {
  const found = Object.values(resourceEvents).flat();
  const others = eventNames.filter((name) => name !== "enrichment.merchant.created");
  expect(found.toSorted()).toEqual(others.toSorted());
});

test.each(names)("%s has the address of its operations, and its name as item key", (name) => {
  const { path, idParameters } = resources[name];
  const ids = idParameters.map((id: string) => `/{${id}}`).join("");
  const own: { get?: string; list?: string } = resourceOperations[name];
  if (own.get) expect(own.get).toBe(`GET ${path}${ids}`);
  expect(own.list).toBe("itemKey" in resources[name] ? `GET ${path}` : undefined);
  if ("itemKey" in resources[name]) expect(resources[name]).toHaveProperty("itemKey", name);
});

test("the fields of a union are those of all variants, required if all require them", () => {
  const { all, required } = resourceFields.cardSubscriptions;
  expect(all).toContain("bankAccountId");
  expect(required).toContain("networkBulkFeedId");
  expect(required).not.toContain("bankAccountId");
});

test("the fields are in the order of the contract, without ids and links", () => {
  expect(resourceFields.transactionMatches).toEqual({
    all: ["confidence", "score", "cardTransaction", "reasons", "matches"],
    required: [],
  });
});
