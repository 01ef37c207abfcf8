import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { defineConfig } from "vitest/config";

const ROOT = join(import.meta.dirname, "..");
const dir = process.env["TXFEED_LAYER"] ?? "";
const code = JSON.parse(readFileSync(join(dir, "code.json"), "utf8"));

/** The unit tests, on the instrumented code of `mutants/layer.ts`. */
export default defineConfig({
  root: ROOT,
  plugins: [
    {
      name: "instrumented",
      enforce: "pre",
      load: (id: string) => code[`${relative(ROOT, id.split("?")[0] ?? "")}.js`],
    },
  ],
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["integration", "browser", "random"].map((kind) => `test/**/*.${kind}.test.ts`),
    setupFiles: [join(import.meta.dirname, "layer.setup.ts")],
    maxWorkers: 1,
    testTimeout: 15_000,
    // Modules run once per file: otherwise only the first file would cover what runs on import.
    isolate: process.env["__STRYKER_ACTIVE_MUTANT__"] === undefined,
  },
});
