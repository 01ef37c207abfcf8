import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { firstSentence, type Page, sourceLink } from "./page.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The guides in docs/, in the order of the sidebar. */
export const GUIDES = [
  ...["getting-started", "client", "testing", "enrollment"],
  ...["receiver", "fleet", "validation"],
  ...["sandbox", "conformance", "driver", "contract"],
  ...["security", "benchmarks", "comparison", "tools"],
] as const;

/** The pages that are files of the repository, with the path of each. */
const FILES: ReadonlyMap<string, string> = new Map([
  ["README.md", "index"],
  ...GUIDES.map((name) => [`docs/${name}.md`, `guides/${name}`] as const),
  ["spec/library/README.md", "guides/typespec-library"],
  ["ARCHITECTURE.md", "project/architecture"],
  ["CONTRIBUTING.md", "project/contributing"],
  ["SECURITY.md", "project/security-policy"],
  ["CHANGELOG.md", "project/changelog"],
  ["bench/README.md", "project/benchmark"],
  ...["examples/receiver-express", "examples/fleet-postgres"].map(
    (folder) => [`${folder}/README.md`, folder] as const,
  ),
  ["decisions/README.md", "decisions/index"],
  ...globSync("decisions/0*.md", { cwd: ROOT })
    .sort()
    .map((file) => [file, file.replace(/\.md$/, "")] as const),
]);

/** The pages that are files of the repository, in the order of the sidebar. */
export function guidePages(): Page[] {
  const guides = globSync("docs/*.md", { cwd: ROOT });
  const unlisted = guides.filter((file) => !FILES.has(file));
  if (unlisted.length > 0) throw new Error(`site/guides.ts does not list ${unlisted.join(", ")}`);
  return [...FILES].map(([file, path]) => guidePage(file, path));
}

function guidePage(file: string, path: string): Page {
  const source = readFileSync(`${ROOT}/${file}`, "utf8");
  const [, title, text] = /^# (.+)\n+([\s\S]*)$/.exec(source) ?? [];
  if (!title || text === undefined) throw new Error(`${file} must start with a title: # Title`);
  return {
    path,
    title: title.replaceAll("`", ""),
    description: descriptionOf(text),
    text: withSiteLinks(text, file),
  };
}

/** The first sentence of the first paragraph, without Markdown. */
function descriptionOf(text: string): string {
  const [paragraph = ""] = text.split(/\n\n(?!#)/);
  return firstSentence(
    paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/[`*]/g, ""),
  );
}

/** Replaces links to files by links to their pages, or to the source if there is no page. */
function withSiteLinks(text: string, file: string): string {
  return outsideCode(text, (part) =>
    part.replaceAll(
      /\[([^\]]*)\]\((?![a-z]+:|#)([^)#]+)(#[^)]*)?\)/g,
      (_all, shown, to, anchor = "") => {
        const target = posix.join(posix.dirname(file), to);
        const page = FILES.get(target);
        if (page !== undefined) return `[${shown}](/${page}.md${anchor})`;
        if (/\.(svg|png)$/.test(target)) return `[${shown}](/${target})`;
        return sourceLink(shown, target);
      },
    ),
  );
}

/** Changes a text, except in its code blocks. */
export function outsideCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part) => (part.startsWith("```") ? part : change(part)))
    .join("");
}
