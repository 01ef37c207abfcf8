import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../document.ts";

/** The only module that writes files for users. It handles devices, pipes and links. */
const HOME = "src/cli/file.ts";

const WRITES =
  /import [^;]*\b(writeFile|appendFile|createWriteStream|rename|copyFile|writeSync)(Sync)?\b[^;]*"node:fs/;

test("src/cli/file.ts is the only module that writes files", () => {
  const files = ["bin", "src", "conformance"].flatMap((dir) =>
    readdirSync(join(ROOT, dir), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(dir, name)),
  );
  const writing = files.filter((file) => WRITES.test(readFileSync(join(ROOT, file), "utf8")));
  expect(writing).toEqual([HOME]);
});
