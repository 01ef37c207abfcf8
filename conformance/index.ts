export type { Delivery } from "./deliveries/delivery.ts";
export type { BankShows, Driver, EnrolledCard, Verb } from "./driver.ts";
export type { Progress } from "./judge.ts";
export type { Credentials, Profile, Target } from "./means.ts";
export type {
  Cause,
  CheckReport,
  EvidencedFinding,
  Report,
  RequirementReport,
  SuiteFault,
  Verdict,
} from "./reports/report.ts";
export { judgeEvidence, type RunOptions, runConformance } from "./run.ts";
export type { Evidence } from "./wire/evidence.ts";
export type { Exchange, RecordedRequest, RecordedResponse } from "./wire/exchange.ts";
