export type { Finding, Level } from "./finding.ts";
export {
  type AnsweringOperation,
  type Validation,
  validateEvent,
  validateResponse,
} from "./validate.ts";
