import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { compareDocuments, summaryOf } from "../../src/breaks/index.ts";

const run = promisify(execFile);
const MOST_BYTES = 64 * 1024 * 1024;

/** One line: what the new document breaks, compared with the committed one. */
export async function breaksLine(root: string, openapiJson: string): Promise<string> {
  const committed = await committedDocument(root);
  if (committed === undefined) return "breaks: no committed document to compare with";
  if (committed === openapiJson) return "breaks: none, the document is as committed";
  const breakage = await compareDocuments(JSON.parse(committed), JSON.parse(openapiJson));
  return `breaks: ${summaryOf(breakage)}; see npm run breaks`;
}

/** The document of the last commit; undefined without one, or without git. */
async function committedDocument(root: string): Promise<string | undefined> {
  try {
    const args = ["-C", root, "show", "HEAD:./generated/openapi.json"];
    const { stdout } = await run("git", args, { maxBuffer: MOST_BYTES });
    return stdout;
  } catch {
    return undefined;
  }
}
