import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RequirementId } from "../../generated/requirements.ts";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import { ROOT } from "../document.ts";

const FILE = `${ROOT}../shared/examples/payloads.json`;

interface Labelled {
  name: string;
  event?: string;
  operation?: "GET /cards";
  body: unknown;
  expect: "valid" | "invalid" | "notice" | "derived";
  requirement?: RequirementId;
  alsoBreaches?: RequirementId[];
}

const exists = existsSync(FILE);
const labelled: Labelled[] = exists ? JSON.parse(readFileSync(FILE, "utf8")) : [];

test.skipIf(!exists)("the labelled examples exist (skipped without the interface's folder)", () =>
  expect(labelled.length).toBeGreaterThan(30),
);

test.each(labelled)("$name is $expect", (example) => {
  const { event, operation = "GET /cards", body } = example;
  const { ok, findings } =
    event === undefined ? validateResponse(operation, 200, body) : validateEvent(event, body);
  const errors = findings.filter(({ level }) => level === "error");
  expect(ok).toBe(example.expect !== "invalid");
  expect(errors.length === 0).toBe(example.expect !== "invalid");
  if (example.expect === "invalid") {
    const accepted = [example.requirement, ...(example.alsoBreaches ?? [])];
    const named = errors.map(({ requirement }) => requirement);
    expect(named.some((id) => accepted.includes(id))).toBe(true);
  }
});
