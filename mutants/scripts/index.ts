import { enrollmentScripts } from "./enrollment.ts";
import { linkScripts } from "./links.ts";
import { movementScripts } from "./movements.ts";
import type { Script } from "./player.ts";
import { purchaseScripts } from "./purchases.ts";
import { requestScripts } from "./requests.ts";

/** The scripts that decide whether a mutant is equivalent. */
export const scripts: readonly Script[] = [
  ...enrollmentScripts,
  ...linkScripts,
  ...purchaseScripts,
  ...movementScripts,
  ...requestScripts,
];
