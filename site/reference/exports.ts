import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join as joinPath, posix } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import packageJson from "../../package.json" with { type: "json" };
import { controlTypes } from "../../scripts/control-types.ts";
import { ScriptError } from "../../scripts/run-script.ts";
import { link, type Page, REPOSITORY, table } from "../page.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** An export of the package. */
interface Export {
  /** How it is imported, such as `txfeed/client`. */
  readonly name: string;
  /** The source of its entry, such as `src/client/index.ts`. */
  readonly source: string;
  readonly path: string;
}

/** The exports that are modules. `txfeed/types` is described by the pages of resources and events. */
const EXPORTS: readonly Export[] = Object.entries(packageJson.exports).flatMap(([name, target]) =>
  typeof target === "string" || name === "./types" ? [] : [exportOf(name, target.default)],
);

function exportOf(subpath: string, file: string): Export {
  const name = posix.join("txfeed", subpath);
  return {
    name,
    source: file.replace("./dist/", "").replace(/\.js$/, ".ts"),
    path: `reference/api/${name === "txfeed" ? name : name.replace("txfeed/", "")}`,
  };
}

/**
 * The page that lists the exports, and a page for each, from its docstrings.
 *
 * @throws {ScriptError} if TypeDoc cannot convert the sources, or a docstring has a dead link
 */
export async function exportPages(): Promise<Page[]> {
  const dir = await mkdtemp(joinPath(tmpdir(), "txfeed-typedoc-"));
  try {
    // In a process of its own, because it takes as long as all other pages together.
    await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), dir]).catch(
      ({ stderr }: { readonly stderr: string }) => {
        throw new ScriptError([stderr.trim(), "docs: the pages of the exports are incomplete"]);
      },
    );
    const pages = await Promise.all(EXPORTS.map((one) => exportPage(one, dir)));
    const index: Page = {
      path: "reference/api/index",
      title: "TypeScript API",
      description: "Every export of the package.",
      text: table(
        ["Export", "Description"],
        pages.map(({ path, title, description }) => [link(`\`${title}\``, path), description]),
      ),
    };
    return [index, ...pages];
  } finally {
    await rm(dir, { recursive: true });
  }
}

/** Copies the sources, with the types that the package has: zod's types hide the fields. */
async function copySources(dir: string): Promise<void> {
  for (const name of ["src", "generated", "conformance", "bin", "tsconfig", "package.json"]) {
    await cp(joinPath(ROOT, name), joinPath(dir, name), { recursive: true });
  }
  await symlink(joinPath(ROOT, "node_modules"), joinPath(dir, "node_modules"));
  for (const [module, text] of Object.entries(await controlTypes())) {
    await writeFile(joinPath(dir, `${module}.ts`), text);
  }
}

/** Renders the pages of a copy of the sources. */
async function renderMarkdown(root: string, out: string): Promise<void> {
  const { Application, LogLevel, OptionDefaults } = await import("typedoc");
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    // TypeDoc describes what several modules export in the first one. The root exports what others do.
    entryPoints: [...EXPORTS.slice(1), ...EXPORTS.slice(0, 1)].map(({ source }) =>
      joinPath(root, source),
    ),
    sortEntryPoints: false,
    tsconfig: joinPath(root, "tsconfig/build.json"),
    basePath: root,
    // `npm run typecheck` reports type errors.
    skipErrorChecking: true,
    readme: "none",
    disableGit: true,
    disableSources: REPOSITORY === undefined,
    sourceLinkTemplate: `${REPOSITORY}/blob/main/{path}#L{line}`,
    excludeExternals: true,
    logLevel: LogLevel.Warn,
    // openapi-typescript writes it.
    blockTags: [...OptionDefaults.blockTags, "@description"],
    validation: { invalidLink: true, notExported: false, notDocumented: false },
    // Options of the plugin.
    ...{ router: "module", hidePageHeader: true, hideBreadcrumbs: true, hidePageTitle: true },
    tableColumnSettings: {
      ...{ hideSources: true, hideModifiers: true, hideInherited: true, hideOverrides: true },
    },
    ...{ useCodeBlocks: true, parametersFormat: "table", enumMembersFormat: "table" },
    ...{
      interfacePropertiesFormat: "table",
      typeDeclarationFormat: "table",
      sanitizeComments: true,
    },
    ...{ propertyMembersFormat: "table", entryFileName: "index", useHTMLAnchors: true },
  } as Parameters<typeof Application.bootstrapWithPlugins>[0]);
  const project = await app.convert();
  if (!project) throw new Error("TypeDoc could not convert the sources");
  app.validate(project);
  if (app.logger.hasWarnings())
    throw new Error("a docstring links to something that does not exist");
  app.options.setValue("out", out);
  await app.generateOutputs(project);
}

/** The page of an export: TypeDoc's Markdown, with links from the root of the site. */
async function exportPage({ name, source, path }: Export, dir: string): Promise<Page> {
  const file = globSync("**/*.md", { cwd: dir }).find((one) => isPageOf(source, one));
  if (!file) throw new Error(`TypeDoc has no page for ${source}`);
  const text = await readFile(joinPath(dir, file), "utf8");
  const linked = text.replaceAll(
    /\]\((?!https?:|#)([^)#]+\.md)(#[^)]*)?\)/g,
    (_all, to, anchor = "") => {
      const target = posix.join(dirname(file), to);
      const found = EXPORTS.find(({ source: other }) => isPageOf(other, target));
      if (!found) throw new Error(`${file} links to ${to}, which is no page of an export`);
      return `](/${found.path}.md${anchor})`;
    },
  );
  return { path, title: name, description: `The export ${name}.`, text: linked };
}

/** Whether a file of TypeDoc describes a module. It names the page of a folder by the folder. */
function isPageOf(source: string, file: string): boolean {
  const stem = source.replace(/(\/index)?\.ts$/, "");
  return file === `${stem}.md` || file === `${stem}/index.md`;
}

if (import.meta.main) {
  const [out = ""] = process.argv.slice(2);
  const sources = await mkdtemp(joinPath(tmpdir(), "txfeed-sources-"));
  try {
    await copySources(sources);
    await renderMarkdown(sources, out);
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  } finally {
    await rm(sources, { recursive: true });
  }
}
