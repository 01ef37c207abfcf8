import type { Sides } from "../breaks/index.ts";
import { NotInstalledError, reasonOf, UsageError } from "../errors.ts";
import { printable, shortened } from "../text.ts";
import { renderMarkdown } from "./breaks-markdown.ts";
import { type Comparison, fails, renderJson } from "./breaks-report.ts";
import { renderSarif } from "./breaks-sarif.ts";
import { renderText } from "./breaks-text.ts";
import { type Command, type CommandCall, EXIT, usageError } from "./command.ts";
import { readEnvelope } from "./envelope.ts";
import { appendTo, refuseUnwritable, writeAtomically } from "./file.ts";
import { FORMAT_FLAG, formatIn, JSON_FLAG } from "./format.ts";
import { inputsNamed, linesIn, textOf } from "./input.ts";
import { outputTo } from "./output.ts";
import { isSameTarget } from "./output-target.ts";
import { type Progress, progressOn } from "./progress.ts";
import { styleFor } from "./terminal.ts";

type Values = CommandCall["values"];

/** `txfeed breaks`: reports what a change of the contract breaks. */
export const breaks: Command = {
  name: "breaks",
  positionals: ["OLD", "NEW"],
  summary: "reports what a change of the contract breaks, for whom, with examples",
  notes: [
    "OLD and NEW: an OpenAPI 3.1 file, GIT_REF:PATH such as main:generated/openapi.json, or",
    "PACKAGE@VERSION as published on npm.",
    "Audiences: a consumer receives webhooks, a caller calls the API, an implementer runs a",
    "server, types are programs that compile with the TypeScript types.",
    'Approvals are a JSON list of {"pointer","kind","text","reason","author","expires"}.',
    "Exit status: 0 if nothing breaks or every break is approved, 1 otherwise.",
  ],
  flags: {
    json: JSON_FLAG,
    format: FORMAT_FLAG,
    markdown: { type: "string", value: "FILE", help: "append a report for a pull request to FILE" },
    sarif: { type: "string", value: "FILE", help: "write the changes to FILE as SARIF 2.1.0" },
    approvals: {
      type: "string",
      value: "FILE",
      help: "accept the breaks that FILE lists",
    },
    captures: {
      type: "string",
      value: "FILE",
      help: "fail only if a message of the capture FILE would become invalid",
    },
  },
  examples: [
    { command: "txfeed breaks old.json new.json", does: "compare two files" },
    {
      command: "txfeed breaks main:generated/openapi.json generated/openapi.json",
      does: "compare with a branch",
    },
    { command: "txfeed breaks txfeed@0.1.0 new.json", does: "compare with a release" },
    {
      command: "txfeed breaks old.json new.json --captures capture.ndjson",
      does: "fail only if traffic breaks",
    },
    { command: "txfeed breaks old.json new.json --json", does: "print the verdict for a program" },
  ],
  run: async ({ positionals, values }) => {
    const isJson = formatIn(breaks, values) === "json";
    const files = await filesIn(values);
    const progress = progressOn(process.stderr);
    progress.step("loading");
    const comparison = await comparisonOf(positionals, values, progress).finally(progress.end);
    const { markdown, sarif } = files;
    if (markdown !== undefined) await appendTo(markdown, renderMarkdown(comparison));
    if (sarif !== undefined) await writeAtomically(sarif, renderSarif(comparison));
    const text = isJson ? renderJson(comparison) : renderText(comparison, styleFor(process.stdout));
    await outputTo(process.stdout).write(text);
    return fails(comparison) ? EXIT.found : EXIT.ok;
  },
};

async function comparisonOf(
  [old = "", now = ""]: readonly string[],
  values: Values,
  { step }: Progress,
): Promise<Comparison> {
  const library = await load();
  const known = await approvalsIn(values, library);
  const read = (reference: string) => {
    step(`reading ${shortened(printable(reference), MAX_REFERENCE)}`);
    return library.readDocument(reference);
  };
  const sides = library.sidesOf(await read(old), await read(now));
  step("comparing");
  const breakage = await compared(sides, library);
  const today = new Date().toISOString().slice(0, "2025-03-04".length);
  const approvals = library.applyApprovals(breakage, known, today);
  if (values.captures !== undefined) step("validating the capture");
  return {
    ...{ old, new: now, breakage, approvals },
    unapproved: library.unapproved(breakage, approvals),
    captures: await capturesIn(values, sides, library),
  };
}

/** The length of a reference in the progress. */
const MAX_REFERENCE = 50;

type Library = typeof import("../breaks/index.ts");

/** Loads the comparison. Its packages are optional because only this command needs them. */
async function load(): Promise<Library> {
  try {
    return await import("../breaks/index.ts");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ERR_MODULE_NOT_FOUND") throw error;
    const advice = `npm install --save-dev ${PACKAGES.join(" ")}`;
    throw new NotInstalledError(`breaks needs packages that are missing: ${advice}`);
  }
}

/**
 * Compares the documents.
 *
 * @throws {TxfeedError} `usage` if AJV or TypeScript does not accept one of them.
 */
async function compared(sides: Sides, { compareSides }: Library) {
  try {
    return await compareSides(sides);
  } catch (error) {
    const why = reasonOf(error).replace(/\s+/g, " ");
    throw new UsageError(`the documents can't be compared: ${why}`, { cause: error });
  }
}

const PACKAGES = [
  ...["@apidevtools/swagger-parser", "ajv", "ajv-formats", "fast-check", "openapi-typescript"],
  ...["typescript@5", "yaml"],
];

/**
 * The files to write.
 *
 * @throws {TxfeedError} `file` if one can't be written, `usage` if both are the same.
 */
async function filesIn(values: Values) {
  const [markdown, sarif] = [values.markdown, values.sarif].map((file) => file?.toString());
  if (markdown !== undefined && sarif !== undefined && isSameTarget(markdown, sarif)) {
    throw usageError(breaks, `--markdown and --sarif name the same file: ${sarif}`);
  }
  for (const file of [markdown, sarif]) if (file !== undefined) await refuseUnwritable(file);
  return { markdown, sarif };
}

async function approvalsIn({ approvals }: Values, { parseApprovals }: Library) {
  if (approvals === undefined) return [];
  const file = String(approvals);
  const text = await textOf(file);
  try {
    return parseApprovals(text);
  } catch (error) {
    throw new UsageError(`${file}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Validates the messages of `--captures` against both contracts; undefined without the flag. */
async function capturesIn({ captures }: Values, sides: Sides, { CaptureComparison }: Library) {
  if (captures === undefined) return undefined;
  const [input] = await inputsNamed([String(captures)]);
  const check = new CaptureComparison(sides);
  for await (const batch of linesIn(input.read())) {
    for (const line of batch) {
      if ("problem" in line) {
        check.skip();
        continue;
      }
      const envelope = readEnvelope(line.text);
      if (envelope.kind === "delivery" || envelope.kind === "response") {
        check.add(line.number, envelope);
      } else check.skip();
    }
  }
  const report = check.end();
  if (report.messages > 0) return report;
  throw new UsageError(`${input.name} has no delivery or response to check`);
}
