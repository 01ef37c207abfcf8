import { claims as catalogue, type RequirementId } from "../../generated/requirements.ts";
import { counted, printableLines, shortened } from "../../src/text.ts";
import { curlOf, type Delivery, type Exchange, isDelivery } from "../wire/exchange.ts";
import {
  type Ending,
  endingOf,
  failuresIn,
  headlinesOf,
  knownFailure,
  refusalsIn,
  refusedVerbsIn,
} from "./ending.ts";
import {
  type Gain,
  gainsOf,
  type Item,
  MAX_TEXT,
  type OpenGroup,
  openGroups,
  openItems,
} from "./open.ts";
import {
  type Cause,
  GROUPS,
  type Group,
  isLeftOut,
  type KnownFailure,
  type Report,
  type RequirementReport,
  selectedGroups,
  sentenceOf,
  type Verdict,
} from "./report.ts";

/** The mark of each verdict. */
export const MARKS: Readonly<Record<Verdict | "undecided", string>> = {
  passed: "✓",
  failed: "✗",
  warned: "!",
  partly: "~",
  skipped: "·",
  excluded: "–",
  undecided: "·",
};

/** Explains the variables in curl lines. */
export const VARIABLES_NOTE =
  "$TXFEED_… are placeholders for secrets: set these variables to run the curl lines";

/** What is known of a likely cause: ids with a text about them, or a value in lines. */
export interface Fact {
  readonly label: string;
  readonly ids: Item["ids"];
  readonly lines: readonly string[];
}

/** A likely cause of failures, or a probable consequence of one. */
export interface CauseView {
  readonly lead: RequirementId;
  readonly sentence: string;
  /** Whether it fails the run. */
  readonly isFailure: boolean;
  /** The refusal, or the place of the first finding. */
  readonly title: string;
  /** Such as "3 findings". */
  readonly findings: string;
  readonly facts: readonly Fact[];
  /** The requirement of the cause from which this one follows. */
  readonly consequenceOf?: RequirementId;
  /** What shows it first. */
  readonly shownBy?: Exchange | Delivery;
}

interface GroupView {
  readonly group: Group;
  readonly title: string;
  readonly members: readonly RequirementReport[];
  /** The number of its claims, and of those that were decided and violated. */
  readonly claims: Readonly<Record<"total" | "decided" | "failed", number>>;
}

/** What every format of a report shows. */
export interface View {
  readonly report: Report;
  /** The exchanges and deliveries of the report, by number. */
  readonly traffic: ReadonlyMap<number, Exchange | Delivery>;
  readonly ending: Ending;
  /** The result in a few words. */
  readonly result: string;
  /** Such as "159 of 366 claims decided, 0 failed, 207 undecided". */
  readonly sum: string;
  /** Such as "218 checks made 4,482 assertions in 12.3 s". */
  readonly work: string;
  /** What qualifies the whole run: sentences, with the requirements that they leave undecided. */
  readonly notes: readonly (Item & { readonly isDoubt: boolean })[];
  readonly groups: readonly GroupView[];
  readonly causes: readonly CauseView[];
  readonly consequences: readonly CauseView[];
  /** What would decide more, the most useful first. */
  readonly gains: readonly Gain[];
  readonly undecided: readonly OpenGroup[];
  readonly unmet: readonly OpenGroup[];
  /** The number of requirements that `only` does not select. */
  readonly notSelected: number;
  /** Notices, suite errors, and the baseline's entries by state. */
  readonly lists: readonly {
    /** Such as "3", or "5 of 12" if only the first are listed. */
    readonly count: string;
    readonly title: string;
    readonly isBad: boolean;
    readonly items: readonly Item[];
  }[];
}

/** Computes what every format of a report shows. */
export function viewOf(report: Report): View {
  const { claims, checks, assertions, durationMs, requirements: all, causes } = report;
  const made = `${counted(checks, "check")} made ${counted(assertions, "assertion")}`;
  const items = openItems(all);
  const ending = endingOf(report);
  const traffic = new Map(report.traffic.map((one) => [one.nr, one]));
  const [roots = [], others = []] = [true, false].map((isRoot) =>
    causes
      .filter(({ consequenceOf }) => (consequenceOf === undefined) === isRoot)
      .map((cause) => causeView(cause, report, traffic)),
  );
  return {
    ...{ report, traffic },
    ...{ ending, result: resultOf(report, ending) },
    sum:
      `${claims.decided} of ${claims.total} claims decided, ${claims.failed} failed, ` +
      `${claims.total - claims.decided} undecided`,
    work: `${made} in ${(durationMs / 1_000).toFixed(1)} s`,
    notes: notesOf(report),
    groups: selectedGroups(all).map(([group, members]) => groupView(group, members)),
    ...{ causes: roots, consequences: others },
    gains: gainsOf(items),
    undecided: openGroups(items, true),
    unmet: openGroups(items, false),
    notSelected: all.filter(isLeftOut).length,
    lists: listsOf(report),
  };
}

const MAX_NAMED = 8;

function resultOf(report: Report, ending: Ending): string {
  const doubt = doubtOf(report);
  if (ending === "undecided") return `undecided: ${doubt ?? "no check reached a verdict"}`;
  if (ending === "held")
    return report.claims.failed > 0 ? "nothing fails the run" : "nothing fails";
  const failed = failuresIn(report);
  if (failed.length === 0) return "failed: the baseline is outdated";
  const more = failed.length - MAX_NAMED;
  const others = more > 0 ? ` and ${counted(more, "more requirement")}` : "";
  const names = failed.slice(0, MAX_NAMED).map(({ id }) => id);
  return `failed: ${names.join(" ")}${others}${doubt === undefined ? "" : `; in doubt: ${doubt}`}`;
}

