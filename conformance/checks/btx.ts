import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const bankTransactions: readonly Check[] = [
  shape("BTX-02", "amount is above zero"),
  shape("BTX-03", "category is an array on the REST resource"),
];
