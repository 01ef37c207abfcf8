import type { Check } from "../check.ts";
import { shape } from "../shape.ts";

export const bankAccounts: readonly Check[] = [
  shape("BAC-01", "a state change carries account, both states, reason and expiresAt"),
  shape("BAC-02", "reason and expiresAt are null unless applicable"),
];
