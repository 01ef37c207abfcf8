import type { Page } from "playwright-core";

/** Texts with less contrast than WCAG 2 AA requires. */
export function faintTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // Mixed colors are serialized as color(srgb 0.9 0.9 0.9), others as rgb(230, 230, 230).
    const channels = (color: string) => {
      const scale = color.startsWith("color(") ? 255 : 1;
      return (color.match(/[\d.]+/g) ?? []).map((channel) => Number(channel) * scale);
    };
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const groundOf = (element: Element | null): string => {
      if (!element) return "rgb(255, 255, 255)";
      const { backgroundColor } = getComputedStyle(element);
      return channels(backgroundColor)[3] === 0 ? groundOf(element.parentElement) : backgroundColor;
    };
    const lowContrast = [...document.body.querySelectorAll("*")].filter((element) => {
      const isText = [...element.childNodes].some(
        (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
      );
      if (!isText || !element.checkVisibility()) return false;
      const [one, two] = [getComputedStyle(element).color, groundOf(element)].map(luminance);
      const [low, high] = [Math.min(one ?? 0, two ?? 0), Math.max(one ?? 0, two ?? 0)];
      return (high + 0.05) / (low + 0.05) < 4.5;
    });
    return lowContrast.map((element) => `${element.className}: ${element.textContent}`);
  });
}

/** Interactive elements and links without an accessible name. */
export async function namelessParts(page: Page): Promise<string[]> {
  const tree = await page.locator("body").ariaSnapshot();
  const nameless = /^ *- (button|link|textbox|combobox|checkbox|radio|region)(?! ")/;
  return tree.split("\n").filter((line) => nameless.test(line));
}
