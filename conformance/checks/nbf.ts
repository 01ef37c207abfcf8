import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const bulkFeeds: readonly Check[] = [
  shape("NBF-01", "a bulk feed event carries the fields of the feed and its move"),
];
