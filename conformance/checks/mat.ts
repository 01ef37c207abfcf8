import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const matches: readonly Check[] = [
  shape("MAT-03", "a reason gives its factor, its score and what it compared"),
];
