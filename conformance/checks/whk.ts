import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const webhooks: readonly Check[] = [
  shape("WHK-01", "a delivery names one of the 13 events in its header"),
  shape("WHK-03", "envelope fields other than metadata.resourceId are accepted"),
];
