import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

/** Creates a temporary directory, deleted after the tests of the file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "txfeed-webhooks-"));
  afterAll(() => rmSync(directory, { recursive: true }));
  return directory;
}
