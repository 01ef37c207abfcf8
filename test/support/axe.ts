import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

const AXE = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/**
 * Checks the visible part of a page with axe.
 *
 * @returns a line for each violation: the rule, the element, and what is wrong
 */
export async function axeViolations(page: Page): Promise<string[]> {
  // Evaluated, because the content security policy of a page may forbid a script.
  await page.evaluate(AXE);
  const results = (await page.evaluate("axe.run()")) as AxeResults;
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
  );
}
