import { type Command, type CommandCall, EXIT } from "../../src/cli/command.ts";
import { refuseUnwritable } from "../../src/cli/file.ts";
import { outputTo } from "../../src/cli/output.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { reasonOf, TxfeedError } from "../../src/errors.ts";
import { counted } from "../../src/text.ts";
import type { Target } from "../capabilities.ts";
import { renderList } from "../list.ts";
import { DEFAULT_CONCURRENCY, DEFAULT_LIMIT_MS, DEFAULT_PATIENCE_MS } from "../live-run.ts";
import { type RunOptions, runConformance } from "../run.ts";
import { EvidenceFile } from "./evidence.ts";
import { JUDGE_FLAGS, numberIn, onlyIn, TARGET_FLAGS } from "./flags.ts";
import { onInterruption } from "./interruption.ts";
import { runProgressOn } from "./progress.ts";
import { baselineIn, filesIn, type Publication, publish, REPORT_FILE_FLAGS } from "./reports.ts";
import { targetIn } from "./target.ts";

/** More at once would be a load test. */
const MOST_CONCURRENCY = 100;

/** How long what a driver left open may keep the program from its end. */
const LINGER_MS = 1_000;

/** `txfeed conformance`: runs the checks against a server and shows the matrix. */
export const conformance: Command = {
  name: "conformance",
  positionals: ["[BASE_URL]"],
  summary: "tells of a server, requirement by requirement, what holds and what does not",
  notes: [
    "Without --writes and --driver nothing is changed on the server: the run sends GETs and token",
    "requests, right ones and wrong ones. Evidence is for txfeed report. Ctrl-C breaks the run off",
    "with a report of what it saw, and exit 130; a second one ends it at once.",
  ],
  flags: {
    ...TARGET_FLAGS,
    ...JUDGE_FLAGS,
    list: { type: "boolean", help: "explains each requirement in a line; needs no server" },
    evidence: { type: "string", value: "FILE", help: "writes all that the run sees, as it comes" },
    ...REPORT_FILE_FLAGS,
  },
  run: async (call) => {
    const { values } = call;
    const only = onlyIn(conformance, values);
    if (values.list === true) {
      const list = renderList(only, styleFor(process.stdout));
      await outputTo(process.stdout).write(`${list}\n`);
      return EXIT.ok;
    }
    const options = { only, strict: values.strict === true, concurrency: concurrencyIn(values) };
    const target = await targetIn(conformance, call);
    const evidence = values.evidence === undefined ? undefined : String(values.evidence);
    const taken = ["baseline", "evidence"].flatMap((flag) =>
      values[flag] === undefined ? [] : [{ flag: `--${flag}`, file: String(values[flag]) }],
    );
    const files = await filesIn(conformance, values, taken);
    if (evidence !== undefined) await refuseUnwritable(evidence);
    return runAndPublish(target, options, { files, baseline: await baselineIn(values) }, evidence);
  },
};

function concurrencyIn(values: CommandCall["values"]): number {
  return numberIn(conformance, values, "concurrency", [1, MOST_CONCURRENCY]) ?? DEFAULT_CONCURRENCY;
}

async function runAndPublish(
  target: Target,
  options: Pick<RunOptions, "only" | "strict"> & { readonly concurrency: number },
  publication: Publication,
  evidenceName: string | undefined,
): Promise<number> {
  const { collectSeconds = 0 } = target.webhooks ?? {};
  const limitMs = DEFAULT_LIMIT_MS + collectSeconds * 1_000;
  const facts = [
    `answers are waited for up to ${DEFAULT_PATIENCE_MS / 1_000} s, ` +
      `the run for up to ${Math.ceil(limitMs / 60_000)} min; ` +
      `${counted(options.concurrency, "request")} at once at most`,
  ];
  const progress = runProgressOn(process.stderr);
  const tell = (line: string) => {
    progress.clear();
    console.error(line);
  };
  const evidence = evidenceName === undefined ? undefined : new EvidenceFile(evidenceName);
  const interruption = onInterruption(() =>
    tell("txfeed: breaking off; the report follows. Ctrl-C again ends it at once"),
  );
  if (process.stderr.isTTY) tell(`${target.baseUrl}: ${facts[0]}`);
  if (target.writes && !target.bankLinkId && !target.driver?.startLink) {
    tell("txfeed: --writes has nothing to write to without --bank-link ID");
  }
  try {
    const report = await runConformance(target, {
      ...options,
      limitMs,
      signal: interruption.signal,
      onProgress: progress.noteCheck,
      onEvidence(entry) {
        progress.noteEvidence(entry);
        evidence?.add(entry);
      },
      onListening(url) {
        const least = collectSeconds > 0 ? `, for ${collectSeconds} s at least` : "";
        facts.push(`deliveries are received at ${url}${least}`);
        tell(facts.at(-1) ?? "");
      },
    });
    progress.clear();
    const { written, failure } = ended(evidence);
    // On a terminal they stand above already.
    const isTold = process.stderr.isTTY && process.stdout.isTTY;
    const head = isTold ? [] : facts;
    const status = await publish(report, { ...publication, facts: head, written });
    if (failure) throw failure;
    return interruption.status() ?? status;
  } catch (error) {
    if (error instanceof TxfeedError) throw error;
    if (process.env.TXFEED_DEBUG) console.error(error);
    tell(`txfeed: a fault of the suite, please report it: ${reasonOf(error)}`);
    return EXIT.undecided;
  } finally {
    progress.clear();
    interruption.release();
    if (target.driver) endSoon();
  }
}

/** Closes the evidence; tells where it is, or why it is not whole. */
function ended(evidence: EvidenceFile | undefined): { written: string[]; failure?: unknown } {
  if (!evidence) return { written: [] };
  try {
    evidence.close();
    return { written: [`evidence in ${evidence.name}`] };
  } catch (failure) {
    return { written: [], failure };
  }
}

/** A driver may leave connections open, which would keep the program running. */
function endSoon(): void {
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
