import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { derivedRequirements } from "../../generated/derived.ts";
import { eventNames } from "../../generated/events.ts";
import type { RequirementId } from "../../generated/requirements.ts";
import { answers, events } from "../../generated/validators.js";
import { lean } from "../../scripts/generate/lean.ts";
import { ROOT, readDocument } from "../document.ts";

const FILE = `${ROOT}generated/validators.js`;
const CHECK = `${ROOT}generated/check.js`;
const places = readFileSync(`${ROOT}generated/places.ts`, "utf8");

test("there is a validator for each event and for each JSON answer", () => {
  expect(Object.keys(events)).toEqual([...eventNames]);
  const specified = Object.entries(readDocument().paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([verb, { responses }]) =>
      responses["200"]?.content?.["application/json"]?.schema.$ref
        ? [`${verb.toUpperCase()} ${path}`]
        : [],
    ),
  );
  expect(Object.keys(answers)).toEqual(specified);
  expect(specified).toHaveLength(17);
});

test("created and updated share one compiled validator", () => {
  expect(events["transaction.updated"]).toBe(events["transaction.created"]);
});

test("both modules run where code generation is forbidden", () => {
  const program = `
    const { events } = await import(${JSON.stringify(FILE)});
    const fine = { id: "d26e5362-70a6-4325-9817-1d5c4e2f7817",
      bankAccountId: "8413f2ba-86b8-42a0-a8e3-537df9b8333e", deletedAt: "2025-03-08T06:00:00.415Z",
      reason: "duplicate_retired",
      metadata: { resourceId: "d26e5362-70a6-4325-9817-1d5c4e2f7817" } };
    const validate = events["banktransaction.deleted"];
    const { checkEvent } = await import(${JSON.stringify(CHECK)});
    const networks = { a: "A", b: "B", c: "C" };
    console.log(checkEvent("banktransaction.deleted", fine, networks));
    console.log(validate(fine), validate({ ...fine, deletedAt: "2025-02-30T06:00:00.415Z" }));`;
  const flags = ["--disallow-code-generation-from-strings", "--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "1\ntrue false\n", stderr: "" });
});

test("the lean code is refused where AJV tells a fault in a way that is not known", () => {
  const source =
    'function validate1(data){\nconst err0 = {instancePath,keyword:"new"};\nerrors++;\n}';
  expect(() => lean(source)).toThrow(/AJV's code has changed; lean.ts does not know: /);
});

test.each(["check.js", "validators.js"])("%s is sealed: no import, no require, no eval", (name) => {
  const source = readFileSync(`${ROOT}generated/${name}`, "utf8");
  expect(source).not.toMatch(/\bimport\b|\brequire\s*\(|\beval\s*\(|new Function/);
});

test("a place names no derived requirement first: a broken shape is an error", () => {
  const firsts = [...places.matchAll(/"requirements":\["([^"]+)"/g)];
  expect(firsts.length).toBeGreaterThan(50);
  const derived = firsts.filter(([, id]) => derivedRequirements.has(id as RequirementId));
  expect(derived).toEqual([]);
});
