import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../document.ts";

const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
const quoted = [...text.matchAll(/`([\w./-]+)`/g)].map(([, name = ""]) => name);
const files = quoted.filter((name) => /\/.*\.\w+$/.test(name) && !name.startsWith("/"));

test("ARCHITECTURE.md names only existing files", () => {
  expect(files.length).toBeGreaterThan(25);
  expect(files.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});

test("ARCHITECTURE.md fits on two screens", () => {
  expect(text.split("\n").length).toBeLessThanOrEqual(120);
});

test("ARCHITECTURE.md names every folder of the sources", () => {
  const rows = text.match(/^\| `.*$/gm) ?? [];
  const named = rows.flatMap((row) => {
    const names = [...(row.split("|")[1] ?? "").matchAll(/`([\w./-]+)\/`/g)].map(([, n = ""]) => n);
    const parent = names[0]?.replace(/\/[^/]+$/, "") ?? "";
    // Later names of a row are siblings of its first.
    return names.flatMap((name) => [name, `${parent}/${name}`]);
  });
  const folders = ["", "src", "src/sandbox", "conformance"].flatMap((parent) =>
    readdirSync(join(ROOT, parent), { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && !/^(\.|node_modules|dist|coverage|src$)/.test(entry.name),
      )
      .map(({ name }) => (parent === "" ? name : `${parent}/${name}`)),
  );
  expect(folders.filter((folder) => !named.includes(folder))).toEqual([]);
});
