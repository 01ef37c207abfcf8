import type { EventName } from "../../../generated/events.ts";
import type { Finding } from "../finding.ts";
import type { Networks } from "../networks.ts";
import type { AnsweringOperation } from "../validate.ts";

const NOTHING: readonly Finding[] = Object.freeze([]);

/** Applies the rules of an event to a body whose shape holds. */
export function applyEventRules(
  _name: EventName,
  _body: unknown,
  _networks: Networks,
): readonly Finding[] {
  return NOTHING;
}

/** Applies the rules of an operation's answer to a body whose shape holds. */
export function applyAnswerRules(
  _operation: AnsweringOperation,
  _body: unknown,
  _networks: Networks,
): readonly Finding[] {
  return NOTHING;
}
