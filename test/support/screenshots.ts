import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";

/** The environment variable that replaces the expected screenshots. */
const UPDATE = "TXFEED_UPDATE_SCREENSHOTS";

/** The share of pixels that may differ: browsers draw curves slightly differently. */
const MAX_SHARE = 0.001;

/** The difference of a pixel's colour that counts, from 0 to 1. */
const THRESHOLD = 0.2;

const WEIGHTS = [400, 500, 600, 700];

/** One font for all texts, because the installed fonts differ. */
const FONT = WEIGHTS.map((weight) => {
  const file = `@fontsource/inter/files/inter-latin-${weight}-normal.woff2`;
  const data = readFileSync(fileURLToPath(import.meta.resolve(file))).toString("base64");
  const source = `url(data:font/woff2;base64,${data})`;
  return `@font-face { font-family: Inter; font-weight: ${weight}; src: ${source}; }`;
}).join("\n");

/** The markers of summaries come from an installed font. */
const STYLE = `${FONT}
* { font-family: Inter !important; }
summary { list-style: none !important; }`;

/**
 * Compares the visible part of a page with a PNG file. The page's context must have `bypassCSP`, for
 * the style sheet with the font.
 *
 * @param file the path of the expected screenshot
 * @param style CSS that hides what differs in each run
 * @throws {Error} that says how many pixels differ, where the actual screenshot and the difference
 * are, and how to replace the expected one
 */
export async function expectScreenshot(page: Page, file: string, style = ""): Promise<void> {
  const tag = await page.addStyleTag({ content: `${STYLE}\n${style}` });
  await page.evaluate("document.fonts.ready");
  const image = await page.screenshot({ animations: "disabled", caret: "hide" });
  await tag.evaluate((element) => (element as Element).remove());
  if (process.env[UPDATE] !== undefined) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, image);
    return;
  }
  const problem = differenceOf(image, file);
  if (problem !== undefined) throw new Error(problem);
}

/** What is wrong with a screenshot; undefined if it equals the expected one. */
export function differenceOf(image: Buffer, file: string): string | undefined {
  const remedy = `; to accept the new one, run the test with ${UPDATE}=1`;
  let expected: PNG;
  try {
    expected = PNG.sync.read(readFileSync(file));
  } catch {
    return `${file} can't be read as PNG${remedy}`;
  }
  const actual = PNG.sync.read(image);
  const { width, height } = actual;
  if (expected.width !== width || expected.height !== height) {
    const sizes = `${width} x ${height}, not ${expected.width} x ${expected.height}`;
    return `${file}: the page is ${sizes}; ${saved({ actual: image })}${remedy}`;
  }
  const difference = new PNG({ width, height });
  const options = { threshold: THRESHOLD };
  const count = pixelmatch(expected.data, actual.data, difference.data, width, height, options);
  const most = Math.floor(width * height * MAX_SHARE);
  if (count <= most) return undefined;
  const files = saved({ actual: image, difference: PNG.sync.write(difference) });
  return `${file}: ${count} pixels differ, and at most ${most} may; ${files}${remedy}`;
}

/** Writes images into a temporary folder, which stays. */
function saved(images: Readonly<Record<string, Buffer>>): string {
  const folder = mkdtempSync(join(tmpdir(), "txfeed-screenshot-"));
  const files = Object.entries(images).map(([name, image]) => {
    writeFileSync(join(folder, `${name}.png`), image);
    return `${name}.png`;
  });
  return `${files.join(" and ")} ${files.length > 1 ? "are" : "is"} in ${folder}`;
}
