import { defineConfig } from "vitest/config";

/**
 * Kinds of tests that take longer, by the end of the file's name: `crash.integration.test.ts`.
 * `integration` starts programs, compilers, Prism or databases, `browser` Chromium, and `random`
 * runs scripts, chaos and fuzz tests. All other tests are unit tests.
 */
const KINDS = ["integration", "browser", "random"] as const;

export default defineConfig({
  test: {
    maxWorkers: "100%",
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: KINDS.map((kind) => `test/**/*.${kind}.test.ts`),
          isolate: false,
          testTimeout: 15_000,
        },
      },
      ...KINDS.map((name) => ({
        test: {
          name,
          include: [`test/**/*.${name}.test.ts`],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      })),
      {
        // Each test compiles and type-checks a copy of the checkout.
        test: { name: "recipes", include: ["test/recipes/*.recipe.ts"], testTimeout: 300_000 },
      },
      {
        test: { name: "examples", include: ["test/examples/*.example.ts"], testTimeout: 120_000 },
      },
      {
        test: {
          name: "conformance",
          include: ["conformance/suite/*.conformance.ts"],
          globalSetup: "conformance/suite/prism.ts",
        },
      },
    ],
  },
});
