import type { Script } from "../../../world/script.ts";
import { scripts, stories } from "../../../world/scripts.ts";

/** The stories of the page, in order. */
export const STORIES: readonly Script[] = stories.map((id) => scripts[id]);
