import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onFinished } from "./on-finished.ts";

/** Creates a temporary folder. It is removed after the test or, outside a test, after the file. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "txfeed-"));
  // Retry, because killed programs may still write for a moment.
  onFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  return dir;
}
