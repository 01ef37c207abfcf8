import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const enrichment: readonly Check[] = [
  shape("ENR-01", "an enrichment carries merchant, location and links"),
];
