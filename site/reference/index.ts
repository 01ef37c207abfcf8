import type { Page } from "../page.ts";
import { commandPages } from "./commands.ts";
import { controlPage } from "./control.ts";
import { eventPages } from "./events.ts";
import { operationPages } from "./operations.ts";
import { Places } from "./places.ts";
import { requirementPages } from "./requirements.ts";
import { resourceReference } from "./resources.ts";

/** The pages that are generated from the contract and the suite, and from the commands. */
export async function referencePages(): Promise<Page[]> {
  const places = new Places();
  const pages = [...operationPages(places), ...eventPages(places), ...resourceReference(places)];
  for (const page of pages) registerMentions(page, places);
  return [...pages, ...requirementPages(places), ...(await commandPages()), controlPage()];
}

/** Registers the requirements that a page names only in its text. */
function registerMentions({ path, title, text }: Page, places: Places): void {
  for (const [, id = ""] of text.matchAll(/\]\(\/reference\/requirements\/([A-Z]+-\d+)\.md\)/g)) {
    const isListed = places.of(id).some(({ page }) => page === path);
    if (!isListed) places.add(id, { page: path, anchor: "", label: title });
  }
}
