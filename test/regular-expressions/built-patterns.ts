import { vi } from "vitest";
import type { Source } from "./sources.ts";

/** How to make each file build its regular expressions. An unlisted file fails the test. */
const BUILDERS: Readonly<Record<string, () => Promise<unknown>>> = {
  "conformance/observe/operations.ts": () => import("../../conformance/observe/operations.ts"),
  "conformance/report/causes.ts": () => import("../../conformance/report/causes.ts"),
  "conformance/wire/redactor.ts": async () => {
    const { Redactor } = await import("../../conformance/wire/redactor.ts");
    const redactor = new Redactor();
    for (const text of ["-a.zyx", "s3cr-t", "\\a-bzyx", "1234-56"]) {
      redactor.addSecret(text, "$SECRET");
      redactor.addToken(text, "$TOKEN");
    }
  },
  // It builds the patterns of the compared documents.
  "src/breaks/sample-text.ts": async () => undefined,
  // It builds the patterns of the contract's document.
  "src/contract/patterns.ts": async () => undefined,
  "src/model/matching/merchant-text.ts": () => import("../../src/model/matching/merchant-text.ts"),
  "src/text.ts": () => import("../../src/text.ts"),
};

/** The files that build regular expressions and are not listed. */
export function unlistedBuilders(builders: readonly string[]): string[] {
  return builders.filter((file) => !(file in BUILDERS));
}

/** The regular expressions that the listed files build. */
export async function builtPatterns(): Promise<Source[]> {
  const built: Source[] = [];
  const original = globalThis.RegExp;
  let where = "";
  globalThis.RegExp = new Proxy(original, {
    construct: (target, [pattern, flags]) => {
      const regExp = new target(pattern, flags);
      // Other code, such as the test runner, builds regular expressions at the same time.
      if (new Error().stack?.includes(where)) built.push({ where, pattern: regExp });
      return regExp;
    },
  });
  try {
    for (const [file, make] of Object.entries(BUILDERS)) {
      where = file;
      // Another file may have imported it.
      vi.resetModules();
      await make();
    }
  } finally {
    globalThis.RegExp = original;
  }
  return built;
}
