import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "test",
          include: ["test/**/*.test.ts"],
          exclude: ["test/recipes/**"],
          // Real programs are started: the compiler, Prism, the command line.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        // Each test compiles and type-checks a copy of the checkout.
        test: { name: "recipes", include: ["test/recipes/*.test.ts"], testTimeout: 300_000 },
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
