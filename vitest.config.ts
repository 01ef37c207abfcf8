import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "test",
          include: ["test/**/*.test.ts"],
          // Real programs are started: the compiler, Prism, the command line.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
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
