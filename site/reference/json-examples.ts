import { code, details } from "../page.ts";
import type { Example } from "./contract.ts";

/** Renders examples as JSON: the first one open, the others folded. */
export function jsonExamples(examples: readonly (readonly [string, Example])[]): string[] {
  return examples.map(([name, { summary = name, value }], index) => {
    const json = code("json", JSON.stringify(value, undefined, 2));
    return index === 0 ? `${summary}:\n\n${json}` : details(summary, json);
  });
}
