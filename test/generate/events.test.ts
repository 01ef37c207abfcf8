import { expect, test } from "vitest";
import { type EventInfo, eventInfo, eventNames } from "../../generated/events.ts";
import { resources } from "../../generated/resources.ts";
import { renderEvents } from "../../scripts/generate/events.ts";
import { ScriptError } from "../../scripts/run-script.ts";
import { segmentsOf, valueAt } from "../../src/contract/pointer.ts";
import { type Document, readDocument } from "../document.ts";

const { webhooks } = readDocument();
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each(eventNames)("%s: its examples have the id of its resource and of its order", (name) => {
  const { id, orderBy, resource }: EventInfo = eventInfo[name];
  const media = webhooks[name]?.post?.requestBody?.content["application/json"];
  for (const { value } of Object.values(media?.examples ?? {})) {
    for (const pointer of [id, orderBy.id]) {
      expect(valueAt(value, segmentsOf(pointer)), pointer).toMatch(UUID);
    }
  }
  const paths: readonly string[] = Object.values(resources).map(({ path }) => path);
  expect(paths).toContain(`/${orderBy.kind}`);
  if (resource !== undefined) expect(Object.keys(resources)).toContain(resource);
});

/** The error lines of `npm run generate` for a changed document. */
function linesOf(change: (document: Document) => void): readonly string[] {
  const document = readDocument();
  change(document);
  try {
    renderEvents(document as never);
    return [];
  } catch (error) {
    if (error instanceof ScriptError) return error.lines;
    throw error;
  }
}

test("an event without the id of its resource is refused", () => {
  const lines = linesOf(({ components }) => {
    delete components.schemas["BankLinkCompletedEvent"]?.properties?.["bankLinkId"];
  });
  expect(lines).toEqual([
    "spec: banklink.completed: BankLinkCompletedEvent has no id: mark a property with @resourceId",
  ]);
});

test("an order by a place that the payload does not have is refused", () => {
  const lines = linesOf((document) => {
    const post = document.webhooks["transaction.match.created"]?.post;
    Object.assign(post ?? {}, { "x-order-by": { path: "/cards/{id}", id: "/matches/0/cardId" } });
  });
  expect(lines).toEqual([
    "spec: transaction.match.created: TransactionMatchEvent has nothing at /matches/0/cardId: " +
      "correct its @orderBy",
  ]);
});
