import { expect, test } from "vitest";
import { checkExampleCoverage } from "../../scripts/generate/example-coverage.ts";
import { ScriptError } from "../../scripts/run-script.ts";
import { type Document, readDocument } from "../document.ts";

const fileOf = (of: string, name: string) => `spec/examples/${of}/${name}.json`;

/** The error lines of `npm run generate` for a changed document; empty if it is accepted. */
function linesOf(change: (document: Document) => void): readonly string[] {
  const document = readDocument();
  change(document);
  try {
    checkExampleCoverage(document as never, fileOf);
    return [];
  } catch (error) {
    if (error instanceof ScriptError) return error.lines;
    throw error;
  }
}

const properties = (document: Document, name: string) =>
  document.components.schemas[name]?.properties ?? {};

const example = (document: Document, event: string) =>
  document.webhooks[event]?.post?.requestBody?.content["application/json"]?.examples ?? {};

test("the examples show every property", () => {
  expect(linesOf(() => {})).toEqual([]);
});

test.each<[string, (document: Document) => void, RegExp]>([
  [
    "of a resource",
    (document) => (properties(document, "Card")["label"] = { type: "string" }),
    /^spec\/examples\/listCards\/[\w-]+\.json: no example has Card\.label: let a verb /,
  ],
  [
    "of an event",
    (document) => (properties(document, "BankLinkCompletedEvent")["by"] = { type: "string" }),
    /^spec\/examples\/banklink\.completed\/[\w-]+\.json: no example has BankLinkCompletedEvent\.by:/,
  ],
  [
    "of an item, although another schema has a property of the name",
    (document) => (properties(document, "LinkedBankAccount")["reason"] = { type: "string" }),
    /: no example has LinkedBankAccount\.reason:/,
  ],
  [
    "of a variant",
    (document) => (properties(document, "BankFeedSubscription")["feed"] = { type: "string" }),
    /^spec\/examples\/getCardSubscription\/[\w-]+\.json: no example has BankFeedSubscription\.feed:/,
  ],
  [
    "of an inline object",
    (document) => {
      const links = properties(document, "BankTransaction")["_links"]?.properties ?? {};
      links["account"] = { type: "string" };
    },
    /: no example has BankTransaction\.account:/,
  ],
])(
  "a property %s without an example is named, with the source of an example",
  (_what, change, line) => {
    expect(linesOf(change)).toEqual([expect.stringMatching(line)]);
  },
);

test("a property needs no example where another schema shows the same one", () => {
  const shown = (document: Document) => {
    const id = properties(document, "Transaction")["subaccountId"] ?? {};
    properties(document, "BankLinkCompletedEvent")["subaccountId"] = { ...id, description: "Own." };
  };
  expect(linesOf(shown)).toEqual([]);
});

test("a body without examples is named", () => {
  const lines = linesOf((document) => {
    const examples = example(document, "banklink.completed");
    for (const name of Object.keys(examples)) delete examples[name];
  });
  expect(lines).toContain(
    "spec/examples/banklink.completed/: has no example: add one, such as a.json",
  );
});
