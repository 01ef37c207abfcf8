import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { eventNames } from "../../generated/events.ts";
import { answers, events } from "../../generated/validators.js";
import { ROOT, readDocument } from "../document.ts";

const FILE = `${ROOT}generated/validators.js`;

test("there is a validator for each event and for each JSON answer", () => {
  expect(Object.keys(events)).toEqual([...eventNames]);
  const specified = Object.entries(readDocument().paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([verb, { responses }]) =>
      responses["200"]?.content ? [`${verb.toUpperCase()} ${path}`] : [],
    ),
  );
  expect(Object.keys(answers)).toEqual(specified);
  expect(specified).toHaveLength(17);
});

test("created and updated share one compiled validator", () => {
  expect(events["transaction.updated"]).toBe(events["transaction.created"]);
});

test("the module is sealed: no import, no require, no eval", async () => {
  const source = await readFile(FILE, "utf8");
  expect(source).not.toMatch(/\bimport\b|\brequire\s*\(|\beval\s*\(|new Function/);
});

test("the module runs where code generation is forbidden", () => {
  const program = `
    const { events } = await import(${JSON.stringify(FILE)});
    const fine = { id: "d26e5362-70a6-4325-9817-1d5c4e2f7817",
      bankAccountId: "8413f2ba-86b8-42a0-a8e3-537df9b8333e", deletedAt: "2025-03-08T06:00:00.415Z",
      reason: "duplicate_retired" };
    const validate = events["banktransaction.deleted"];
    console.log(validate(fine), validate({ ...fine, deletedAt: "2025-02-30T06:00:00.415Z" }));`;
  const flags = ["--disallow-code-generation-from-strings", "--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "true false\n", stderr: "" });
});
