import packageJson from "../package.json" with { type: "json" };

/** A page of the site, as Markdown. */
export interface Page {
  /** The path without extension, such as `guides/client`. */
  readonly path: string;
  readonly title: string;
  /** A shorter title for the sidebar. */
  readonly label?: string;
  /** One sentence, for search results and llms.txt. */
  readonly description: string;
  /** The Markdown below the title. Links to other pages are `/guides/client.md#anchor`. */
  readonly text: string;
}

const manifest: typeof packageJson & { readonly repository?: { url: string } } = packageJson;

/** The address of the repository, if package.json has one. */
export const REPOSITORY = manifest.repository?.url.replace(/^git\+|\.git$/g, "");

/** A text, linked to a file of the repository if the repository has an address. */
export function sourceLink(text: string, file: string, line?: number): string {
  if (REPOSITORY === undefined) return text;
  return `[${text}](${REPOSITORY}/blob/main/${file}${line === undefined ? "" : `#L${line}`})`;
}

/** A Markdown link to a page, such as `[TXN-06](/reference/requirements/TXN-06.md)`. */
export function link(text: string, path: string, anchor = ""): string {
  return `[${text}](/${path}.md${anchor === "" ? "" : `#${anchor}`})`;
}

/** A Markdown table. Cells may contain Markdown, but no line breaks. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(heads), `|${" --- |".repeat(heads.length)}`, ...rows.map(line)].join("\n");
}

/** A code block. */
export function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

/** Text that may be unfolded. It is Markdown; the summary is plain text. */
export function details(summary: string, text: string): string {
  return `<details>\n<summary>${escapeHtml(summary)}</summary>\n\n${text}\n\n</details>`;
}

/** A section with a heading, or nothing if it has no content. */
export function section(heading: string, ...parts: readonly string[]): string {
  const content = parts.filter((part) => part !== "");
  return content.length === 0 ? "" : [`## ${heading}`, ...content].join("\n\n");
}

/** Joins the parts of a page, without empty ones. */
export function join(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}

/** The first sentence of a text, in one line. A colon at its end becomes a full stop. */
export function firstSentence(text: string): string {
  const [sentence = text] = /^[\s\S]*?[.:](?=\s|$)/.exec(text) ?? [];
  return sentence.replaceAll("\n", " ").replace(/:$/, ".");
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
