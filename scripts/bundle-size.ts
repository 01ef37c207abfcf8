import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GZIP_LEVEL = 9;

/** What a bundle weighs, in bytes. */
export interface BundleSize {
  readonly minified: number;
  readonly gzipped: number;
}

/**
 * Bundles a module's text as an application would, and weighs it.
 *
 * @param contents TypeScript.
 * @param folder Where its imports start.
 * @param external What stays outside, as it stands in the import.
 * @returns Resolves to the sizes. Rejects where it can't be bundled.
 */
export async function bundleSize(
  contents: string,
  folder: string,
  external: readonly string[] = [],
): Promise<BundleSize> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder, loader: "ts", sourcefile: "entry.ts" },
    bundle: true,
    external: [...external],
    format: "esm",
    platform: "node",
    target: "es2022",
    minify: true,
    legalComments: "none",
    write: false,
    logLevel: "silent",
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  return { minified: code.length, gzipped: gzipSync(code, { level: GZIP_LEVEL }).length };
}

/** The parts of the client that a program imports, and the library that it stands on. */
export const CLIENT_PARTS = {
  "txfeed/client": "src/client/index.ts",
  "txfeed/client/sdk": "src/client/sdk/index.ts",
  "txfeed/client/browser": "src/client/browser/index.ts",
  "txfeed/client/undici": "src/client/undici/index.ts",
  "openapi-fetch": "node_modules/openapi-fetch/dist/index.mjs",
} as const;

/** A part of the client, by the name that a program imports it by. */
export type ClientPart = keyof typeof CLIENT_PARTS;

/** What the client may weigh, minified and gzipped, without what it loads on demand. */
export const CLIENT_LIMIT_BYTES = 10_500;

/** What it may weigh with openapi-fetch, which the first `GET` or `PATCH` loads. */
export const OPENAPI_LIMIT_BYTES = 13_300;

/** The first call that validates, is traced or shares a token loads these; undici is not ours. */
const APART = ["./response-check.ts", "./tracing.ts", "./shared-token.ts", "undici"];

const OPENAPI_CLIENT = "./openapi-client.ts";

/** What parts of the client weigh in one bundle, without validation. */
export function clientSize(
  parts: readonly ClientPart[],
  { hasOpenapi = true } = {},
): Promise<BundleSize> {
  const contents = parts.map((part) => `export * from "./${CLIENT_PARTS[part]}";`).join("\n");
  return bundleSize(contents, ROOT, hasOpenapi ? APART : [...APART, OPENAPI_CLIENT]);
}
