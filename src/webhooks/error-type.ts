import { Abandoned } from "./attempt.ts";

/** The most types of errors, because each makes metrics of its own. */
const MAX_TYPES = 50;
const OTHER_TYPE = "_OTHER";

/**
 * Creates the function that names the type of an error: its code, or else its class. After 50
 * types, new ones are `_OTHER`. The function never throws.
 */
export function createErrorTypes(): (error: unknown) => string {
  const types = new Set<string>();
  return (error) => {
    const type = errorType(error);
    if (types.size < MAX_TYPES) types.add(type);
    return types.has(type) ? type : OTHER_TYPE;
  };
}

function errorType(error: unknown): string {
  try {
    if (error instanceof Abandoned) return error.because;
    if (!(error instanceof Error)) return OTHER_TYPE;
    const { code } = error as { readonly code?: unknown };
    return String(typeof code === "string" ? code : error.constructor.name).slice(0, 100);
  } catch {
    return OTHER_TYPE;
  }
}

/** The stack of an error, if it has one. Accepts any thrown value and never throws. */
export function stackOf(error: unknown): { stack?: string } {
  try {
    return error instanceof Error && error.stack ? { stack: String(error.stack) } : {};
  } catch {
    return {};
  }
}
