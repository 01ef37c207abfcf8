import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Real programs are started: the compiler, Prism, the command line.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
