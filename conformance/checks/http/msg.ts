import type { Check } from "../../check.ts";
import { inAnswers } from "../../shape.ts";

export const messages: readonly Check[] = [
  inAnswers("MSG-01", "a message carries the fields of the message table"),
  inAnswers("MSG-05", "traceId is a string of digits"),
  inAnswers("MSG-06", "approvalCode is a string, null or absent"),
  inAnswers("MSG-07", "dateTime is a local date-time without zone"),
  inAnswers("MSG-10", "messageType, result and provider are strings of open sets"),
];
