import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "./package-tarball.ts";

/**
 * Returns the links in packed Markdown pages whose target is not packed, such as
 * `README.md: docs/missing.md`. Pages on a registry have no checkout.
 *
 * @param paths The files of the package.
 */
export function deadLinks(paths: readonly string[], root = ROOT): string[] {
  const files = new Set(paths);
  const pages = paths.filter((path) => path.endsWith(".md"));
  const textOf = (path: string) => readFileSync(join(root, path), "utf8");
  const leads = (page: string, link: string): boolean => {
    const [to = "", anchor] = link.split("#");
    const path = to === "" ? page : posix.join(posix.dirname(page), to);
    if (!files.has(path)) return paths.some((one) => one.startsWith(`${path}/`));
    return anchor === undefined || headingsOf(textOf(path)).includes(anchor);
  };
  return pages.flatMap((page) => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)];
    return links.flatMap(([, link = ""]) => (leads(page, link) ? [] : [`${page}: ${link}`]));
  });
}

/** Returns the anchors of a page's headings, as on GitHub and npm. */
export function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
