import { operations } from "../../generated/operations.ts";
import { link } from "../page.ts";
import { eventsByName, operationsByKey } from "./contract.ts";
import { eventPath, operationPath } from "./paths.ts";
import { resourcePages } from "./resource-names.ts";

/** Links to the other pages about the same resource. They have the same tag in the contract. */
export function relatedTo(tags: readonly string[], except: string): string {
  const shares = (others: readonly string[]) => others.some((tag) => tags.includes(tag));
  const targets = [
    ...[...resourcePages.values()].map(({ path, tag }) => ({ path, text: tag, tags: [tag] })),
    ...Object.entries(operations).map(([key, { id }]) => ({
      path: operationPath(id),
      text: `\`${key}\``,
      tags: operationsByKey.get(key)?.tags ?? [],
    })),
    ...[...eventsByName].map(([name, event]) => ({
      path: eventPath(name),
      text: `\`${name}\``,
      tags: event.tags,
    })),
  ];
  return targets
    .filter(({ path, tags: others }) => path !== except && shares(others))
    .map(({ path, text }) => `- ${link(text, path)}`)
    .join("\n");
}
