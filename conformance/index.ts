export type { Credentials, Profile, Target } from "./capabilities.ts";
export type { Delivery } from "./deliveries/delivery.ts";
export type { BankShows, Driver, EnrolledCard, Verb } from "./driver.ts";
export type {
  Cause,
  CheckReport,
  EvidencedFinding,
  Report,
  RequirementReport,
  SuiteError,
  Verdict,
} from "./reports/report.ts";
export { type RunOptions, replayEvidence, runConformance } from "./run.ts";
export type { Progress } from "./run-checks.ts";
export type { Evidence } from "./transport/evidence.ts";
export type { Exchange, RecordedRequest, RecordedResponse } from "./transport/exchange.ts";
