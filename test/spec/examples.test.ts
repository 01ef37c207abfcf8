import { expect, test } from "vitest";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import { readDocument, readExamples } from "../document.ts";

const examples = readExamples();
const events = Object.keys(readDocument().webhooks);

/** The values of every member with a name, at any depth of the examples. */
function valuesOf(name: string): string[] {
  const values: string[] = [];
  JSON.stringify(examples, (key, value) => {
    if (key === name && typeof value === "string") values.push(value);
    if (key === name && Array.isArray(value))
      values.push(...value.filter((v) => typeof v === "string"));
    return value;
  });
  return [...new Set(values)];
}

const casesOf = (of: string) => examples.filter((example) => example.of === of);
const idsOf = (of: string, key = "id") => new Set(casesOf(of).map(({ value }) => value[key]));

test("there are at least 60 examples, and at least one for each event", () => {
  expect(examples.length).toBeGreaterThanOrEqual(60);
  expect(events.filter((event) => casesOf(event).length === 0)).toEqual([]);
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

test.each([
  ["/subaccounts", "subaccounts"],
  ["/cards", "cards"],
  ["/bank-accounts", "bankAccounts"],
  ["/bank-links", "bankLinks"],
  ["/transactions", "transactions"],
])("every link to %s/{id} leads to one that its collection lists", (path, key) => {
  const listed = casesOf(`GET ${path}`).flatMap(({ value }) => {
    const items = (value._embedded as Record<string, { id: string }[]>)[key] ?? [];
    return items.map(({ id }) => `${path}/${id}`);
  });
  const links = valuesOf("href").filter((href) => href.startsWith(`${path}/`));
  expect(links.filter((href) => !listed.includes(href))).toEqual([]);
});

test("every link to a message has a target in a transaction or an event", () => {
  const projected = valuesOf("href").filter((href) => href.startsWith("/transaction-messages/"));
  const known = new Set<unknown>(idsOf("transactionmessage.created"));
  JSON.stringify(examples, (key, value) => {
    if (key === "messages" && value[0]?.id) for (const message of value) known.add(message.id);
    return value;
  });
  // Without the projection, a message may be known only by its link.
  const unknown = projected.filter((href) => !known.has(href.split("/")[2]));
  expect(unknown).toEqual([]);
});

test("every referenced bank transaction is announced or listed", () => {
  const announced = idsOf("banktransaction.created");
  const listed = casesOf("GET /bank-transactions").flatMap(({ value }) =>
    (value._embedded as { bankTransactions: { id: string }[] }).bankTransactions.map(
      ({ id }) => id,
    ),
  );
  const known = new Set<unknown>([...announced, ...listed]);
  const matched = casesOf("transaction.match.created").flatMap(({ value }) =>
    (value.matches as { id: string }[]).map(({ id }) => id),
  );
  const deleted = [...idsOf("banktransaction.deleted")];
  const named = [...valuesOf("bankTransactionId"), ...matched, ...deleted];
  expect(named.filter((id) => !known.has(id))).toEqual([]);
});

test("every deleted match was announced", () => {
  const announced = idsOf("transaction.match.created", "matchId");
  const deleted = [...idsOf("transaction.match.deleted", "matchId")];
  expect(deleted.filter((id) => !announced.has(id))).toEqual([]);
});

test("every card created by a completion has a cardsubscription.created", () => {
  const created = idsOf("cardsubscription.created");
  const minted = valuesOf("subscriptionId");
  expect(minted.length).toBeGreaterThan(0);
  expect(minted.filter((id) => !created.has(id))).toEqual([]);
});

test("every linked card belongs to the account", () => {
  const cards = new Set(
    casesOf("GET /cards").flatMap(({ value }) =>
      (value._embedded as { cards: { id: string }[] }).cards.map(({ id }) => id),
    ),
  );
  expect([...valuesOf("cardIds"), ...valuesOf("cardId")].filter((id) => !cards.has(id))).toEqual(
    [],
  );
});
