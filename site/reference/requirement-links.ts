import { type RequirementId, requirements } from "../../generated/requirements.ts";
import { escapeHtml, link, table } from "../page.ts";
import { requirementPath } from "./paths.ts";

const ID = /\b[A-Z]{2,4}-\d{2}\b/g;

/** Links to requirements, separated by commas. */
export function requirementLinks(ids: readonly string[]): string {
  return ids.map((id) => link(id, requirementPath(id))).join(", ");
}

/** Links every requirement id that a text names, except in code. */
export function withRequirementLinks(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith("`")
        ? part
        : part.replaceAll(ID, (id) => (isRequirement(id) ? link(id, requirementPath(id)) : id)),
    )
    .join("");
}

/** Whether an id is in the catalogue. */
export function isRequirement(id: string): id is RequirementId {
  return Object.hasOwn(requirements, id);
}

/** Requirements with their texts. */
export function requirementTable(ids: readonly string[]): string {
  const rows = ids
    .filter(isRequirement)
    .map((id) => [link(id, requirementPath(id)), escapeHtml(requirements[id].text)]);
  return table(["Requirement", "Text"], rows);
}
