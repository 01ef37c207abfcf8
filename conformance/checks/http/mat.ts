import type { Check } from "../../check.ts";
import { inAnswers } from "../../shape.ts";

export const matches: readonly Check[] = [
  inAnswers("MAT-03", "a reason gives its factor, its score and what it compared"),
];
