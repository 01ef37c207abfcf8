import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { renderStateDiagrams, STATE_TABLES } from "../../scripts/generate/state-diagrams.ts";
import type { Transition } from "../../src/model/state-machine.ts";
import { ROOT } from "../document.ts";

const file = join(ROOT, "generated/state-diagrams.json");
const diagrams: Record<string, string> = JSON.parse(readFileSync(file, "utf8"));
const tables: [string, readonly Transition[]][] = Object.entries(STATE_TABLES);

const attributes = (svg: string, name: string) =>
  [...svg.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) => value);

test("every state table of the model has a diagram", () => {
  const files = readdirSync(join(ROOT, "src/model"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(ROOT, "src/model", name), "utf8"));
  const found = files.flatMap((text) => text.match(/^export const \w+_TRANSITIONS/gm) ?? []);
  expect(found).toHaveLength(tables.length);
  expect(Object.keys(diagrams)).toEqual(tables.map(([name]) => name));
});

test.each(tables)("%s: every state has a node, and every row an edge", (name, rows) => {
  const svg = diagrams[name] ?? "";
  const states = new Set(rows.flatMap(({ from, to }) => [...from, to]));
  expect(states.delete("new")).toBe(true);
  expect(attributes(svg, "data-state").sort()).toEqual([...states].sort());
  const drawn = [...svg.matchAll(/data-from="(\w+)" data-to="(\w+)" data-triggers="([^"]+)"/g)];
  const edges = drawn.flatMap(([, from, to, names = ""]) =>
    names.split(" ").map((trigger) => `${from} ${to} ${trigger}`),
  );
  const expected = rows.flatMap(({ from, to, trigger }) =>
    from.map((one) => `${one} ${to} ${trigger}`),
  );
  expect(edges.sort()).toEqual(expected.sort());
  const labels = [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = ""]) => text);
  const shown = labels.map((text) => text.replaceAll("&#45;", "-"));
  expect(shown.sort()).toEqual(
    [...states, ...rows.flatMap(({ from, trigger }) => from.map(() => trigger))].sort(),
  );
});

test.each(tables)("%s: has a title, the colour of the text, and fits in 340 pixels", (name) => {
  const svg = diagrams[name] ?? "";
  expect(svg).toMatch(/^<svg [^>]*role="img"[^>]*><title>States of a [a-z ]+[a-rt-z]<\/title>/);
  const colours = [...attributes(svg, "stroke"), ...attributes(svg, "fill")];
  expect(new Set(colours)).toEqual(new Set(["currentColor", "none"]));
  expect(svg).not.toMatch(/ (id|style)=|font-family/);
  expect(Number(attributes(svg, "width")[0])).toBeLessThanOrEqual(340);
});

test("the diagrams are the same on each run", async () => {
  const once = await renderStateDiagrams();
  expect(await renderStateDiagrams()).toBe(once);
  expect(JSON.parse(once)).toEqual(diagrams);
});
