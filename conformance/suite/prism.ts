import type { TestProject } from "vitest/node";
import { startMock } from "../../src/cli/prism.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The address of the mock. */
    mockUrl: string;
  }
}

/**
 * Starts Prism on a free port before the suite, and returns a function that stops it. It is called
 * in Vitest's main process, so Prism also stops when that process exits, even after Ctrl-C.
 */
export default async function startPrism({ provide }: TestProject): Promise<() => Promise<void>> {
  // Vitest exits on SIGINT and SIGTERM, but a SIGHUP would end it without an exit event.
  const exit = () => process.exit(129);
  process.once("SIGHUP", exit);
  const mock = await startMock();
  provide("mockUrl", mock.url);
  return async () => {
    process.off("SIGHUP", exit);
    await mock.stop();
  };
}
