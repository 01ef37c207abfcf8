export type {
  BankShows,
  Driver,
  DriverContext,
  EnrolledCard,
  ExpectedConfidence,
  Verb,
} from "./driver.ts";
export {
  type ExploreOptions,
  type ExploreProgress,
  explore,
  replayScript,
} from "./explore/explore.ts";
export type { ExploreFinding, ExploreReport } from "./explore/report.ts";
export type {
  Cause,
  CheckReport,
  EvidencedFinding,
  Report,
  RequirementReport,
  SuiteError,
  Verdict,
} from "./report/report.ts";
export { type RunOptions, replayEvidence, runConformance } from "./run/run.ts";
export type { Progress } from "./run/run-checks.ts";
export type { Credentials, Profile, Target } from "./target.ts";
export type { TableCoverage } from "./verbs/state-tables.ts";
export type { Script, ScriptAccount, Step } from "./verbs/step.ts";
export type { Evidence } from "./wire/evidence.ts";
export type { Delivery, Exchange, RecordedRequest, RecordedResponse } from "./wire/exchange.ts";
