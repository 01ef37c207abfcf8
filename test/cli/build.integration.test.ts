import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { loadPageAssets } from "../../src/sandbox/page/assets.ts";
import { ROOT } from "../document.ts";
import { run, startNode } from "../support/program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** The published package without any other package installed. */
const dir = tempDir();

beforeAll(async () => {
  const { status, stdout } = await run("scripts/build.ts", ["--out", join(dir, "dist")]);
  expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
});

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: dir, encoding: "utf8" });

test("the package needs no other package", () => {
  expect(packageJson).not.toHaveProperty("dependencies");
});

test.each([
  "client/LICENSE-openapi-fetch",
  "client/LICENSE-openapi-typescript-helpers",
  ...["hono", "hono-node-server", "jose", "preact", "zod"].map((name) => `sandbox/LICENSE-${name}`),
  "fixtures/LICENSE-zod",
])("the licence of bundled code is included: %s", (file) => {
  const licence = readFileSync(join(dir, "dist/src", file), "utf8");
  expect(licence).toContain("Permission is hereby granted");
});

const {
  "./fixtures/arbitraries": arbitraries,
  "./client/undici": undici,
  "./conformance/vitest": vitest,
  "./webhooks/opentelemetry": openTelemetry,
  ...exported
} = packageJson.exports;

test.each(Object.entries(exported))("%s can be imported", async (_name, target) => {
  const file = typeof target === "string" ? target : target.default;
  const flags = file.endsWith(".json") ? `, { with: { type: "json" } }` : "";
  const { stderr } = node("-e", `import("${file}"${flags})`);
  expect(stderr).toBe("");
});

test.each([
  ["./fixtures/arbitraries", "fast-check", arbitraries],
  ["./client/undici", "undici", undici],
  ["./conformance/vitest", "vitest", vitest],
  ["./webhooks/opentelemetry", "@opentelemetry/api", openTelemetry],
])("%s asks for %s if it is not installed", (_name, needed, target) => {
  const { stderr } = node("-e", `import("${target.default}")`);
  expect(stderr).toContain(`Cannot find package '${needed}'`);
});

test("an error of the client is a TxfeedError of the package", () => {
  const file = (name: "." | "./client") => JSON.stringify(exported[name].default);
  const program = `
    const { TxfeedError } = await import(${file(".")});
    const { FeedError, FeedLinkError } = await import(${file("./client")});
    const error = new FeedLinkError("x", { call: { method: "GET", path: "/", attempts: 0 } });
    console.log(error instanceof TxfeedError, error instanceof FeedError, error.name);`;
  const { stdout, stderr } = node("--input-type=module", "-e", program);
  expect({ stdout, stderr }).toEqual({
    stdout: "true true FeedError [refused-link]\n",
    stderr: "",
  });
});

test("the package validates, and checks a history", () => {
  const file = (name: "./contract" | "./fixtures") => JSON.stringify(exported[name].default);
  const program = `
    const { checkHistory, validateEvent } = await import(${file("./contract")});
    const { make, scenario } = await import(${file("./fixtures")});
    const { ok } = await checkHistory(scenario("everything-at-once"), { complete: true });
    console.log(ok, validateEvent("transaction.updated", make("transaction.updated")).ok);`;
  const { stdout, stderr } = node("--input-type=module", "-e", program);
  expect({ stdout, stderr }).toEqual({ stdout: "true true\n", stderr: "" });
});

/** The number of types that `tsc --extendedDiagnostics` counts for a module. */
function typesOf(name: string, code: string): number {
  writeFileSync(join(dir, `${name}.mts`), code);
  const lib = ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable"];
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: false, types: [] },
    ...{ target: "ES2024", lib, module: "NodeNext" },
  };
  const config = `${name}.json`;
  writeFileSync(join(dir, config), JSON.stringify({ compilerOptions, files: [`${name}.mts`] }));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout, status } = node(tsc, "-p", config, "--extendedDiagnostics");
  expect(stdout).not.toContain("error TS");
  expect(status).toBe(0);
  return Number(/^Types: +(\d+)$/m.exec(stdout)?.[1]);
}

