import { ScriptError } from "../run-script.ts";
import { withBanner } from "./banner.ts";
import { readYaml } from "./yaml.ts";

/** An entry of `spec/requirements.yaml`. */
export interface CatalogueEntry {
  id: string;
  how: string[];
  derived?: boolean;
  text: string;
  /** The requirements, or groups, whose failures probably explain one of this requirement. */
  needs?: string[];
  claims?: ClaimEntry[];
}

/** A single statement of a requirement. */
interface ClaimEntry {
  id: string;
  text: string;
  /** The place in the interface. */
  at: string;
  /** Whether it is derived; default: whether its requirement is. */
  derived?: boolean;
  /** The situations in which it has to hold; default: there is only one. */
  in?: string[];
}

const HOW = ["schema", "rule", "sequence", "http", "driven", "client", "open"];

const FILE = "spec/requirements.yaml";
const MAX_CLAIM = 110;

/** The requirements with their claims, and the meanings of the situations. */
export interface Catalogue {
  requirements: CatalogueEntry[];
  situations: Record<string, string>;
}

/**
 * Reads the catalogue.
 *
 * @throws {ScriptError} A line for each invalid entry, claim or duplicate id.
 */
export async function readCatalogue(root: string): Promise<Catalogue> {
  const { requirements, situations = {} } = await readYaml<Partial<Catalogue>>(root, FILE);
  if (!Array.isArray(requirements))
    throw new ScriptError([`${FILE}: needs a list of requirements`]);
  const seen = new Set<string>();
  const problems = requirements.flatMap((entry: Partial<CatalogueEntry> | null) => {
    const { id = "", how, text } = entry ?? {};
    const isKnown = Array.isArray(how) && how.length > 0 && how.every((h) => HOW.includes(h));
    const isEntry = /^[A-Z]{2,4}-\d{2}$/.test(id) && text && isKnown;
    const problem = !isEntry
      ? "needs an id, a how and a text"
      : seen.has(id)
        ? "is listed twice"
        : "";
    seen.add(id);
    if (problem) return [`${FILE}: ${id || "an entry"} ${problem}`];
    return claimProblems(entry as CatalogueEntry, situations);
  });
  if (problems.length > 0) throw new ScriptError(problems);
  const groups = [...seen].map((id) => id.slice(0, id.indexOf("-")));
  const unknown = requirements.flatMap(({ id, needs = [] }) =>
    needs
      .filter((one) => one === id || ![...seen, ...groups].includes(one))
      .map((one) => [id, one]),
  );
  if (unknown.length > 0) {
    throw new ScriptError(unknown.map(([id, one]) => `${FILE}: ${id} can't need ${one}`));
  }
  const used = new Set(requirements.flatMap((one) => (one?.claims ?? []).flatMap(situationsOf)));
  const unused = Object.keys(situations).filter((name) => !used.has(name));
  if (unused.length > 0) {
    throw new ScriptError(unused.map((name) => `${FILE}: no claim names the situation ${name}`));
  }
  return { requirements, situations };
}

function situationsOf({ in: names = [] }: ClaimEntry): string[] {
  return names;
}

function claimProblems(
  { id, claims = [] }: CatalogueEntry,
  situations: Record<string, string>,
): string[] {
  const seen = new Set<string>();
  return claims.flatMap((claim) => {
    const { id: name = "", text = "", at } = claim;
    const problems = [
      /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) ? "" : "needs a name in kebab case",
      seen.has(name) ? "is listed twice" : "",
      text && at ? "" : "needs a text and its place in the interface",
      text.length > MAX_CLAIM ? `has a text of more than ${MAX_CLAIM} characters` : "",
      ...situationsOf(claim)
        .filter((one) => !(one in situations))
        .map((one) => `names an unknown situation, ${one}`),
    ];
    seen.add(name);
    return problems.filter(Boolean).map((problem) => `${FILE}: claim ${id}.${name} ${problem}`);
  });
}

