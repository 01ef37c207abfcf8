import { expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import { readDocument, readExamples } from "../document.ts";

const examples = readExamples();
const events = Object.keys(readDocument().webhooks);

test.each([...events, ...Object.keys(operations)])("%s has one to three examples", (name) => {
  expect([1, 2, 3]).toContain(examples.filter(({ of }) => of === name).length);
});

test("what the items of a list link to is an example, or an item of a list", () => {
  const listed = examples.filter(
    ({ of, value }) => /^GET .*[^}]$/.test(of) && "_embedded" in value,
  );
  const items = listed.flatMap(({ value }) => Object.values(value["_embedded"] as object).flat());
  const selves = [...items, ...examples.map(({ value }) => value)].map(
    ({ _links }) => _links?.self,
  );
  const known = new Set(selves.map((self) => self?.href));
  const links = items.flatMap(({ _links }) => Object.entries(_links ?? {}));
  const single = links.filter(([name]) => name !== "messages") as [string, { href: string }][];
  expect(single.length).toBeGreaterThan(20);
  expect(single.filter(([, { href }]) => !known.has(href))).toEqual([]);
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
