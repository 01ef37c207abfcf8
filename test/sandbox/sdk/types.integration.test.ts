import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { ROOT } from "../../document.ts";

const FOLDERS = ["src/sandbox/page/assets", "src/sandbox/sdk/assets"];

/** Compares openForm's types of txfeed/client/browser and of the stand-in in both directions. */
const CONFIG = join(ROOT, "tsconfig/development.json");
const COMPARED = join(ROOT, "test/sandbox/sdk/compared.ts");
const COMPARISON = `
  import type { OpenFormParameters } from "../../../src/client/browser/index.ts";
  import { openForm } from "../../../src/sandbox/sdk/assets/open-form.js";
  type Taken = Parameters<typeof openForm>[0];
  export const open: (parameters: OpenFormParameters) => void = openForm;
  export const members: keyof Taken = "" as keyof OpenFormParameters;
  export const others: keyof OpenFormParameters = "" as keyof Taken;
`;

function errorsOf(files: readonly string[], comparison: string): string[] {
  const { config } = ts.readConfigFile(CONFIG, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(CONFIG));
  const own = { composite: false, emitDeclarationOnly: false, noEmit: true };
  const program = { ...options, ...own, allowJs: true, checkJs: true };
  const host = ts.createCompilerHost(program);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...others) =>
    name === COMPARED
      ? ts.createSourceFile(name, comparison, ts.ScriptTarget.ESNext)
      : getSourceFile(name, ...others);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([...files], program, host))
    .map(({ file, messageText }) => {
      return `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
}

test("SDK-01: the scripts are typed, and openForm has the client's type", () => {
  const scripts = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith(".js"))
      .map((name) => join(ROOT, folder, name)),
  );
  expect(scripts.length).toBeGreaterThan(15);
  expect(errorsOf([...scripts, COMPARED], COMPARISON)).toEqual([]);
});

test("an incompatible type would be reported", () => {
  const wrong = COMPARISON.replace("openForm;", "openForm; openForm({ companyName: 1 });");
  expect(errorsOf([COMPARED], wrong)).not.toEqual([]);
});
