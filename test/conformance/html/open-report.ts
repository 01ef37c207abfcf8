import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type { useBrowser, WatchedPage } from "../../sandbox/browser.ts";

type NewPage = ReturnType<typeof useBrowser>;
type View = NonNullable<Parameters<NewPage>[0]>;

/** Opens a report from a file, as its recipient does. */
export async function openReport(
  newPage: NewPage,
  html: string,
  view: View = {},
  anchor = "",
): Promise<WatchedPage> {
  const dir = await mkdtemp(join(tmpdir(), "txfeed-html-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const file = join(dir, "report.html");
  await writeFile(file, html);
  const watched = await newPage(view);
  await watched.page.goto(`${pathToFileURL(file).href}${anchor}`);
  return watched;
}
