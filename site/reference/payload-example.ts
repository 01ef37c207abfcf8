import type { RequirementId } from "../../generated/requirements.ts";
import { validateEvent, validateResponse } from "../../src/contract/index.ts";
import type { Case } from "../../test/contract/cases/case.ts";
import { cases } from "../../test/contract/cases/index.ts";
import { code, details, join } from "../page.ts";

/** The first labelled payload that breaks a requirement, with the finding that it gets. */
export function payloadExample(id: RequirementId): string {
  const broken = cases.find(
    ({ requirement, expect }) =>
      requirement === id && (expect === "invalid" || expect === "derived"),
  );
  if (!broken) return "";
  const { title, payload } = broken;
  const findings = findingsOf(broken).filter(({ requirement }) => requirement === id);
  const lines = findings.map(
    ({ level, requirement, message }) => `${level} ${requirement} ${message}`,
  );
  const name = "event" in payload ? payload.event : payload.operation;
  return join(
    `A body of \`${name}\` in which ${title}:`,
    code("text", lines.join("\n")),
    details("The body", code("text", JSON.stringify(payload.body, undefined, 2))),
  );
}

function findingsOf({ payload, networks }: Case) {
  const options = networks ? { networks } : {};
  return "event" in payload
    ? validateEvent(payload.event, payload.body, options).findings
    : validateResponse(payload.operation, 200, payload.body, options).findings;
}
