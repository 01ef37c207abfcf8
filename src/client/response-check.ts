import type { Finding } from "../contract/finding.ts";
import { type OperationWithResponse, validateResponse } from "../contract/index.ts";
import type { Call } from "./call.ts";
import type { ClientContext } from "./context.ts";
import { FeedContractError } from "./errors.ts";

/**
 * Validates the body of a 200 against the contract, as webhooks are validated. Errors are thrown or
 * logged, warnings are logged, notices are ignored.
 *
 * @throws {FeedContractError} `contract` in mode `throw`
 * @throws {FeedTimeoutError} `timeout` if the deadline passed during the validation
 */
export function checkResponse(
  context: ClientContext,
  call: Call,
  mode: "warn" | "throw",
  body: unknown,
): void {
  const { networks } = context.settings;
  const operation = call.operation as OperationWithResponse;
  const { findings } = validateResponse(operation, 200, body, networks && { networks });
  call.checkDeadline();
  if (findings.length > 0) reportFindings(context, call, mode, findings);
}

function reportFindings(
  { secrets, log }: ClientContext,
  call: Call,
  mode: "warn" | "throw",
  findings: readonly Finding[],
): void {
  const errors = findings.filter(({ level }) => level === "error");
  const [first] = errors;
  if (mode === "throw" && first) {
    const issues = secrets.scrubAll(errors);
    const more = issues.length > 1 ? ` and ${issues.length - 1} more` : "";
    const place = `${first.requirement} ${first.path}`.trimEnd();
    const reason = `the response breaks the contract: ${secrets.scrub(place)}${more}`;
    throw new FeedContractError(reason, { call, issues, status: 200 });
  }
  // The log gets no messages of findings, because they quote the body.
  const requirements = findings
    .filter(({ level }) => level !== "notice")
    .map(({ requirement, path }) => `${requirement} ${path}`.trimEnd());
  const { operation, path } = call;
  if (requirements.length === 0) return;
  log?.({ level: "warn", event: "findings", operation, path, requirements });
}
