import { defineConfig } from "vitest/config";

/** `npm run docs:test`: builds the site once, serves it, and tests it in Chromium. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["test/*.test.ts"],
    globalSetup: "test/built-site.ts",
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
