import { expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import { readDocument, readExamples } from "../document.ts";

const examples = readExamples();
const events = Object.keys(readDocument().webhooks);

test.each([...events, ...Object.keys(operations)])("%s has one to three examples", (name) => {
  expect([1, 2, 3]).toContain(examples.filter(({ of }) => of === name).length);
});

test("every next link leads to the page of another example", () => {
  const known = new Set<string>();
  const next = new Set<string>();
  JSON.stringify(examples, (key, value) => {
    if (key === "self") known.add(value.href);
    if (key === "next") next.add(value.href);
    return value;
  });
  expect(next.size).toBe(5);
  expect([...next].filter((href) => !known.has(href))).toEqual([]);
});

test.each(examples.filter(({ of }) => !of.startsWith("PATCH")))(
  "$of: $case has a summary and is valid without findings",
  ({ of, kind, summary, value }) => {
    expect(summary).toBeTruthy();
    const { ok, findings } =
      kind === "event"
        ? validateEvent(of, value)
        : validateResponse(of as "GET /cards", 200, value);
    // The interface shows one type of bank account; the examples have more.
    const others = findings.filter(
      ({ level, path }) => level !== "notice" || !/^\/bankAccounts\/\d+\/type$/.test(path),
    );
    expect({ ok, others }).toEqual({ ok: true, others: [] });
  },
);
