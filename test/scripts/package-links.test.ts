import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deadLinks } from "../../scripts/package-links.ts";
import { tempDir } from "../support/temp-dir.ts";

test("links of packed pages lead to packed files, folders or headings", async () => {
  const dir = tempDir();
  await mkdir(join(dir, "docs"));
  const good =
    "[a](docs/a.md) [b](docs) [c](#what-it-does) [d](https://x.example) [e](docs/a.md#a)";
  const dead = "[f](src/f.ts) [g](docs/a.md#b) [h](#none)";
  await writeFile(join(dir, "README.md"), `# What it does\n${good}\n${dead}\n`);
  await writeFile(join(dir, "docs/a.md"), "## A\n[up](../README.md) [over](../../out.md)\n");
  const found = deadLinks(["README.md", "docs/a.md", "dist/src/index.js"], dir);
  expect(found).toEqual([
    ...["README.md: src/f.ts", "README.md: docs/a.md#b", "README.md: #none"],
    "docs/a.md: ../../out.md",
  ]);
});
