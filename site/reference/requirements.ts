import { type Check, claimsOfRequirement, requirementOf } from "../../conformance/check.ts";
import { checks } from "../../conformance/checks/index.ts";
import { GROUPS, type Group, groupOf, groups } from "../../conformance/report/report.ts";
import { exclusions, undecidable } from "../../generated/exclusions.ts";
import {
  claimIds,
  claims,
  type DecidedBy,
  type RequirementId,
  requirementIds,
  requirements,
  situations,
} from "../../generated/requirements.ts";
import { mutations } from "../../mutation/mutations/index.ts";
import { cases } from "../../test/contract/cases/index.ts";
import { cases as histories } from "../../test/contract/histories/index.ts";
import { code, escapeHtml, join, link, type Page, section, sourceLink, table } from "../page.ts";
import { requirementPath } from "./paths.ts";
import { payloadExample } from "./payload-example.ts";
import type { Places } from "./places.ts";
import { withRequirementLinks } from "./requirement-links.ts";
import { type SourceLine, sourceLines } from "./sources.ts";

const DECIDERS: Readonly<Record<DecidedBy, string>> = {
  schema: "the schema of one payload or response",
  rule: "the fields of one payload, compared with each other",
  sequence: "several deliveries or resources, compared with each other",
  http: "requests to a running implementation",
  driven: "a running implementation in which something is triggered",
  client: "an obligation of the caller",
  open: "open in the interface: a deviation is a notice",
};

const OUTCOMES = {
  valid: "none",
  silent: "none",
  invalid: "error",
  derived: "warning",
  warning: "warning",
  notice: "notice",
} as const;

/** The page that lists every requirement, and a page for each. */
export function requirementPages(places: Places): Page[] {
  return [requirementIndex(), ...requirementIds.map((id) => requirementPage(id, places))];
}

const INDEX = "reference/requirements/index";

function requirementIndex(): Page {
  const text = join(
    `The interface has ${requirementIds.length} testable requirements, with ${claimIds.length} claims. A claim is a single statement that an implementation can violate. Findings, checks and reports name the ids.`,
    ...groups.map((group) =>
      section(
        `${group}: ${GROUPS[group]}`,
        table(
          ["Id", "Requirement", "Claims", "Checks"],
          requirementIds
            .filter(inGroup(group))
            .map((id) => [
              link(id, requirementPath(id)),
              withRequirementLinks(escapeHtml(requirements[id].text)),
              String(claimsOfRequirement(id).length),
              String(checksOf(id).length),
            ]),
        ),
      ),
    ),
  );
  const description = "Every requirement of the interface, by group.";
  return { path: INDEX, title: "Requirements", description, text };
}

function inGroup(group: Group) {
  return (id: RequirementId) => groupOf(id) === group;
}

function checksOf(id: RequirementId): Check[] {
  return checks.filter((check) => requirementOf(check) === id);
}

function requirementPage(id: RequirementId, places: Places): Page {
  const { text, how, derived } = requirements[id];
  const excluded = exclusions[id];
  const content = join(
    `> ${withRequirementLinks(escapeHtml(text))}`,
    [
      `Group: ${GROUPS[groupOf(id)]}.`,
      `Decided by ${how.map((one) => DECIDERS[one]).join("; ")}.`,
      derived
        ? "The requirement is derived from the interface, not stated in it: a violation is a warning, and an error with `--strict`."
        : "",
    ].join(" "),
    excluded ? `No conformance run decides it. ${withRequirementLinks(excluded)}` : "",
    section("Claims", claimTable(id)),
    // The search finds a requirement by its id and claims, and the rest on the pages of its subject.
    "<div data-pagefind-ignore>",
    section("In the contract", placeList(places, id)),
    section("Rules", lineList(linesOf(id, RULES))),
    section("In the rest of the toolkit", lineList(linesOf(id, "src/**/*.ts", RULES))),
    section("Conformance checks", checkTable(id)),
    section("An example that breaks it", payloadExample(id)),
    section("Tested with payloads and histories", caseTable(id)),
    section("Tests", testList(id)),
    section("Bugs that the suite catches", mutationTable(id)),
    section("Run", runText(id)),
    neighbours(id),
    "</div>",
  );
  return { path: requirementPath(id), title: id, description: text, text: content };
}