test("the client compiles without packages, below 30,000 types", () => {
  const file = JSON.stringify(exported["./client"].default);
  const code = `import { createFeedClient } from ${file};
    const secrets = { accountId: "a", clientId: "b", clientSecret: "c" };
    const feed = createFeedClient({ baseUrl: "https://feed.example", ...secrets });
    export const { data } = await feed.GET("/cards/{id}", { params: { path: { id: "1" } } });
    export const id: string | undefined = data?.id;
    // @ts-expect-error: the type is not any.
    export const none: number = data;`;
  expect(typesOf("client", code) - typesOf("nothing", "export {};")).toBeLessThan(30_000);
});

test("the sandbox and the fixtures compile without packages", () => {
  const file = (name: "./sandbox" | "./sandbox/control" | "./fixtures") =>
    JSON.stringify(exported[name].default);
  const code = `import { createControlClient } from ${file("./sandbox/control")};
    import { createSandbox, type PurchaseParams } from ${file("./sandbox")};
    import { make } from ${file("./fixtures")};
    export const params: PurchaseParams = { amount: 12.5, cardId: undefined };
    // @ts-expect-error: parameters are checked.
    export const wrong: PurchaseParams = { amount: "12.5" };
    export const sandbox = await createSandbox({ webhooks: [{ url: "http://127.0.0.1:9/" }] });
    const { result } = await createControlClient("").trigger("bank-post", { amount: 1 });
    export const id: string | null = result.bankTransactionId;
    // @ts-expect-error: results are typed.
    export const none: number = result.matchId;
    export const status: string = make("transaction.created").status;`;
  expect(typesOf("verbs", code)).toBeGreaterThan(0);
});

