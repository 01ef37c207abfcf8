import type { Check } from "../../check.ts";
import { inAnswers } from "../../shape.ts";

export const bankTransactions: readonly Check[] = [
  inAnswers("BTX-02", "amount is above zero"),
  inAnswers("BTX-03", "category is an array on the REST resource"),
];
