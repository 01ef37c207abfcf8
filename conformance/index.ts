export type { BankShows, Driver, EnrolledCard, Verb } from "./driver.ts";
export type {
  Cause,
  CheckReport,
  EvidencedFinding,
  Report,
  RequirementReport,
  SuiteError,
  Verdict,
} from "./report/report.ts";
export type { Credentials, Profile, Target } from "./run/capabilities.ts";
export { type RunOptions, replayEvidence, runConformance } from "./run/run.ts";
export type { Progress } from "./run/run-checks.ts";
export type { Delivery } from "./wire/delivery.ts";
export type { Evidence } from "./wire/evidence.ts";
export type { Exchange, RecordedRequest, RecordedResponse } from "./wire/exchange.ts";
