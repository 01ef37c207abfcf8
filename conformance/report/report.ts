import {
  type ClaimId,
  claims,
  type RequirementId,
  requirements,
  type Situation,
} from "../../generated/requirements.ts";
import type { Finding, Level } from "../../src/contract/finding.ts";
import type { Capability, Profile } from "../target.ts";
import type { Delivery, Exchange } from "../wire/exchange.ts";
import type { Refusals } from "../wire/receiver.ts";

/**
 * The verdict on a requirement or a check:
 * - `passed`: checked, without a finding. A requirement passes only if each of its claims was
 *   decided;
 * - `failed`: checked, with a finding;
 * - `warned`: the same for a requirement that is derived from the interface rather than stated in
 *   it;
 * - `partly`: some of the requirement's claims were decided and hold, others were not decided;
 * - `skipped`: not decided in this run, with the reason;
 * - `excluded`: no run decides it, with the reason.
 */
export type Verdict = "passed" | "failed" | "warned" | "partly" | "skipped" | "excluded";

/** The report of a conformance run. It lists every requirement of the catalogue. */
export interface Report {
  readonly target: string;
  readonly profile: Profile;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** The number of requirements by verdict. */
  readonly summary: Readonly<Record<Verdict, number>>;
  /** The number of claims, over all requirements that are not excluded. */
  readonly claims: ClaimSummary;
  /** The number of executed checks, and the total of their assertions. */
  readonly checks: number;
  readonly assertions: number;
  /** Why the run was aborted; omitted if it was not. */
  readonly brokenOff?: string;
  /** The requests that the run's receiver refused; omitted if there were none. */
  readonly refusals?: Refusals;
  /** What a run with a receiver did and got; omitted without a receiver. */
  readonly activity?: Activity;
  readonly requirements: readonly RequirementReport[];
  /** The findings, grouped by likely cause. */
  readonly causes: readonly Cause[];
  /** Errors of the suite itself. The checks that they prevented are skipped. */
  readonly suiteErrors: readonly SuiteError[];
  /**
   * The exchanges and deliveries that findings reference by `nr`, each once. If the bodies are too
   * large for a report, the later ones are shortened and have `cut`.
   */
  readonly traffic: readonly (Exchange | Delivery)[];
  /** The state of the known failures; omitted if there is no baseline. */
  readonly baseline?: BaselineReport;
}

/** What a run with a receiver did, and what was delivered to it. */
export interface Activity {
  /** Completed steps that change the target: verbs of the driver and PATCH requests. */
  readonly steps: number;
  readonly deliveries: number;
}

/** The number of claims by result. */
export interface ClaimSummary {
  readonly total: number;
  /** Those that hold or are violated. */
  readonly decided: number;
  /** Those that are violated. */
  readonly failed: number;
  /** The situations in which the claims have to hold, and those in which they were checked. */
  readonly situations: { readonly total: number; readonly met: number };
}

/** The verdict on a claim: a single statement of a requirement. */
export type ClaimVerdict = "passed" | "failed" | "warned" | "undecided";

/** Why something is not decided, and how to decide it. */
export interface OpenReason {
  readonly reason?: string;
  /** How to decide it, with command-line flags. */
  readonly hint?: string;
  /** The hint with API options; omitted if the hint names no flag. */
  readonly hintOptions?: string;
}

/** What a check says about a claim; the reason if the check had no case of it. */
export interface ClaimResult extends OpenReason {
  readonly id: ClaimId;
  readonly verdict: ClaimVerdict;
  /** The situations in which the check met the claim. */
  readonly situations: readonly Situation[];
}

/** The result of a claim, from all checks that decide it; the reason if it is undecided. */
export interface ClaimReport extends OpenReason {
  readonly id: ClaimId;
  readonly verdict: ClaimVerdict;
  /** The situations in which it has to hold; omitted if there is only one. */
  readonly situations?: readonly SituationReport[];
}

/** A situation of a claim; the reason if it was not met. */
export interface SituationReport extends OpenReason {
  readonly name: Situation;
  /** Whether the claim was checked in the situation. */
  readonly met: boolean;
}

/** The result of a requirement; the reason if it is skipped, partly decided or excluded. */
export interface RequirementReport extends OpenReason {
  readonly id: RequirementId;
  readonly verdict: Verdict;
  /** The claims of the requirement; omitted if it is excluded or not selected. */
  readonly claims?: readonly ClaimReport[];
  readonly checks: readonly CheckReport[];
}

