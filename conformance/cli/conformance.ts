import { exclusions } from "../../generated/exclusions.ts";
import {
  type ClaimId,
  claimIds,
  claims,
  type RequirementId,
  requirementIds,
  requirements,
} from "../../generated/requirements.ts";
import { type Command, type CommandCall, EXIT, usageError } from "../../src/cli/command.ts";
import { refuseUnwritable } from "../../src/cli/file.ts";
import { outputTo } from "../../src/cli/output.ts";
import { styleFor } from "../../src/cli/terminal.ts";
import { reasonOf, TxfeedError } from "../../src/errors.ts";
import { counted, type TextStyle } from "../../src/text.ts";
import { type Check, requirementOf } from "../check.ts";
import { drivenChecks, httpChecks, webhookChecks } from "../checks/index.ts";
import { GROUPS, groupOf } from "../report/report.ts";
import type { Target } from "../run/capabilities.ts";
import { DEFAULT_CONCURRENCY, DEFAULT_LIMIT_MS, DEFAULT_PATIENCE_MS } from "../run/live-run.ts";
import { type RunOptions, runConformance } from "../run/run.ts";
import { isSelected } from "../run/run-checks.ts";
import { exploreCall, isExploring } from "./explore.ts";
import {
  BASELINE_NOTE,
  CHECK_FLAGS,
  EXPLORE_FLAGS,
  numberIn,
  onlyIn,
  TARGET_FLAGS,
} from "./flags.ts";
import { endSoon, onInterruption, runProgressOn } from "./progress.ts";
import {
  baselineIn,
  EvidenceFile,
  filesIn,
  type Publication,
  publish,
  REPORT_FILE_FLAGS,
} from "./report.ts";
import { targetIn } from "./target.ts";

/** More concurrent requests would be a load test. */
const MAX_CONCURRENCY = 100;

/** `txfeed conformance`: runs the checks against a server and shows the matrix. */
export const conformance: Command = {
  name: "conformance",
  positionals: ["[BASE_URL]"],
  summary: "checks a server against every requirement of the interface",
  notes: [
    "Without --writes and --driver the run changes nothing on the server: it sends only GET",
    "requests and token requests, some of them invalid.",
    "Ctrl-C stops the run, reports the results so far and exits with status 130. A second Ctrl-C",
    "exits immediately.",
    BASELINE_NOTE,
  ],
  flags: {
    ...TARGET_FLAGS,
    ...CHECK_FLAGS,
    list: { type: "boolean", help: "list the requirements, one per line; needs no server" },
    claims: { type: "boolean", help: "with --list: also each claim, with its situations" },
    evidence: {
      type: "string",
      value: "FILE",
      help: "record the traffic of the run in FILE, for txfeed report",
    },
    ...REPORT_FILE_FLAGS,
    ...EXPLORE_FLAGS,
  },
  run: async (call) => {
    const { values } = call;
    if (isExploring(conformance, values)) return exploreCall(conformance, call);
    const only = onlyIn(conformance, values);
    if (values.claims === true && values.list !== true) {
      throw usageError(conformance, "--claims needs --list");
    }
    if (values.list === true) {
      const list = renderList(only, styleFor(process.stdout), values.claims === true);
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
  return numberIn(conformance, values, "concurrency", [1, MAX_CONCURRENCY]) ?? DEFAULT_CONCURRENCY;
}

async function runAndPublish(
  target: Target,
  options: Pick<RunOptions, "only" | "strict"> & { readonly concurrency: number },
  publication: Publication,
  evidenceName: string | undefined,
): Promise<number> {
  const { collectSeconds = 0 } = target.webhooks ?? {};
  const limitMs = DEFAULT_LIMIT_MS + collectSeconds * 1_000;
  const limits =
    `timeouts: ${DEFAULT_PATIENCE_MS / 1_000} s per response, ` +
    `${Math.ceil(limitMs / 60_000)} min for the run; ` +
    `at most ${counted(options.concurrency, "concurrent request")}`;
  const progress = runProgressOn(process.stderr);
  const log = (line: string) => {
    progress.clear();
    console.error(line);
  };
  const evidence = evidenceName === undefined ? undefined : new EvidenceFile(evidenceName);
  const interruption = onInterruption(() =>
    log("txfeed: stopping; the report follows. Press Ctrl-C again to exit immediately"),
  );
  if (process.stderr.isTTY) log(`${target.baseUrl}: ${limits}`);
  if (target.writes && !target.bankLinkId && !target.driver?.startLink) {
    log("txfeed: --writes has no effect without --bank-link ID");
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
        const least = collectSeconds > 0 ? ` for at least ${collectSeconds} s` : "";
        log(`receiving deliveries at ${url}${least}`);
      },
    });
    progress.clear();
    const { written, failure } = ended(evidence);
    // On a terminal the limits were already shown.
    const isShown = process.stderr.isTTY && process.stdout.isTTY;
    const facts = isShown ? [] : [limits];
    const status = await publish(report, { ...publication, facts, written });
    if (failure) throw failure;
    return interruption.status() ?? status;
  } catch (error) {
    if (error instanceof TxfeedError) throw error;
    if (process.env.TXFEED_DEBUG) console.error(error);
    log(`txfeed: internal error of the suite, please report it: ${reasonOf(error)}`);
    return EXIT.undecided;
  } finally {
    progress.clear();
    interruption.release();
    if (target.driver) endSoon();
  }
}

