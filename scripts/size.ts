/** `npm run check:size`: fails where the client has outgrown its limit. */
import { parseArgs } from "node:util";
import { CLIENT_LIMIT_BYTES, clientSize, WHOLE_CLIENT } from "./bundle-size.ts";
import { runScript, ScriptError } from "./program.ts";

async function main(): Promise<number> {
  parseArgs();
  const { gzipped } = await clientSize(WHOLE_CLIENT);
  const parts = `${WHOLE_CLIENT.join(" + ")}, minified and gzipped`;
  const text = `${parts}: ${gzipped} bytes, limit ${CLIENT_LIMIT_BYTES}`;
  if (gzipped > CLIENT_LIMIT_BYTES) throw new ScriptError([`size: ${text}`]);
  console.log(text);
  return 0;
}

await runScript("size", main);
