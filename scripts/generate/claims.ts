import { suggestion } from "../../src/nearest.ts";
import { ScriptError } from "../run-script.ts";
import { type Document, parseDocument } from "./document.ts";
import type { Catalogue } from "./requirements.ts";

/**
 * `@requirement` may name a claim, such as `MAT-01.bank-side`, which a wrong or missing value at
 * that place violates. Findings need it; the published document has the requirement only.
 */
const KEY = "x-requirements";

/** The document that is published: its `x-requirements` name requirements only. */
export function publishedDocument(json: string): string {
  const document = JSON.parse(json, (key, value) => {
    if (key !== KEY) return value;
    return [...new Set((value as string[]).map((id) => id.split(".", 1)[0]))];
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * Reads the document with claims. The first id of a schema is the claim that its findings name: the
 * only claim of a requirement needs no name. A further id without a claim documents the schema.
 *
 * @throws {ScriptError} A line for each unknown id, and for each first id of several claims.
 */
export function claimedDocument(json: string, { requirements }: Catalogue): Document {
  const claimsOf = new Map(
    requirements.map(({ id, claims = [] }) => [id, claims.map((claim) => `${id}.${claim.id}`)]),
  );
  const known = [...claimsOf.keys(), ...[...claimsOf.values()].flat()];
  const problems = new Set<string>();
  const document = parseDocument(json);
  const named = (ids: readonly string[], isOfSchema: boolean): string[] =>
    ids.map((id, index) => {
      // A requirement without any claim is a problem of the catalogue, which reports it.
      if (claimsOf.get(id.split(".", 1)[0] ?? "")?.length === 0) return id;
      if (!known.includes(id)) {
        const advice = suggestion(id, known, "add it there with its claims");
        problems.add(`spec: @requirement("${id}"): ${FILE} does not have it; ${advice}`);
      }
      const claims = claimsOf.get(id);
      if (!claims || index > 0 || !isOfSchema) return id;
      if (claims.length !== 1) {
        problems.add(`spec: @requirement("${id}"): name a claim: ${claims.join(", ")}`);
      }
      return claims[0] ?? id;
    });
  const visit = (node: unknown, isOfSchema: boolean): void => {
    if (typeof node !== "object" || node === null) return;
    for (const [key, child] of Object.entries(node)) {
      if (key === KEY) Object.assign(node, { [KEY]: named(child as string[], isOfSchema) });
      else visit(child, isOfSchema);
    }
  };
  const { schemas } = document.components;
  visit({ ...document, components: { ...document.components, schemas: {} } }, false);
  visit(schemas, true);
  if (problems.size > 0) throw new ScriptError([...problems]);
  return document;
}

const FILE = "spec/requirements.yaml";
