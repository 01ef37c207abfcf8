import type { RequirementId } from "../../generated/requirements.ts";
import { memberOf } from "../../src/contract/pointer.ts";
import type { Message } from "../assert.ts";
import { linkAt } from "../observe/link.ts";
import type { Target } from "../run/capabilities.ts";
import { curlOf, isDelivery } from "../wire/exchange.ts";
import { linkRequest } from "../wire/request.ts";
import type { PlayedScript } from "./stage.ts";
import { renderStep, type Script } from "./step.ts";
import { testOf } from "./test-text.ts";

/** A requirement that a script breaks. */
export interface ExploreFinding {
  readonly requirement: RequirementId;
  readonly level: "error" | "warning";
  /** The step that shows it, in one line. */
  readonly step: string;
  /** The place in the body, as a JSON pointer; omitted if it is not in a body. */
  readonly path?: string;
  readonly expected: string;
  readonly actual: string;
  /** The other requirements that the step breaks: probably consequences. */
  readonly others: readonly RequirementId[];
  /** The shortest failing script that was found. */
  readonly script: Script;
  /** A Vitest test that plays the script. */
  readonly test: string;
  /** The requests that show it, as curl lines without secrets. */
  readonly curl: readonly string[];
}

/** Describes what a failing script shows. */
export function findingOf(
  target: Target,
  { script, failed }: PlayedScript,
  requirement: RequirementId,
): ExploreFinding {
  const { violations = [], step } = failed ?? {};
  const violation = violations.find((one) => one.requirement === requirement) ?? violations[0];
  if (!violation || !step) throw new Error("a finding needs a failed step");
  const { path, expected, actual, evidence } = violation.breach;
  const others = violations.map((one) => one.requirement).filter((id) => id !== requirement);
  return {
    ...{ requirement, level: violation.level, step: renderStep(step) },
    ...(path !== undefined && { path }),
    ...{ expected, actual, others, script },
    test: testOf(target, script, requirement),
    curl: [...new Set(evidence.flatMap((one) => curlFor(target, one)))],
  };
}

/** The request of an exchange; for a delivery, the request of the resource that it announces. */
function curlFor({ baseUrl }: Target, message: Message): string[] {
  if (!isDelivery(message)) return [curlOf(message.request)];
  const href = linkAt(message.json, ["_links", "self"]);
  if (href === undefined || memberOf(message.json, "id") === undefined) return [];
  try {
    return [curlOf(linkRequest(baseUrl.replace(/(?<!\/)\/+$/, ""), href))];
  } catch {
    // The link of a faulty delivery may lead nowhere.
    return [];
  }
}
