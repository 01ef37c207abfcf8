import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { createSandbox } from "../../src/sandbox/index.ts";
import { serveSite } from "../serve.ts";

/** A page of the built site, as its Markdown twin. */
interface BuiltPage {
  /** The path without extension. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the built site. */
    siteFolder: string;
    /** The address of the site. */
    siteUrl: string;
    sitePages: readonly BuiltPage[];
  }
}

/** Builds the site into a temporary folder and serves it with a sandbox, until the tests end. */
export default async function startSite({ provide }: TestProject): Promise<() => Promise<void>> {
  const out = await mkdtemp(join(tmpdir(), "txfeed-site-"));
  const program = fileURLToPath(new URL("../main.ts", import.meta.url));
  // A program of its own, because Astro builds for development in the environment of tests.
  const env = { ...process.env, NODE_ENV: "production" };
  const build = await promisify(execFile)(process.execPath, [program, "--out", out], { env });
  console.log(build.stdout.trim());
  const sandbox = await createSandbox();
  const server = await serveSite(out, 0, sandbox);
  provide("siteFolder", out);
  provide("siteUrl", server.url);
  provide("sitePages", readPages(out));
  return async () => {
    await server.close();
    await sandbox.close();
    await rm(out, { recursive: true });
  };
}

function readPages(out: string): BuiltPage[] {
  return globSync("**/*.md", { cwd: out }).map((file) => {
    const markdown = readFileSync(join(out, file), "utf8");
    const [, title = "", text = ""] = /^# (.+)\n\n([\s\S]*)$/.exec(markdown) ?? [];
    return { path: file.replace(/\.md$/, ""), title, text };
  });
}
