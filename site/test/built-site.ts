import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createSandbox } from "../../src/sandbox/index.ts";
import { serveSite } from "../serve.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the built site. */
    siteFolder: string;
    /** The address of the site. */
    siteUrl: string;
    /** The path and the title of each page. */
    sitePages: readonly { readonly path: string; readonly title: string; readonly text: string }[];
  }
}

/** Builds the site into a temporary folder and serves it with a sandbox, until the tests end. */
export default async function startSite({ provide }: TestProject): Promise<() => Promise<void>> {
  const { buildSite } = await import("../build.ts");
  const out = await mkdtemp(join(tmpdir(), "txfeed-site-"));
  const pages = await buildSite({ out, base: "/" });
  const sandbox = await createSandbox();
  const server = await serveSite(out, 0, sandbox);
  provide("siteFolder", out);
  provide("siteUrl", server.url);
  provide(
    "sitePages",
    pages.map(({ path, title, text }) => ({ path, title, text })),
  );
  return async () => {
    await server.close();
    await sandbox.close();
    await rm(out, { recursive: true });
  };
}
