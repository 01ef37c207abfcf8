import { expect, test } from "vitest";
import { type EventName, eventNames } from "../../generated/events.ts";
import { validateEvent } from "../../src/contract/index.ts";
import { readExamples } from "../document.ts";

const TWINS = [/^transaction\.(created|updated)$/, /^cardsubscription\./];
const examples = readExamples().filter(({ kind }) => kind === "event");
const payloadOf = (name: EventName) => examples.find(({ of }) => of === name)?.value ?? {};
const areTwins = (one: string, other: string) =>
  TWINS.some((pair) => pair.test(one) && pair.test(other));

const mistakes = eventNames.flatMap((name) =>
  eventNames
    .filter((other) => other !== name && !areTwins(name, other))
    .map((other): [EventName, EventName] => [name, other]),
);

test.each(mistakes)("%s with the body of %s is one finding of WHK-02", (name, other) => {
  const { findings } = validateEvent(name, payloadOf(other));
  expect(findings).toHaveLength(1);
  expect(findings[0]?.requirement).toBe("WHK-02");
  expect(findings[0]?.expected).toBe(`the shape of ${name}`);
  const [, reported = ""] = /^that of (.*)$/.exec(findings[0]?.actual ?? "") ?? [];
  expect(reported === other || areTwins(reported, other)).toBe(true);
});

test("the body of the paired event is valid", () => {
  const body = payloadOf("transaction.created");
  expect(validateEvent("transaction.updated", body).ok).toBe(true);
});

test("a body without any event's shape has a finding for each error", () => {
  const { findings } = validateEvent("banktransaction.deleted", { id: 1 });
  expect(findings.map(({ path }) => path).sort()).toEqual([
    "/bankAccountId",
    "/deletedAt",
    "/id",
    "/metadata",
    "/reason",
  ]);
});
