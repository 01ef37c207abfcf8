import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const conventions: readonly Check[] = [
  shape("CONV-01", "identifiers are strings in the shape of a UUID"),
  shape("CONV-02", "timestamps are UTC with milliseconds"),
  shape("CONV-03", "dates are YYYY-MM-DD"),
  shape("CONV-04", "amounts are JSON numbers"),
  shape("CONV-05", "links are objects with a relative href"),
  shape("CONV-06", "resources and collections are HAL"),
];