function claimTable(id: RequirementId): string {
  const rows = claimsOfRequirement(id).map((claim) => {
    const { text, at, situations: names } = claims[claim];
    const where = names.map((name) => escapeHtml(situations[name]).replace(/\.$/, ""));
    const reason = undecidable[claim];
    const parts = [
      withRequirementLinks(escapeHtml(text)),
      reason ? `No run decides it: ${escapeHtml(reason)}` : "",
      where.length > 0 ? `Situations: ${where.join("; ")}.` : "",
    ];
    return [
      `\`${claim.slice(id.length + 1)}\``,
      parts.filter((part) => part !== "").join("<br>"),
      escapeHtml(at),
    ];
  });
  return table(["Claim", "Statement", "Place in the specification"], rows);
}

function placeList(places: Places, id: RequirementId): string {
  const found = places.of(id);
  return found
    .map(
      ({ page, anchor, label }) =>
        `- ${link(page.split("/").at(-1) ?? page, page, anchor)}: \`${label}\``,
    )
    .join("\n");
}

const RULES = "src/contract/{rules,history}/*.ts";

/** The lines of some files that name a requirement. */
function linesOf(id: RequirementId, pattern: string, except?: string): SourceLine[] {
  const others = new Set(except === undefined ? [] : sourceLines(except).map(({ file }) => file));
  return sourceLines(pattern).filter(({ file, text }) => text.includes(id) && !others.has(file));
}

function lineList(lines: readonly SourceLine[]): string {
  const files = Object.entries(Object.groupBy(lines, ({ file }) => file));
  return files
    .map(([file, found = []]) => {
      const numbers = found.map(({ line }) => sourceLink(`line ${line}`, file, line));
      return `- \`${file}\`: ${numbers.join(", ")}`;
    })
    .join("\n");
}

function checkTable(id: RequirementId): string {
  const rows = checksOf(id).map(({ title, claims: decided = [], requires }) => {
    const own = decided.filter((claim) => claims[claim].requirement === id);
    return [
      stringLink(title, "conformance/checks/**/*.ts"),
      own.map((claim) => `\`${claim.slice(claim.indexOf(".") + 1)}\``).join(", ") ||
        "violations only",
      requires.join(", ") || "nothing",
    ];
  });
  return table(["Check", "Claims", "Requires"], rows);
}

/** A text, linked to the line of the source that has it as a string. */
function stringLink(text: string, pattern: string): string {
  const found = sourceLines(pattern).find(({ text: line }) => line.includes(`"${text}"`));
  const shown = escapeHtml(text);
  return found ? sourceLink(shown, found.file, found.line) : shown;
}

function caseTable(id: RequirementId): string {
  const rows = [...cases, ...histories]
    .filter(({ requirement }) => requirement === id)
    .map(({ title, expect }) => [
      stringLink(title, "test/contract/{cases,histories}/*.ts"),
      OUTCOMES[expect],
    ]);
  return table(["Case", "Finding"], rows);
}

const TEST = /\b\w*[tT]est(?:\.\w+(?:\([^)]*\))?)*\(\s*["'`](.*)["'`]/;

function testList(id: RequirementId): string {
  const named = sourceLines("test/**/*.ts").filter(({ text }) => text.includes(id));
  const titled = named.filter(({ text }) => TEST.test(text));
  const titles = titled.map(({ file, line, text }) => {
    return `- ${sourceLink(escapeHtml(TEST.exec(text)?.[1] ?? ""), file, line)}`;
  });
  const others = named.filter(({ text }) => !TEST.test(text));
  return [...titles, lineList(others)].filter((item) => item !== "").join("\n");
}

function mutationTable(id: RequirementId): string {
  const rows = mutations
    .filter(({ requirement }) => requirement === id)
    .map(({ id: name, description }) => [`\`${name}\``, escapeHtml(description)]);
  return table(["Bug", "Description"], rows);
}

function runText(id: RequirementId): string {
  if (exclusions[id]) return "";
  const options = "--driver sandbox --writes";
  return code(
    "sh",
    `npm run -s txfeed -- conformance http://127.0.0.1:4020 ${options} --only ${id}`,
  );
}

function neighbours(id: RequirementId): string {
  const at = requirementIds.indexOf(id);
  const near = [requirementIds[at - 1], requirementIds[at + 1]].filter((one) => one !== undefined);
  const links = near.map((one) => link(one, requirementPath(one)));
  return `See also: ${[link("all requirements", INDEX), ...links].join(", ")}.`;
}
