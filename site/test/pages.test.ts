import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { exclusions } from "../../generated/exclusions.ts";
import { requirementIds } from "../../generated/requirements.ts";
import { tempDir } from "../../test/support/temp-dir.ts";
import { deadLinks } from "../links.ts";
import { addressOf } from "../sidebar.ts";

const out = inject("siteFolder");
const pages = inject("sitePages");
const htmlOf = (path: string) => readFileSync(join(out, addressOf(path), "index.html"), "utf8");

test("has a page for each operation, event, resource and requirement", () => {
  const count = (folder: string) =>
    pages.filter(({ path }) => path.startsWith(`reference/${folder}/`) && !path.endsWith("/index"))
      .length;
  expect(count("operations")).toBe(18);
  expect(count("events")).toBe(13);
  expect(count("resources")).toBe(10);
  expect(count("requirements")).toBe(143);
});

test("no link leads nowhere", () => {
  expect(deadLinks(out, "/")).toEqual([]);
});

test("reports links to missing pages, anchors and files of the repository", () => {
  const dir = tempDir();
  const dead = ["/no/", "/there/#no", "#no", "/txfeed", "icon.svg"].concat(
    "https://repository.example/blob/main/src/no.ts",
  );
  dead.push("//elsewhere/txfeed/");
  const good = ["/txfeed/", "/txfeed/there/", "/txfeed/there/#here", "#here", "https://x.example"];
  const links = [...good, ...dead.slice(0, 2).map((to) => `/txfeed${to}`), ...dead.slice(2)];
  const html = links.map((to) => `<a class="x" href="${to}">x</a>`).join("");
  writeFileSync(join(dir, "index.html"), `<p id="here"></p>${html}`);
  mkdirSync(join(dir, "there"));
  writeFileSync(join(dir, "there/index.html"), '<p id="here"></p>');
  expect(deadLinks(dir, "/txfeed/", "https://repository.example")).toEqual(
    ["/txfeed/no/", "/txfeed/there/#no", ...dead.slice(2)].map((to) => `index.html: ${to}`),
  );
});

test("every page shows its text, and has a Markdown twin that llms.txt lists", () => {
  const index = readFileSync(join(out, "llms.txt"), "utf8");
  for (const { path, title, text } of pages) {
    // A page whose rendering failed is empty or ends early.
    const [, content = ""] = htmlOf(path).split('class="sl-markdown-content">');
    const [last] =
      text.replaceAll(/^```[\s\S]*?^```$/gm, "").match(/^## .+$(?![\s\S]*^## )/m) ?? [];
    expect(content.length, path).toBeGreaterThan(text.length / 2);
    expect(plainText(content), path).toContain(plainText(last?.slice(3) ?? "<"));
    expect(readFileSync(join(out, `${path}.md`), "utf8")).toMatch(/^# .+\n\n\S/);
    expect(index).toContain(`[${title}](/${path}.md)`);
  }
});

test("the Markdown twins link to each other", () => {
  const dead = pages.flatMap(({ path }) => {
    const text = readFileSync(join(out, `${path}.md`), "utf8").replaceAll(
      /^```[\s\S]*?^```$/gm,
      "",
    );
    return [...text.matchAll(/\]\(\/([^)#]*)/g)]
      .map(([, to = ""]) => to)
      .filter((to) => to !== "openapi/" && !existsSync(join(out, to)))
      .map((to) => `${path}: ${to}`);
  });
  expect(dead).toEqual([]);
});

test("every column of a table has a header", () => {
  const empty = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/^(\|.*\|)\n\|[-| :]+\|$/gm)]
      .filter(([, head = ""]) => /\|\s*\|/.test(head))
      .map(([, head]) => `${path}: ${head}`),
  );
  expect(empty).toEqual([]);
});

test("pages and requirements link to each other", () => {
  const places = pages.filter(({ path }) =>
    /^reference\/(operations|events|resources)\//.test(path),
  );
  for (const id of requirementIds) {
    const own = requirementText(id);
    const listed = [...own.matchAll(/^- \[[^\]]*\]\(\/(reference\/[^)#]*)\.md/gm)].map(
      ([, to]) => to,
    );
    const naming = places.filter(({ text }) => text.includes(`(/reference/requirements/${id}.md)`));
    expect([...new Set(listed)].sort(), id).toEqual(naming.map(({ path }) => path).sort());
  }
});

test("every requirement leads to its checks and bugs, or says why nothing decides it", () => {
  for (const id of requirementIds) {
    const decided = /## Conformance checks[\s\S]*## (Tests|Tested with|Bugs that)/;
    expect(requirementText(id), id).toMatch(exclusions[id] ? /No conformance run/ : decided);
  }
});

/** Letters and digits only, without tags, escapes and Markdown. */
function plainText(text: string): string {
  return text.replaceAll(/<[^>]*>|&[#\w]+;|\]\([^)]*\)|[^a-zA-Z0-9]/g, "");
}

function requirementText(id: string): string {
  return pages.find(({ path }) => path === `reference/requirements/${id}`)?.text ?? "";
}
