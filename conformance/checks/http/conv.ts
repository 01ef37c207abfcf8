import type { Check } from "../../check.ts";
import { inAnswers } from "../../shape.ts";

export const conventions: readonly Check[] = [
  inAnswers("CONV-01", "identifiers are strings in the shape of a UUID"),
  inAnswers("CONV-02", "timestamps are UTC with milliseconds"),
  inAnswers("CONV-03", "dates are YYYY-MM-DD"),
  inAnswers("CONV-04", "amounts are JSON numbers"),
  inAnswers("CONV-05", "links are objects with a relative href"),
  inAnswers("CONV-06", "resources and collections are HAL"),
];
