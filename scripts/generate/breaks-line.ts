import { compareDocuments, shownByGit } from "../../src/breaks/index.ts";
import { summaryOf } from "../../src/cli/breaks-report.ts";

/** One line: what the new document breaks, compared with the committed one. */
export async function breaksLine(root: string, openapiJson: string): Promise<string> {
  // Without git or a commit there is none.
  const committed = await shownByGit("HEAD:./generated/openapi.json", root).catch(() => undefined);
  if (committed === undefined) return "breaks: no committed document to compare with";
  if (committed === openapiJson) return "breaks: none, the document is as committed";
  const breakage = await compareDocuments(JSON.parse(committed), JSON.parse(openapiJson));
  return `breaks: ${summaryOf(breakage)}; see npm run breaks`;
}
