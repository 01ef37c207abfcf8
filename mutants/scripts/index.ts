import { cardScripts } from "./cards.ts";
import { moneyScripts } from "./money.ts";
import type { Script } from "./player.ts";
import { requestScripts } from "./requests.ts";

/** The scripts that decide whether a mutant is equivalent. */
export const scripts: readonly Script[] = [...cardScripts, ...moneyScripts, ...requestScripts];
