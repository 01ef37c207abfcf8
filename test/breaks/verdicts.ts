import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import type { Breakage } from "../../src/breaks/change.ts";
import { compareDocuments } from "../../src/breaks/compare.ts";
import type { Witness } from "../../src/breaks/witness.ts";
import { readDocument } from "../document.ts";
import type { Doc, LabelledChange } from "./corpus/index.ts";

const before = readDocument();

/** Tests the verdict for each audience on each labelled change, and its witnesses. */
export function describeVerdicts(title: string, changes: readonly LabelledChange[]): void {
  describe(title, () => {
    test.each(changes)("$name", async ({ edit, expected, isShapeBreak }) => {
      const after = structuredClone(before);
      edit(after);
      const breakage = await compareDocuments(before as never, after as never);
      expect(breakage.audiences).toEqual(expected);
      if (isShapeBreak) expect(witnessesOf(breakage)).not.toEqual([]);
      for (const witness of witnessesOf(breakage)) {
        expect(isProof(witness, { old: before, new: after })).toBe(true);
      }
      const unexplained = breakage.changes.filter(
        ({ audiences, witness, reasons }) =>
          Object.values(audiences).includes("breaking") && !witness && !reasons,
      );
      expect(unexplained).toEqual([]);
    });
  });
}

function witnessesOf({ changes }: Breakage): readonly Witness[] {
  return changes.flatMap(({ witnesses = [] }) => witnesses);
}

/** Validates a witness independently of the tool: by AJV on the schema of the document. */
function isProof(witness: Witness, documents: Readonly<Record<"old" | "new", Doc>>): boolean {
  const verdict = (side: "old" | "new") => isValid(documents[side], witness);
  const [accepts, rejects] = [verdict(witness.accepts), verdict(witness.rejects)];
  if (accepts === undefined || rejects === undefined) return true;
  return accepts && !rejects;
}

/** Undefined if the difference is not in the JSON body. */
function isValid(document: Doc, { message, payload, error }: Witness): boolean | undefined {
  const { body } = payload as { body?: unknown };
  const [method = "", path = "", status = ""] = message.split(" ");
  const pointer =
    message in document.webhooks
      ? ["webhooks", message, "post", "requestBody"]
      : [
          "paths",
          path,
          method.toLowerCase(),
          ...(status ? ["responses", status] : ["requestBody"]),
        ];
  const owner = pointer.reduce<unknown>((at, key) => (at as Doc)?.[key as never], document);
  const content = (owner as { content?: Record<string, unknown> } | undefined)?.content;
  if (!error.startsWith("/body") || body === undefined || !content?.["application/json"]) {
    return undefined;
  }
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(document, "document");
  const parts = [...pointer, "content", "application/json", "schema"];
  const escaped = parts.map((part) =>
    encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")),
  );
  return ajv.compile({ $ref: `document#/${escaped.join("/")}` })(body);
}
