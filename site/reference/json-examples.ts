import { code, details } from "../page.ts";
import type { Example } from "./contract.ts";

/**
 * Renders examples as JSON: the first one open, the others folded. Folded examples have no colours,
 * which would make the page of a list half a megabyte larger.
 */
export function jsonExamples(examples: readonly (readonly [string, Example])[]): string[] {
  return examples.map(([name, { summary = name, value }], index) => {
    const json = JSON.stringify(value, undefined, 2);
    return index === 0
      ? `${summary}\n\n${code("json", json)}`
      : details(summary, code("text", json));
  });
}
