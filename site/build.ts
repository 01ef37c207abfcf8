import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HastPluginEntry } from "satteri";
import { guidePages, outsideCode } from "./guides.ts";
import type { Page } from "./page.ts";
import { addressOf, sidebarOf } from "./sidebar.ts";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** The bundle of Scalar, which loads its parts on demand. */
const SCALAR = join(FOLDER, "node_modules/@scalar/api-reference/dist/browser");

/** Where a site is built and served. */
export interface BuildOptions {
  /** The folder of the result, which is replaced. */
  readonly out: string;
  /** The path below which it will be served, such as `/` or `/txfeed/`. */
  readonly base: string;
}

/**
 * Builds the site: the guides, the reference, their Markdown twins, the search index and llms.txt.
 *
 * @returns Resolves to the pages.
 */
export async function buildSite({ out, base }: BuildOptions): Promise<Page[]> {
  await mkdir(join(FOLDER, "dist"), { recursive: true });
  // Astro writes only below its own folder. Its cache keeps rendered pages, also after a change of
  // its configuration, so each build has its own.
  const work = await mkdtemp(join(FOLDER, "dist/work-"));
  try {
    return await buildIn(work, { out, base });
  } finally {
    await rm(work, { recursive: true });
  }
}

async function buildIn(work: string, { out, base }: BuildOptions): Promise<Page[]> {
  const pages = await allPages();
  const content = join(work, "pages");
  for (const page of pages) {
    await put(
      join(content, `${page.path}.md`),
      `${frontMatter(page)}\n${forSite(page.text, base)}\n`,
    );
  }
  await renderSite(work, base, pages);
  await rm(out, { recursive: true, force: true });
  await cp(join(work, "site"), out, { recursive: true });
  for (const page of pages) {
    await put(join(out, `${page.path}.md`), `# ${page.title}\n\n${forTwin(page.text, base)}\n`);
  }
  await put(join(out, "llms.txt"), llmsText(pages, base));
  await cp(SCALAR, join(out, "openapi/scalar"), {
    recursive: true,
    filter: (file) => !file.endsWith(".map") && !file.endsWith("standalone.js"),
  });
  await cp(join(ROOT, "docs/flow.svg"), join(out, "docs/flow.svg"));
  await cp(join(ROOT, "generated/openapi.json"), join(out, "openapi.json"));
  await cp(join(ROOT, "generated/openapi.yaml"), join(out, "openapi.yaml"));
  return pages;
}

/** Every page: guides, then the reference. */
async function allPages(): Promise<Page[]> {
  const [{ exportPages }, { referencePages }] = await Promise.all([
    import("./reference/exports.ts"),
    import("./reference/index.ts"),
  ]);
  const [exported, reference] = await Promise.all([exportPages(), referencePages()]);
  return [...guidePages(), ...reference, ...exported];
}

async function renderSite(work: string, base: string, pages: readonly Page[]): Promise<void> {
  process.env["ASTRO_TELEMETRY_DISABLED"] = "1";
  process.env["TXFEED_SITE_PAGES"] = join(work, "pages");
  const [{ build }, { passthroughImageService }, { default: starlight }, { satteri }] =
    await Promise.all([
      import("astro"),
      import("astro/config"),
      import("@astrojs/starlight"),
      import("@astrojs/markdown-satteri"),
    ]);
  await build({
    root: FOLDER,
    srcDir: join(FOLDER, "astro"),
    publicDir: join(FOLDER, "astro/public"),
    outDir: join(work, "site"),
    base,
    cacheDir: join(work, "cache"),
    configFile: false,
    markdown: {
      processor: satteri({
        features: { smartPunctuation: false },
        hastPlugins: [FOCUSABLE_TABLES],
      }),
    },
    logLevel: "error",
    image: { service: passthroughImageService() },
    integrations: [
      starlight({
        title: "txfeed",
        favicon: "/icon.svg",
        customCss: [join(FOLDER, "astro/style.css")],
        sidebar: sidebarOf(pages),
        pagination: false,
        expressiveCode: { defaultProps: { wrap: true } },
        credits: false,
        lastUpdated: false,
      }),
    ],
  });
}

/** Wide tables scroll, so the keyboard must reach them (WCAG 2.1.1). */
const FOCUSABLE_TABLES: HastPluginEntry = {
  name: "focusable-tables",
  element: {
    filter: ["table"],
    visit: (node, context) => context.setProperty(node, "tabIndex", 0),
  },
};

function frontMatter({ path, title, description }: Page): string {
  // JSON strings are YAML strings.
  const fields = { title, description, pagefind: !path.startsWith("decisions/") };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n`;
}

/** Links of the rendered site: `/guides/client.md#x` becomes `/base/guides/client/#x`. */
function forSite(text: string, base: string): string {
  return outsideCode(text, (part) =>
    part
      .replaceAll(/\]\(\/([^)#]*?)\.md(#[^)]*)?\)/g, (_all, path, anchor = "") => {
        return `](${addressOf(path)}${anchor})`;
      })
      .replaceAll("](/", `](${base}`),
  );
}

/** Links of the Markdown twins: `/guides/client.md#x` becomes `/base/guides/client.md#x`. */
function forTwin(text: string, base: string): string {
  return outsideCode(text, (part) => part.replaceAll("](/", `](${base}`));
}

/** The index for language models: https://llmstxt.org. */
function llmsText(pages: readonly Page[], base: string): string {
  const sections = Object.groupBy(pages, ({ path }) => sectionOf(path));
  const parts = Object.entries(sections).map(([name, found = []]) => {
    const items = found.map(
      ({ path, title, description }) => `- [${title}](${base}${path}.md): ${description}`,
    );
    return `## ${name}\n\n${items.join("\n")}`;
  });
  const [{ description = "" } = {}] = pages;
  return [`# txfeed`, `> ${description}`, ...parts].join("\n\n").concat("\n");
}

function sectionOf(path: string): string {
  const [first = "", second = ""] = path.split("/");
  if (first === "reference") return `Reference: ${second}`;
  return { index: "Overview", guides: "Guides", examples: "Examples" }[first] ?? "Project";
}

async function put(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
