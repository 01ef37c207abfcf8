import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const bankLinks: readonly Check[] = [
  shape("BLK-01", "a completed link carries its accounts with their cards"),
];
