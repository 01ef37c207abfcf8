export type { Exchange, RecordedRequest, RecordedResponse } from "./exchange.ts";
export type {
  CheckReport,
  EvidencedFinding,
  Report,
  RequirementReport,
  Verdict,
} from "./report.ts";
export { runConformance } from "./run.ts";
export type { Credentials, Profile, Target } from "./session.ts";
