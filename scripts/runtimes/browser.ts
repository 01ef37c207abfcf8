import { relative } from "node:path";
import { build } from "esbuild";
import { countFacts, findOnPath, type Installation, isolatedEnv } from "./checks.ts";
import { startFeedServer } from "./feed-server.ts";

/** The exports that browsers support. */
const EXPORTS = ["txfeed/client", "txfeed/client/browser", "txfeed/contract"];

const BROWSERS = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Bundles a module for browsers in the consumer project, and returns the files by path. */
async function bundle(project: string, contents: string): Promise<Map<string, string>> {
  const { outputFiles, metafile, warnings } = await build({
    stdin: { contents, resolveDir: project },
    absWorkingDir: project,
    outdir: ".",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const [warning] = warnings;
  if (warning) throw new Error(`bundling warns: ${warning.text}`);
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const foreign = imports.find(({ external }) => external === true);
  if (foreign) throw new Error(`the bundle imports ${foreign.path}`);
  return new Map(outputFiles.map(({ path, text }) => [`/${relative(project, path)}`, text]));
}

/** Bundles each export for browsers. An import of a Node.js module fails. */
export async function checkBundles({ project }: Installation): Promise<string> {
  for (const name of EXPORTS) await bundle(project, `export * from "${name}";`);
  return `${EXPORTS.join(", ")} bundle without Node.js modules`;
}

/** Finds a browser; undefined if none is installed. */
export async function findBrowser({ workspace, project }: Installation) {
  const program = await findOnPath(BROWSERS);
  if (program === undefined) return undefined;
  const { stdout } = await workspace.run(program, ["--version"], { cwd: project });
  const version = /\d+(\.\d+)+/.exec(stdout)?.[0] ?? "";
  return { program, version };
}

/** Uses the package in a page of a browser, which reports to the server of the page. */
export async function checkBrowser(program: string, places: Installation): Promise<string> {
  const page = await bundle(places.project, `import "./browser.ts";`);
  page.set("/", `<!doctype html><script type="module" src="/stdin.js"></script>`);
  const feed = await startFeedServer(page);
  const done = new AbortController();
  const profile = `--user-data-dir=${places.workspace.dir}/profile`;
  const args = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-breakpad",
    profile,
    feed.origin,
  ];
  const options = { cwd: places.project, env: isolatedEnv(places), signal: done.signal };
  const ended = places.workspace.run(program, args, options).then(({ stderr }) => {
    throw new Error(`the browser exited without a report: ${stderr.trim().split("\n").at(-1)}`);
  });
  try {
    const facts = countFacts(await Promise.race([feed.report, ended]), feed);
    return `client, client/browser, contract, fixtures: ${facts}`;
  } finally {
    done.abort();
    await ended.catch(() => {});
    await feed.close();
  }
}