/** Closes the evidence file. Returns its name, or the error that made it incomplete. */
function ended(evidence: EvidenceFile | undefined): { written: string[]; failure?: unknown } {
  if (!evidence) return { written: [] };
  try {
    evidence.close();
    return { written: [`evidence in ${evidence.name}`] };
  } catch (failure) {
    return { written: [], failure };
  }
}

/** The checks by kind. */
const WAYS: Readonly<Record<string, readonly Check[]>> = {
  http: httpChecks,
  webhooks: webhookChecks,
  driven: drivenChecks,
};

/**
 * Renders the catalogue, one line per requirement: the kinds of its checks, or why it is excluded.
 *
 * @param only Groups or ids; default: all.
 * @param withClaims Whether to list each claim too, with its checks and its situations.
 */
export function renderList(
  only: readonly string[] | undefined,
  style: TextStyle,
  withClaims = false,
): string {
  const ids = requirementIds.filter((id) => isSelected(id, only));
  const widest = Math.max(...ids.map((id) => waysOf(id).length));
  const groups = Map.groupBy(ids, groupOf);
  return [
    ...[...groups].flatMap(([group, members]) => [
      `${style.bold(group)} ${style.dim(GROUPS[group])}`,
      ...members.flatMap((id) => [
        `  ${renderLine(id, widest, style)}`,
        ...(withClaims ? claimsOf(id).flatMap((claim) => renderClaim(claim, style)) : []),
      ]),
      "",
    ]),
    renderSum(ids),
    "A violation of a derived requirement is a warning; with --strict it is a failure.",
  ].join("\n");
}

function renderLine(id: RequirementId, widest: number, style: TextStyle): string {
  const { text, derived } = requirements[id];
  const mark = style.warn(derived ? "derived" : "       ");
  const excluded = exclusions[id];
  const reason = excluded === undefined ? "" : style.dim(` (${excluded})`);
  return `${id.padEnd(7)}  ${style.dim(waysOf(id).padEnd(widest))}  ${mark}  ${text}${reason}`;
}

function claimsOf(requirement: RequirementId): ClaimId[] {
  return claimIds.filter((claim) => claims[claim].requirement === requirement);
}

/** Renders a claim in one line, and its situations in the next. */
function renderClaim(id: ClaimId, style: TextStyle): string[] {
  const { text, at, situations } = claims[id];
  const ways = Object.entries(WAYS)
    .filter(([, checks]) => checks.some((check) => check.claims?.includes(id)))
    .map(([way]) => way);
  const how = style.dim(`${ways.join(" ") || "no check"}; ${at}`);
  return [
    `    ${id}  ${text} ${how}`,
    ...(situations.length > 0 ? [`      in ${situations.join(", ")}`] : []),
  ];
}

function waysOf(id: RequirementId): string {
  if (exclusions[id] !== undefined) return "excluded";
  const ways = Object.entries(WAYS).filter(([, checks]) => countOf(checks, [id]) > 0);
  return ways.map(([way]) => way).join(" ") || "no check";
}

function countOf(checks: readonly Check[], ids: readonly RequirementId[]): number {
  return checks.filter((check) => ids.includes(requirementOf(check))).length;
}

function renderSum(ids: readonly RequirementId[]): string {
  const excluded = ids.filter((id) => exclusions[id] !== undefined).length;
  const counts = Object.entries(WAYS).map(([way, checks]) => `${countOf(checks, ids)} ${way}`);
  const all = counted(ids.length, "requirement");
  const stated = ids.flatMap(claimsOf);
  const cells = stated.reduce((sum, id) => sum + claims[id].situations.length, 0);
  const rest = `${counted(stated.length, "claim")} in ${counted(cells, "situation")}`;
  return `${all}, ${excluded} excluded; checks: ${counts.join(", ")}; ${rest}`;
}
