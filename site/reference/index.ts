import type { Page } from "../page.ts";
import { commandPages } from "./commands.ts";
import { eventPages } from "./events.ts";
import { operationPages } from "./operations.ts";
import { Places } from "./places.ts";
import { requirementPages } from "./requirements.ts";
import { resourceReference } from "./resources.ts";

/** The pages that are generated from the contract and the suite, and from the commands. */
export async function referencePages(): Promise<Page[]> {
  const places = new Places();
  return [
    ...operationPages(places),
    ...eventPages(places),
    ...resourceReference(places),
    // After the pages that register the places of requirements.
    ...requirementPages(places),
    ...(await commandPages()),
  ];
}
