import { defineConfig } from "vitest/config";

/** `npm run bench:test`: the tests of the benchmark itself. They start real programs. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["test/**/*.test.ts"],
    globalSetup: "packages.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
