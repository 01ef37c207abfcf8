import type { Source } from "./sources.ts";

/**
 * What has each file make its regular expressions, by their file: a file that makes one and is not
 * here fails the test.
 */
const MAKERS: Readonly<Record<string, () => Promise<unknown>>> = {
  "conformance/feed/operations.ts": () => import("../../conformance/feed/operations.ts"),
  "conformance/reports/failure-signature.ts": () =>
    import("../../conformance/reports/failure-signature.ts"),
  "conformance/transport/redactor.ts": async () => {
    const { Redactor } = await import("../../conformance/transport/redactor.ts");
    const redactor = new Redactor();
    for (const text of ["-a.zyx", "s3cr-t", "\\a-bzyx", "1234-56"]) {
      redactor.addSecret(text, "$SECRET");
      redactor.addToken(text, "$TOKEN");
      redactor.addId(text, "$ID", () => "$ID");
    }
  },
  // It makes the patterns of the documents that it compares, to generate texts and to test them.
  "src/breaks/sample-text.ts": async () => undefined,
  // It makes the patterns of the document.
  "src/contract/patterns.ts": async () => undefined,
  "src/model/matching/merchant-text.ts": () => import("../../src/model/matching/merchant-text.ts"),
};

/** The files that make regular expressions and are not known. */
export function unknownMakers(makers: readonly string[]): string[] {
  return makers.filter((file) => !(file in MAKERS));
}

/** The regular expressions that the known files make. */
export async function madePatterns(): Promise<Source[]> {
  const made: Source[] = [];
  const original = globalThis.RegExp;
  let where = "";
  globalThis.RegExp = new Proxy(original, {
    construct: (target, [pattern, flags]) => {
      const built = new target(pattern, flags);
      // Others make theirs at the same time, the test runner among them.
      if (new Error().stack?.includes(where)) made.push({ where, pattern: built });
      return built;
    },
  });
  try {
    for (const [file, make] of Object.entries(MAKERS)) {
      where = file;
      await make();
    }
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}
