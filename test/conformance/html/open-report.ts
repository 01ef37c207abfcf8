import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { useBrowser, WatchedPage } from "../../support/browser.ts";
import { tempDir } from "../../support/temp-dir.ts";

type NewPage = ReturnType<typeof useBrowser>;
type View = NonNullable<Parameters<NewPage>[0]>;

/** Opens a report from a file, as its recipient does. */
export async function openReport(
  newPage: NewPage,
  html: string,
  view: View = {},
  anchor = "",
): Promise<WatchedPage> {
  const dir = tempDir();
  const file = join(dir, "report.html");
  await writeFile(file, html);
  const watched = await newPage(view);
  await watched.page.goto(`${pathToFileURL(file).href}${anchor}`);
  return watched;
}
