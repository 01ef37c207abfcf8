import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GZIP_LEVEL = 9;

/** The size of a bundle, in bytes. */
interface BundleSize {
  readonly minified: number;
  readonly gzipped: number;
}

/**
 * Bundles and minifies a module, and returns its size.
 *
 * @param contents The module's TypeScript code.
 * @param folder The folder that its relative imports refer to.
 * @param external Import specifiers that are not bundled.
 * @throws {Error} The module cannot be bundled.
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

/** The parts of the client that a program imports, and openapi-fetch. */
export const CLIENT_PARTS = {
  "txfeed/client": "src/client/index.ts",
  "txfeed/client/sdk": "src/client/sdk/index.ts",
  "txfeed/client/browser": "src/client/browser/index.ts",
  "txfeed/client/undici": "src/client/undici/index.ts",
  "openapi-fetch": "node_modules/openapi-fetch/dist/index.mjs",
} as const;

/** The import specifier of a part of the client. */
export type ClientPart = keyof typeof CLIENT_PARTS;

/** Size limit of the client, minified and gzipped, without modules loaded on demand. */
export const CLIENT_LIMIT_BYTES = 10_500;

/** Size limit with openapi-fetch, which the first `GET` or `PATCH` loads. */
export const OPENAPI_LIMIT_BYTES = 13_300;

/** Modules loaded on demand, for validation, tracing and shared tokens; and undici. */
const ON_DEMAND = ["./response-check.ts", "./tracing.ts", "./shared-token.ts", "undici"];

const OPENAPI_CLIENT = "./openapi-client.ts";

/** Returns the size of parts of the client in one bundle, without validation. */
export function clientSize(
  parts: readonly ClientPart[],
  { hasOpenapi = true } = {},
): Promise<BundleSize> {
  const contents = parts.map((part) => `export * from "./${CLIENT_PARTS[part]}";`).join("\n");
  return bundleSize(contents, ROOT, hasOpenapi ? ON_DEMAND : [...ON_DEMAND, OPENAPI_CLIENT]);
}