/** The result of a check; the reason if it is skipped. */
export interface CheckReport extends OpenReason {
  readonly name: string;
  readonly verdict: Verdict;
  /** What the check says about each of its claims. */
  readonly claims?: readonly ClaimResult[];
  /** Set if the target accepted a verb of the driver but the promised effect did not occur. */
  readonly unmet?: true;
  /** Set if the target refused a verb of the driver. */
  readonly refused?: true;
  /** The options and verbs that it requires and the run lacks; omitted if there are none. */
  readonly missing?: readonly Capability[];
  /** The number of assertions; omitted if it is skipped. */
  readonly assertions?: number;
  /** The expected value of the first finding. */
  readonly expected?: string;
  /** The actual value of the first finding. */
  readonly actual?: string;
  /**
   * A curl line that sends the first finding's request again; omitted for deliveries and for
   * requests that a shell can't express.
   */
  readonly reproduce?: string;
  /** The violations that were found. */
  readonly findings?: readonly EvidencedFinding[];
  /** Number of further findings that the report omits. */
  readonly findingsLeftOut?: number;
  /** What would be a finding if the run had every delivery; they affect no verdict. */
  readonly notices?: readonly EvidencedFinding[];
}

/** A finding with its evidence, by `nr` in the report's `traffic`, the most relevant first. */
export interface EvidencedFinding extends Finding {
  readonly evidence: readonly number[];
}

/** Findings that probably have one cause in the target. */
export interface Cause {
  /** The failure and its place, in one line. */
  readonly message: string;
  /** The worst level of its findings. */
  readonly level: Level;
  /** The requirements that it breaks, the most specific first. */
  readonly requirements: readonly RequirementId[];
  readonly findings: number;
  /** The first requirement of the cause from which this one follows; omitted for a root cause. */
  readonly consequenceOf?: RequirementId;
  /**
   * Operations and events with places in their bodies, without array indexes, such as
   * `GET /cards /_embedded/cards/[]/last4`; the place of the first finding comes first.
   */
  readonly places: readonly string[];
  /** The expected value of the first finding. */
  readonly expected?: string;
  /** The actual value of the first finding. */
  readonly actual?: string;
  /** The violated claim of the first finding; omitted if it violates several. */
  readonly claim?: ClaimId;
  /**
   * What the first finding is about, in lines: the id of its resource, the addends of a sum, and
   * the operation or event that it is compared with.
   */
  readonly details?: readonly string[];
  /** The evidence of the first finding, by `nr`; it is the finding with the shortest bodies. */
  readonly evidence: readonly number[];
}

export interface SuiteError {
  readonly requirement: RequirementId;
  readonly check: string;
  readonly message: string;
}

/** A known failure and its expiry date. */
export interface KnownFailure {
  readonly requirement: RequirementId;
  readonly reason: string;
  /** The last day, YYYY-MM-DD. */
  readonly expires: string;
}

/** The known failures by their state. */
export interface BaselineReport {
  /** They fail, as expected: they do not fail the run. */
  readonly known: readonly KnownFailure[];
  /** They pass: each fails the run until it is removed from the baseline. */
  readonly stale: readonly KnownFailure[];
  /** They fail after their last day: each fails the run. */
  readonly expired: readonly KnownFailure[];
  /** This run did not decide them: they neither fail it nor excuse a failure. */
  readonly undecided: readonly KnownFailure[];
}

/** The titles of requirement groups by id prefix, in catalogue order. */
export const GROUPS = {
  CONV: "conventions",
  AUTH: "authentication",
  SDK: "enrollment SDK",
  EP: "endpoints",
  PAGE: "pagination",
  TXN: "transactions",
  MSG: "messages",
  SUB: "card subscriptions",
  NBF: "bulk feeds",
  BLK: "bank links",
  BAC: "bank accounts",
  BTX: "bank transactions",
  MAT: "matches",
  ENR: "enrichment",
  WHK: "webhooks",
  ERR: "errors",
  VER: "versioning",
} as const;

export type Group = keyof typeof GROUPS;

export const groups = Object.keys(GROUPS) as Group[];

export function groupOf(id: RequirementId): Group {
  return id.slice(0, id.indexOf("-")) as Group;
}

/** The sentence of a requirement or a claim; empty for an unknown id. */
export function sentenceOf(id: string): string {
  return (requirements[id as RequirementId] ?? claims[id as ClaimId])?.text ?? "";
}

/** Whether a run found a requirement or a claim violated. */
export function isBroken({ verdict }: Pick<RequirementReport | ClaimReport, "verdict">): boolean {
  return verdict === "failed" || verdict === "warned";
}

/** Whether a run checked a requirement and reached a verdict. */
export function isDecided(requirement: RequirementReport): boolean {
  return requirement.verdict === "passed" || isBroken(requirement);
}

/**
 * The selected requirements by group. A run of some groups omits the groups of which it has only
 * excluded requirements.
 */
export function selectedGroups(
  all: readonly RequirementReport[],
): readonly (readonly [Group, readonly RequirementReport[]])[] {
  const selected = all.filter((requirement) => !isLeftOut(requirement));
  const groups = [...Map.groupBy(selected, ({ id }) => groupOf(id))];
  const checked = groups.filter(([, members]) => members.some((one) => one.verdict !== "excluded"));
  return selected.length < all.length && checked.length > 0 ? checked : groups;
}

/** Whether a requirement is not selected by the run's `only`. */
export function isLeftOut({ verdict, reason }: RequirementReport): boolean {
  return verdict === "skipped" && reason === "not selected";
}