/** Renders the catalogue, its claims and situations, and the unions of their ids. */
export function renderRequirements({ requirements: catalogue, situations }: Catalogue): string {
  const all = catalogue.flatMap(({ id: requirement, derived = false, claims = [] }) =>
    claims.map(({ id, text, at, derived: own = derived, in: names = [] }) => {
      const value = { requirement, derived: own, text, at, situations: names };
      return { id: `${requirement}.${id}`, value };
    }),
  );
  const union = (ids: readonly string[]) =>
    ids.map((id) => `  | ${JSON.stringify(id)}`).join("\n") || "  never";
  const entry = ({ id, how, derived = false, text, needs = [] }: CatalogueEntry) =>
    `  "${id}": ${JSON.stringify({ how, derived, text, needs })},`;
  return withBanner(`
/** The id of a requirement of the interface. */
export type RequirementId =
${catalogue.map(({ id }) => `  | "${id}"`).join("\n")};

/** How a requirement is decided: see the top of spec/requirements.yaml. */
export type DecidedBy = ${HOW.map((how) => JSON.stringify(how)).join(" | ")};

/** A testable statement of the interface. */
export interface Requirement {
  readonly how: readonly DecidedBy[];
  /** Derived from the interface, not stated in it. */
  readonly derived: boolean;
  readonly text: string;
  /** The requirements, or groups, whose failures probably explain one of this requirement. */
  readonly needs: readonly string[];
}

/** Every requirement, in the order of the catalogue. */
export const requirements: Readonly<Record<RequirementId, Requirement>> = {
${catalogue.map(entry).join("\n")}
};

/** Every requirement id, in the order of the catalogue. */
export const requirementIds = Object.keys(requirements) as RequirementId[];

/** The id of a claim: the id of its requirement, a dot and a name. */
export type ClaimId =
${union(all.map(({ id }) => id))};

/** A situation in which a claim has to hold. */
export type Situation =
${union(Object.keys(situations))};

/** A single statement of a requirement, which an implementation can violate by itself. */
export interface Claim {
  readonly requirement: RequirementId;
  /** Derived from the interface, not stated in it: a violation is a warning. */
  readonly derived: boolean;
  readonly text: string;
  /** Its place in the interface. */
  readonly at: string;
  /** The situations in which it has to hold; empty if there is only one. */
  readonly situations: readonly Situation[];
}

/** Every claim, in the order of the catalogue. */
export const claims: Readonly<Record<ClaimId, Claim>> = {
${all.map(({ id, value }) => `  ${JSON.stringify(id)}: ${JSON.stringify(value)},`).join("\n")}
};

/** Every claim id, in the order of the catalogue. */
export const claimIds = Object.keys(claims) as ClaimId[];

/** Every situation, with its meaning. */
export const situations: Readonly<Record<Situation, string>> = {
${Object.entries(situations)
  .map(([name, text]) => `  ${JSON.stringify(name)}: ${JSON.stringify(text)},`)
  .join("\n")}
};
`);
}

/**
 * Renders the ids of the derived claims. Findings use only the ids.
 */
export function renderDerived({ requirements: catalogue }: Catalogue): string {
  const ids = catalogue.flatMap(({ id, derived, claims = [] }) =>
    claims.filter((claim) => claim.derived ?? derived).map((claim) => `  "${id}.${claim.id}",`),
  );
  return withBanner(`
import type { ClaimId } from "./requirements.ts";

/** The claims that are derived from the interface, not stated in it: a violation is a warning. */
export const derivedClaims: ReadonlySet<ClaimId> = new Set([
${ids.join("\n")}
] as const);
`);
}

/** Renders the requirements that no conformance run decides, with the reasons. */
export async function renderExclusions(
  root: string,
  { requirements: catalogue }: Catalogue,
): Promise<string> {
  const file = "conformance/exclusions.yaml";
  const { excluded, undecidable = {} } = await readYaml<{
    excluded?: Record<string, unknown>;
    undecidable?: Record<string, unknown>;
  }>(root, file);
  if (!excluded) throw new ScriptError([`${file}: needs a map of excluded requirements`]);
  const known = new Set(
    catalogue.flatMap(({ id, claims = [] }) => [id, ...claims.map((one) => `${id}.${one.id}`)]),
  );
  const reasons = [...Object.entries(excluded), ...Object.entries(undecidable)];
  const problems = reasons.flatMap(([id, why]) => {
    if (!known.has(id)) return [`${file}: ${id} is not in the catalogue`];
    return typeof why === "string" && why.trim() ? [] : [`${file}: ${id} needs a reason`];
  });
  if (problems.length > 0) throw new ScriptError(problems);
  const misfits = catalogue.filter(({ id, claims = [] }) => claims.length > 0 === id in excluded);
  if (misfits.length > 0) {
    const what = (id: string) => (id in excluded ? "has claims but is excluded" : "needs claims");
    throw new ScriptError(misfits.map(({ id }) => `${FILE}: ${id} ${what(id)}`));
  }
  const entry = ([id, why]: [string, unknown]) =>
    `  "${id}": ${JSON.stringify(String(why).trim())},`;
  return withBanner(`
import type { ClaimId, RequirementId } from "./requirements.ts";

/**
 * Requirements that no conformance run decides, with the reasons, from
 * conformance/exclusions.yaml.
 */
export const exclusions: Readonly<Partial<Record<RequirementId, string>>> = {
${Object.entries(excluded).map(entry).join("\n")}
};

/** Claims of the other requirements that no check can decide, with the reasons. */
export const undecidable: Readonly<Partial<Record<ClaimId, string>>> = {
${Object.entries(undecidable).map(entry).join("\n")}
};
`);
}