test("no published type or module imports zod", () => {
  const files = readdirSync(join(dir, "dist"), { recursive: true, encoding: "utf8" });
  const wrong = files.filter((file) => {
    if (!/\.(d\.ts|js)$/.test(file)) return false;
    return /from\s*["']zod["']/.test(readFileSync(join(dir, "dist", file), "utf8"));
  });
  expect(wrong).toEqual([]);
});

test("the command line runs", () => {
  const { status, stdout } = node(packageJson.bin.txfeed, "--help");
  expect(status).toBe(0);
  expect(stdout).toContain("usage: txfeed COMMAND");
});

test("a stack trace names the source file, its line and its functions", () => {
  const file = JSON.stringify(exported["./client"].default);
  const program = `const { createFeedClient } = await import(${file}); createFeedClient({});`;
  const flags = ["--enable-source-maps", "--input-type=module"];
  const { stderr } = node(...flags, "-e", program);
  const [, path = "", line = ""] = /at settingsOf \((\S+):(\d+):\d+\)/.exec(stderr) ?? [];
  expect(path).toBe(join(ROOT, "src/client/options.ts"));
  const source = readFileSync(path, "utf8").split("\n")[Number(line) - 1];
  expect(source).toContain("throw new UsageError");
  expect(stderr).toMatch(/at createFeedClient \(\S+src\/client\/feed-client\.ts:\d+:\d+\)/);
});

test("an uncaught error shows its line, not the whole module", () => {
  const file = JSON.stringify(exported["./sandbox"].default);
  const program = `const { createSandbox } = await import(${file});
    await createSandbox({ data: "/" });`;
  const { stderr } = node("--input-type=module", "-e", program);
  expect(stderr).toMatch(/at openDatabase \(\S+sandbox\/index\.js:\d+:\d+\)/);
  expect(stderr.length).toBeLessThan(5_000);
});

test("source maps contain only our own sources", () => {
  const files = readdirSync(join(dir, "dist"), { recursive: true, encoding: "utf8" });
  const maps = files.filter((file) => file.endsWith(".map"));
  expect(maps.length).toBeGreaterThan(100);
  expect(maps.filter((file) => !files.includes(file.slice(0, -".map".length)))).toEqual([]);
  const embedded = maps.flatMap((file) => {
    const { sources, sourcesContent } = JSON.parse(readFileSync(join(dir, "dist", file), "utf8"));
    return (sources as string[]).filter((_source, at) => sourcesContent[at] !== null);
  });
  expect(embedded.filter((source) => /node_modules|generated\//.test(source))).toEqual([]);
  expect(embedded.some((source) => source.endsWith("src/client/options.ts"))).toBe(true);
});

test("--version prints the version of the package", () => {
  expect(node(packageJson.bin.txfeed, "--version").stdout).toBe("unknown\n");
  writeFileSync(join(dir, "package.json"), '{ "type": "module", "version": "1.2.3" }');
  expect(node(packageJson.bin.txfeed, "--version").stdout).toBe("1.2.3\n");
  rmSync(join(dir, "package.json"));
});

test("the mock names Prism if it is not installed", () => {
  const { status, stderr } = node(packageJson.bin.txfeed, "mock");
  expect(status).toBe(2);
  expect(stderr).toBe(
    "txfeed: the mock needs Prism: npm install --save-dev @stoplight/prism-cli@5.16.0\n",
  );
});

test("the sandbox serves interface, control API, page and SDK", async () => {
  const args = [packageJson.bin.txfeed, "sandbox", "--port", "0", "--json"];
  const { until, stop } = startNode(args, { cwd: dir });
  const [line] = await until(/^.+\n/);
  const { baseUrl, controlUrl } = JSON.parse(line);
  const statusOf = async (url: string) => (await fetch(url)).status;
  const served = ["/", "/contract.json", "/sdk.js", "/openapi.json"].map((path) =>
    statusOf(controlUrl + path),
  );
  expect(await Promise.all(served)).toEqual([200, 200, 200, 200]);
  expect(await statusOf(`${baseUrl}/cards`)).toBe(401);
  const triggered = node(packageJson.bin.txfeed, "trigger", "--list", "--url", baseUrl);
  expect({ status: triggered.status, stderr: triggered.stderr }).toEqual({ status: 0, stderr: "" });
  expect(await stop()).toBe(0);
});

test("the bundled sandbox finds every file of its pages", async () => {
  const assets = [...(await loadPageAssets()).keys()];
  expect(assets.length).toBeGreaterThan(4);
  expect(readdirSync(join(dir, "dist/src/sandbox/assets")).sort()).toEqual(assets.sort());
});

test("every entry exports the same ControlError class", () => {
  const program = `
    const { TxfeedError } = await import("./dist/src/index.js");
    const { createSandbox, ControlError } = await import("./dist/src/sandbox/index.js");
    const { createControlClient } = await import("./dist/src/sandbox/control/client.js");
    const sandbox = await createSandbox({ world: "empty" });
    const error = await createControlClient(sandbox.controlUrl).trigger("x").catch((it) => it);
    await sandbox.close();
    console.log(error instanceof ControlError, error instanceof TxfeedError, error.status);`;
  const { stdout, stderr } = node("--input-type=module", "-e", program);
  expect({ stdout, stderr }).toEqual({ stdout: "true true 404\n", stderr: "" });
});

test("the types of the sandbox need no package", () => {
  const seen = new Set<string>();
  const foreign: string[] = [];
  const look = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(join(dir, file), "utf8");
    for (const [, name = ""] of text.matchAll(/(?:from |import\()"([^"]+)"/g)) {
      if (name.startsWith("."))
        look(join(dirname(file), name.replace(/(\.d)?\.(js|ts)$/, ".d.ts")));
      else foreign.push(`${file}: ${name}`);
    }
  };
  look("dist/src/sandbox/index.d.ts");
  look("dist/src/sandbox/control/client.d.ts");
  expect(seen.size).toBeGreaterThan(5);
  expect(foreign).toEqual([]);
});

test("the bundled sandbox has only the parts of zod that it uses", () => {
  const file = join(dir, "dist/src/sandbox/index.js");
  const { sources } = JSON.parse(readFileSync(`${file}.map`, "utf8"));
  const locales = sources.filter((source: string) => source.includes("zod/v4/locales/"));
  expect(locales.map((source: string) => basename(source))).toEqual(["en.js"]);
  expect(statSync(file).size).toBeLessThan(460_000);
  expect(existsSync(join(dir, "dist/src/sandbox/engine.js"))).toBe(false);
});
