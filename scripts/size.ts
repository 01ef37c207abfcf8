/** `npm run check:size`: fails where the client has outgrown its limit. */
import { parseArgs } from "node:util";
import { CLIENT_AIM_BYTES, CLIENT_LIMIT_BYTES, clientSize } from "./bundle-size.ts";
import { runScript, ScriptError } from "./program.ts";

async function main(): Promise<number> {
  parseArgs();
  const { gzipped } = await clientSize(["txfeed/client"]);
  const bounds = `limit ${CLIENT_LIMIT_BYTES}, aim ${CLIENT_AIM_BYTES}`;
  const text = `txfeed/client, minified and gzipped: ${gzipped} bytes, ${bounds}`;
  if (gzipped > CLIENT_LIMIT_BYTES) throw new ScriptError([`size: ${text}`]);
  console.log(text);
  return 0;
}

await runScript("size", main);
