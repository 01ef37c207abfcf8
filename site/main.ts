/**
 * `npm run docs`: builds the documentation site into `site/dist/site` (or `--out FOLDER`). With
 * `--serve` it then serves the site on loopback, with a sandbox that the OpenAPI page can call.
 */
import { readdir } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runScript, ScriptError } from "../scripts/run-script.ts";
import { UsageError } from "../src/errors.ts";
import { deadLinks } from "./links.ts";
import { setup as installPackages } from "./packages.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const DEFAULT_PORT = 4030;

const FLAGS = {
  out: {
    type: "string",
    value: "FOLDER",
    help: "replace FOLDER by the site (default: site/dist/site)",
  },
  base: { type: "string", value: "PATH", help: "the path below which it is served (default: /)" },
  serve: { type: "boolean", help: "serve the site with a sandbox until Ctrl-C" },
  port: {
    type: "string",
    value: "N",
    help: `port of --serve, 0 for a free one (default: ${DEFAULT_PORT})`,
  },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options: FLAGS });
  const out = resolve(values.out ?? `${FOLDER}dist/site`);
  const base = baseIn(values.base ?? "/");
  if (values.serve && base !== "/") throw new UsageError("--serve serves at /; leave --base out");
  await requireReplaceable(out);
  const port = portIn(values.port ?? String(DEFAULT_PORT));
  await installPackages();
  const { buildSite } = await import("./build.ts");
  console.error("docs: building the site");
  const start = performance.now();
  const pages = await buildSite({ out, base });
  const dead = deadLinks(out, base);
  if (dead.length > 0) {
    throw new ScriptError([...dead, `docs: ${dead.length} links lead nowhere`]);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${pages.length} pages in ${seconds} s: ${relative(process.cwd(), out)}`);
  return values.serve ? serveUntilInterrupted(out, port) : 0;
}

async function serveUntilInterrupted(out: string, port: number): Promise<number> {
  const [{ serveSite }, { createSandbox }, { interrupted }] = await Promise.all([
    import("./serve.ts"),
    import("../src/sandbox/index.ts"),
    import("../src/cli/terminal.ts"),
  ]);
  await using sandbox = await createSandbox();
  const server = await serveSite(out, port, sandbox).catch(({ code, message }) => {
    const isTaken = code === "EADDRINUSE";
    throw new ScriptError([`docs: ${isTaken ? `port ${port} is in use; give --port 0` : message}`]);
  });
  const ended = interrupted();
  console.log(`  guides and reference   ${server.url}/`);
  console.log(`  OpenAPI document       ${server.url}/openapi/`);
  console.log(`  page of the sandbox    ${server.url}/_sandbox/`);
  console.log(`serving the site on ${server.url}; press Ctrl-C to stop`);
  await ended;
  await server.close();
  return 0;
}

/** Refuses a folder with other files, because the site replaces it. */
async function requireReplaceable(out: string): Promise<void> {
  const files: string[] = await readdir(out).catch(() => []);
  if (files.length === 0 || files.includes("llms.txt")) return;
  throw new UsageError(
    `--out must be empty or an earlier site, because it is replaced; ${out} is not`,
  );
}

function baseIn(text: string): string {
  if (/^\/([\w.-]+\/)*$/.test(text)) return text;
  throw new UsageError(`--base must start and end with a slash, such as /txfeed/; got ${text}`);
}

function portIn(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535; got ${text}`);
}

await runScript({ name: "docs", summary: "builds the documentation site", flags: FLAGS }, main);