/** Why a run is undecided, or its failures are in doubt. */
function doubtOf(report: Report): string | undefined {
  if (report.suiteErrors.length > 0) return counted(report.suiteErrors.length, "suite error");
  return headlinesOf(report)[0]?.why;
}

function notesOf(report: Report): View["notes"] {
  const { brokenOff } = report;
  const stopped = `The run stopped early: ${brokenOff}. The results so far follow.`;
  return [
    ...(brokenOff === undefined ? [] : [{ text: stopped, ids: [], isDoubt: true }]),
    ...headlinesOf(report).map(({ text, requirements: ids }) => ({ text, ids, isDoubt: true })),
    ...[...refusalsIn(report), ...refusedVerbsIn(report)].map((text) => {
      return { text, ids: [], isDoubt: false };
    }),
  ].map((note) => ({ ...note, text: shortened(note.text, MAX_TEXT) }));
}

function groupView(group: Group, members: readonly RequirementReport[]): GroupView {
  const verdicts = members.flatMap(({ claims = [] }) => claims.map(({ verdict }) => verdict));
  const count = (...wanted: string[]) => verdicts.filter((one) => wanted.includes(one)).length;
  const decided = verdicts.length - count("undecided");
  const claims = { total: verdicts.length, decided, failed: count("failed", "warned") };
  return { group, title: GROUPS[group], members, claims };
}

const MAX_PLACES = 4;

function causeView(cause: Cause, report: Report, traffic: View["traffic"]): CauseView {
  const { requirements: ids, message, places, claim, consequenceOf, details = [] } = cause;
  const [lead, ...broken] = ids as [RequirementId, ...RequirementId[]];
  const isBroken = report.requirements.some(
    ({ id, verdict }) => verdict === "failed" && ids.includes(id),
  );
  const [first = message, ...others] = places;
  const more = others.length - MAX_PLACES;
  const also = more > 0 ? [`and ${counted(more, "more place")}`] : [];
  const isAccepted = ids.every((id) => knownFailure(report, id));
  const fact = (label: string, lines: readonly string[], ids: Item["ids"] = []): Fact[] => {
    if (lines.length + ids.length === 0) return [];
    return [{ label, ids, lines: lines.map((line) => shortened(line, MAX_TEXT)) }];
  };
  const shownBy = traffic.get(cause.evidence[0] ?? -1);
  return {
    ...{ lead, sentence: sentenceOf(lead), isFailure: cause.level === "error" || isBroken },
    // A refusal says more than its place.
    title: shortened(message.includes(": expected ") ? first : message, MAX_TEXT),
    findings: counted(cause.findings, "finding"),
    facts: [
      ...(consequenceOf ? fact("follows", ["probably"], [consequenceOf]) : []),
      ...(claim ? fact("claim", [catalogue[claim].text], [claim]) : []),
      ...fact("expected", linesOf(cause.expected)),
      ...fact("got", linesOf(cause.actual)),
      ...fact("in", details),
      ...fact("also at", [...others.slice(0, MAX_PLACES), ...also]),
      ...fact("breaks", [], broken),
      ...fact("known", isAccepted ? ["by the baseline"] : []),
    ],
    ...(consequenceOf && { consequenceOf }),
    ...(shownBy && { shownBy }),
  };
}

function linesOf(text: string | undefined): string[] {
  return text === undefined ? [] : [text];
}

/** Describes an exchange, as a curl line, or a delivery in one line. */
export function trafficLine(traffic: Exchange | Delivery): string {
  if (!isDelivery(traffic)) return curlOf(traffic.request);
  const time = traffic.receivedAt.slice("2025-03-04T".length, -1);
  return `delivery no. ${traffic.nr} of the evidence, ${traffic.name}, received ${time}`;
}

/** The notices that are listed. The JSON report has all. */
const MAX_NOTICES = 5;

function listsOf({ suiteErrors, baseline, requirements }: Report): View["lists"] {
  const notices = requirements.flatMap(({ checks }) => checks.flatMap((one) => one.notices ?? []));
  const shown = notices.slice(0, MAX_NOTICES).map(({ claim, requirement, message, evidence }) => {
    const text = `${message} (deliveries ${evidence.join(", ")})`;
    return { ids: [claim ?? requirement], text };
  });
  const errors = suiteErrors.map(({ requirement, check, message }) => {
    return { ids: [requirement], text: `${check}: ${message}` };
  });
  const failures = (all: readonly KnownFailure[] = []) =>
    all.map(({ requirement, reason, expires }) => {
      return { ids: [requirement], text: `until ${expires}: ${reason}` };
    });
  const list = (title: string, isBad: boolean, items: readonly Item[], all = items.length) => ({
    ...{ title, isBad, count: all > items.length ? `${items.length} of ${all}` : `${all}` },
    items: items.map(({ ids, text }) => ({ ids, text: shortened(text, MAX_TEXT) })),
  });
  const { stale, expired, known, undecided } = baseline ?? {};
  return [
    list("notices, which are findings if no delivery is missing", false, shown, notices.length),
    list("internal errors of the suite, not of the target: please report them", true, errors),
    list("known failures that pass now: remove them from the baseline", true, failures(stale)),
    list("known failures that have expired: fix them, or set a later day", true, failures(expired)),
    list("known failures, which do not fail the run", false, failures(known)),
    list("known failures, not decided in this run", false, failures(undecided)),
  ].filter(({ items }) => items.length > 0);
}

/** Escapes text for the content and the quoted attributes of HTML and XML. */
export function escapedMarkup(text: string): string {
  return printableLines(text).replace(/[&<>"'`]/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
