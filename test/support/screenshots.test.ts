import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import { expect, onTestFinished, test } from "vitest";
import { differenceOf } from "./screenshots.ts";
import { tempDir } from "./temp-dir.ts";

/** A white image whose first pixels are black. */
function image({ width = 100, height = 100, black = 0 } = {}): Buffer {
  const png = new PNG({ width, height });
  png.data.fill(255);
  for (let at = 0; at < black; at += 1) png.data.fill(0, at * 4, at * 4 + 3);
  return PNG.sync.write(png);
}

function expected(): string {
  const file = join(tempDir(), "expected.png");
  writeFileSync(file, image());
  return file;
}

const REMEDY = "; to accept the new one, run the test with TXFEED_UPDATE_SCREENSHOTS=1";

test("a screenshot with a thousandth of other pixels is accepted", () => {
  expect(differenceOf(image({ black: 10 }), expected())).toBeUndefined();
});

test("another screenshot is reported with its pixels, its files and the remedy", () => {
  const file = expected();
  const actual = image({ black: 50 });
  const problem = differenceOf(actual, file) ?? "";
  const [, folder = ""] = /actual\.png and difference\.png are in (\S+);/.exec(problem) ?? [];
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(problem).toBe(
    `${file}: 50 pixels differ, and at most 10 may; ` +
      `actual.png and difference.png are in ${folder}${REMEDY}`,
  );
  expect(readFileSync(join(folder, "actual.png"))).toEqual(actual);
  expect(PNG.sync.read(readFileSync(join(folder, "difference.png"))).width).toBe(100);
});

test("another size is reported", () => {
  const file = expected();
  const problem = differenceOf(image({ width: 50 }), file) ?? "";
  const [, folder = ""] = /is in (\S+);/.exec(problem) ?? [];
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(problem).toContain(`${file}: the page is 50 x 100, not 100 x 100; actual.png is in`);
});

test("a missing file is reported with the remedy", () => {
  const file = join(tempDir(), "missing.png");
  expect(differenceOf(image(), file)).toBe(`${file} can't be read as PNG${REMEDY}`);
});
