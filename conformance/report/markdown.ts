import { counted, printable } from "../../src/text.ts";
import { whyOf } from "./open.ts";
import { type Fact, MARKS, trafficLine, type View } from "./view.ts";

/** The maximum length of a comment on GitHub, in characters. */
const MAX_CHARS = 65_536;

/** Room for the sentence about what was left out. */
const SENTENCE_CHARS = 300;

/** Lines that are kept or left out together, and what they are about. */
export type Block = readonly [what: string, lines: readonly string[]];

/** Joins blocks up to the length of a comment, and says what is left out. */
export function limited(blocks: readonly Block[], where: string): string {
  let text = "";
  const leftOut = new Set<string>();
  for (const [what, lines] of blocks) {
    const next = lines.map((line) => `${line}\n`).join("");
    if (leftOut.size > 0 || text.length + next.length > MAX_CHARS - SENTENCE_CHARS)
      leftOut.add(what);
    else text += next;
  }
  if (leftOut.size === 0) return text;
  const what = [...leftOut].join(", ");
  return `${text}\nLeft out, because a comment has at most 65,536 characters: ${what}. ${where}\n`;
}

const SIGNS = { held: "✅", failed: "❌", undecided: "⚠️" } as const;

/**
 * Renders a summary in GitHub's Markdown, for the page of a CI job or a pull request: the number of
 * claims, a row for each group, the failures by likely cause, and what was not decided.
 */
export function renderMarkdown(view: View): string {
  const { report, groups, causes, consequences, gains } = view;
  const head = [
    `## Conformance of ${code(report.target)}`,
    "",
    `**${SIGNS[view.ending]} ${plain(view.result)}**: ${view.sum}`,
    `(profile ${report.profile}, ${view.work})`,
    ...view.notes.flatMap(({ text, ids }) => [
      "",
      `> ⚠️ ${plain(text)}${ids.length === 0 ? "" : ` (${ids.join(", ")})`}`,
    ]),
    "",
    "| group | | claims decided | failed | undecided |",
    "|---|---|---:|---:|---:|",
    ...groups.map(({ group, title, members, claims: { total, decided, failed } }) => {
      const marks = members.map(({ verdict }) => MARKS[verdict]).join(" ");
      const counts = total === 0 ? ["", "", ""] : [decided, failed || "", total - decided || ""];
      return `| ${group} ${title} | ${plain(marks)} | ${counts.join(" | ")} |`;
    }),
  ];
  const roots = causes.map((cause): Block => {
    const { lead, sentence, isFailure, title, findings, facts, shownBy } = cause;
    return [
      counted(causes.length, "likely cause"),
      [
        `- ${isFailure ? "❌" : "⚠️"} **${lead}** ${plain(sentence)}`,
        `  - ${code(title)} (${findings})`,
        ...facts.map((fact) => `  - ${factText(fact)}`),
        ...(shownBy ? [`  - ${code(trafficLine(shownBy))}`] : []),
      ],
    ];
  });
  const followers = consequences.map(
    ({ lead, consequenceOf }) => `- probable consequence of ${consequenceOf}: **${lead}**`,
  );
  return limited(
    [
      ["summary", head],
      ...(causes.length > 0 ? [["", ["", "### Failures", ""]] as const] : []),
      ...roots,
      ["probable consequences", [...new Set(followers)]],
      ...view.lists.map(
        ({ count, title, items }): Block => [
          title,
          ["", `### ${count} ${title}`, "", ...items.map(itemLine)],
        ],
      ),
      [
        "what would decide more",
        gains.length === 0
          ? []
          : ["", "### To decide more", "", ...gains.map((one) => `- ${one.action}: ${one.gain}`)],
      ],
      ...(["undecided", "unmet"] as const).flatMap((name): Block[] => {
        const count = view[name].reduce((sum, group) => sum + group.count, 0);
        if (count === 0) return [];
        const title =
          name === "undecided"
            ? `${counted(count, "claim")} not decided`
            : `${counted(count, "situation")} not met`;
        const lines = view[name].flatMap(({ items, ...why }) => [
          `- ${plain(whyOf(why))}`,
          ...items.map((item) => `  ${itemLine(item)}`),
        ]);
        const folded = `<details><summary>${title}, by reason</summary>`;
        return [[title, ["", folded, "", ...lines, "", "</details>"]]];
      }),
    ],
    "The files of `--html` and `--report-json` have everything.",
  );
}

function factText({ label, ids, lines }: Fact): string {
  if (ids.length === 0) return `${label} ${code(lines.join("; "))}`;
  return `${label} ${[ids.join(" "), ...lines.map(plain)].join(": ")}`;
}

function itemLine({ ids, text }: { readonly ids: readonly string[]; readonly text: string }) {
  return `- **${ids.join(" ")}** ${plain(text)}`.trimEnd();
}

/** Escapes Markdown, and GitHub's mentions and references. */
export function plain(text: string): string {
  return printable(text)
    .replace(/[<>&@#$]/g, (mark) => `&#${mark.charCodeAt(0)};`)
    .replace(/[\\`*_[\]|~]/g, "\\$&");
}

/** Formats text as code, even if it contains backticks. */
export function code(text: string): string {
  const traffic = printable(text);
  const longest = Math.max(0, ...[...traffic.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  const space = longest > 0 ? " " : "";
  return `${fence}${space}${traffic}${space}${fence}`;
}
