import type { Check } from "../../check.ts";
import { inAnswers } from "../../shape.ts";

export const cardSubscriptions: readonly Check[] = [
  inAnswers("SUB-01", "a card subscription carries the fields of its kind"),
];
