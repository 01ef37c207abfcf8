/** `npm run check:size`: fails if the client exceeds a size limit. */
import { parseArgs } from "node:util";
import { CLIENT_LIMIT_BYTES, clientSize, OPENAPI_LIMIT_BYTES } from "./bundle-size.ts";
import { runScript, ScriptError } from "./run-script.ts";

const SIZES = [
  { what: "txfeed/client", limit: CLIENT_LIMIT_BYTES, hasOpenapi: false },
  { what: "txfeed/client with openapi-fetch", limit: OPENAPI_LIMIT_BYTES, hasOpenapi: true },
];

async function main(): Promise<number> {
  parseArgs();
  for (const { what, limit, ...options } of SIZES) {
    const { gzipped } = await clientSize(["txfeed/client"], options);
    const text = `${what}, minified and gzipped: ${gzipped} bytes, limit ${limit}`;
    if (gzipped > limit) throw new ScriptError([`check:size: ${text}`]);
    console.log(text);
  }
  return 0;
}

await runScript({ name: "check:size", summary: "fails if the client exceeds a size limit" }, main);
