import { ScriptError } from "../run-script.ts";
import { withBanner } from "./banner.ts";
import { readYaml } from "./yaml.ts";

/** An entry of `spec/requirements.yaml`. */
export interface CatalogueEntry {
  id: string;
  how: string[];
  derived?: boolean;
  text: string;
}

const HOW = ["schema", "rule", "sequence", "http", "driven", "client", "open"];

/**
 * Reads the catalogue. Rejects with a ScriptError where an entry is none, or an id stands twice.
 */
export async function readCatalogue(root: string): Promise<CatalogueEntry[]> {
  const file = "spec/requirements.yaml";
  const { requirements } = await readYaml<{ requirements?: unknown }>(root, file);
  if (!Array.isArray(requirements))
    throw new ScriptError([`${file}: needs a list of requirements`]);
  const seen = new Set<string>();
  const faults = requirements.flatMap((entry: Partial<CatalogueEntry> | null) => {
    const { id = "", how, text } = entry ?? {};
    const isKnown = Array.isArray(how) && how.length > 0 && how.every((h) => HOW.includes(h));
    const isEntry = /^[A-Z]{2,4}-\d{2}$/.test(id) && text && isKnown;
    const fault = !isEntry ? "needs an id, a how and a text" : seen.has(id) ? "stands twice" : "";
    seen.add(id);
    return fault ? [`${file}: ${id || "an entry"} ${fault}`] : [];
  });
  if (faults.length > 0) throw new ScriptError(faults);
  return requirements;
}

/** Renders the catalogue and the union of its ids. */
export function renderRequirements(catalogue: CatalogueEntry[]): string {
  const entry = ({ id, how, derived = false, text }: CatalogueEntry) =>
    `  "${id}": ${JSON.stringify({ how, derived, text })},`;
  return withBanner(`
/** The id of a requirement of the interface. */
export type RequirementId =
${catalogue.map(({ id }) => `  | "${id}"`).join("\n")};

/** What decides a requirement: see the head of spec/requirements.yaml. */
export type DecidedBy = ${HOW.map((how) => JSON.stringify(how)).join(" | ")};

/** A statement of the interface that something can be held to. */
export interface Requirement {
  readonly how: readonly DecidedBy[];
  /** Read out of the interface rather than stated in it: a breach is a warning. */
  readonly derived: boolean;
  readonly text: string;
}

/** Every requirement, in the order of the catalogue. */
export const requirements: Readonly<Record<RequirementId, Requirement>> = {
${catalogue.map(entry).join("\n")}
};

/** Every requirement id, in the order of the catalogue. */
export const requirementIds = Object.keys(requirements) as RequirementId[];
`);
}

/**
 * Renders which requirements are derived: all that a finding has to know of one, without the texts.
 */
export function renderDerived(catalogue: CatalogueEntry[]): string {
  const ids = catalogue.filter(({ derived }) => derived).map(({ id }) => `  "${id}",`);
  return withBanner(`
import type { RequirementId } from "./requirements.ts";

/** The requirements that are read out of the interface rather than stated in it. */
export const derivedRequirements: ReadonlySet<RequirementId> = new Set([
${ids.join("\n")}
] as const);
`);
}

/** Renders which requirements no conformance run decides, and why. */
export async function renderExclusions(root: string, catalogue: CatalogueEntry[]): Promise<string> {
  const file = "conformance/exclusions.yaml";
  const { excluded } = await readYaml<{ excluded?: Record<string, unknown> }>(root, file);
  if (!excluded) throw new ScriptError([`${file}: needs a map of what is excluded`]);
  const known = new Set(catalogue.map(({ id }) => id));
  const faults = Object.entries(excluded).flatMap(([id, why]) => {
    if (!known.has(id)) return [`${file}: ${id} is no requirement of the catalogue`];
    return typeof why === "string" && why.trim() ? [] : [`${file}: ${id} needs a reason`];
  });
  if (faults.length > 0) throw new ScriptError(faults);
  const entry = ([id, why]: [string, unknown]) =>
    `  "${id}": ${JSON.stringify(String(why).trim())},`;
  return withBanner(`
import type { RequirementId } from "./requirements.ts";

/**
 * Requirements that no conformance run decides, each with the reason; from
 * conformance/exclusions.yaml.
 */
export const exclusions: Readonly<Partial<Record<RequirementId, string>>> = {
${Object.entries(excluded).map(entry).join("\n")}
};
`);
}
