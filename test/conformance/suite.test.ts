import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { requirementOf } from "../../conformance/check.ts";
import { checks } from "../../conformance/checks/index.ts";
import { historyChecks } from "../../conformance/checks/shared/histories.ts";
import { exclusions } from "../../generated/exclusions.ts";
import { requirementIds, requirements } from "../../generated/requirements.ts";
import { ROOT } from "../document.ts";

/** Rules that the suite itself follows. */

test("titles are unique within a requirement, under 70 characters, and facts", () => {
  const titles = checks.map((check) => `${requirementOf(check)}: ${check.title}`);
  expect(titles.filter((title, at) => titles.indexOf(title) !== at)).toEqual([]);
  const misfits = checks.filter(
    ({ title }) => title.length >= 70 || /\b(should|must)\b/.test(title),
  );
  expect(misfits.map(({ title }) => title)).toEqual([]);
});

test("every requirement that the schema of a response decides has a check", () => {
  const checked = new Set(checks.map(requirementOf));
  const missing = requirementIds.filter(
    (id) => requirements[id].how.includes("schema") && !checked.has(id),
  );
  expect(missing).toEqual([]);
});

test("every claim that a history can violate has a check of histories", () => {
  const folder = `${ROOT}src/contract/history/`;
  const text = readdirSync(folder).map((file) => readFileSync(folder + file, "utf8"));
  const named = new Set(text.join("").match(/(?<=")[A-Z]{3,4}-\d\d\.[a-z-]+(?=")/g));
  const checked = new Set<string>(historyChecks.flatMap((check) => check.claims));
  expect(named.size).toBeGreaterThan(40);
  // The history of a posting that is announced again is only a notice.
  expect([...named].filter((id) => !checked.has(id))).toEqual(["BTX-01.owed"]);
});

test("exactly the requirements for the caller, or left open, are excluded and unchecked", () => {
  const closed = requirementIds.filter((id) =>
    requirements[id].how.every((how) => how === "client" || how === "open"),
  );
  expect(new Set(Object.keys(exclusions))).toEqual(new Set(closed));
  expect(checks.filter((check) => exclusions[requirementOf(check)])).toEqual([]);
});

test("every open point has an interpretation and existing files", () => {
  const { open } = parse(readFileSync(`${ROOT}conformance/exclusions.yaml`, "utf8"));
  for (const { place, reading, at } of open) {
    expect(place).toBeTruthy();
    expect(reading).toBeTruthy();
    const files = String(at).match(/[\w./-]+\/[\w./-]+/g) ?? [];
    expect(files.filter((file) => !existsSync(`${ROOT}${file}`))).toEqual([]);
    expect(at).toBeTruthy();
  }
});
