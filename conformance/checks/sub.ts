import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const cardSubscriptions: readonly Check[] = [
  shape("SUB-01", "a card subscription carries the fields of its kind"),
];
