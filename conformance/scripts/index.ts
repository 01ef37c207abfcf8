import type { ConformanceScript } from "../verbs/script-checks.ts";
import { accountScripts } from "./accounts.ts";
import { moneyScripts } from "./money.ts";

/** The scripts of a conformance run, in the order in which it plays them. */
export const scripts: readonly ConformanceScript[] = [...moneyScripts, ...accountScripts];
