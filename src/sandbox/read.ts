import type { z } from "zod";
import { badRequest } from "./refusal.ts";

/**
 * Reads what somebody asks with.
 *
 * @param what what it is for, as the error's first word
 * @throws a Refusal 400 that names the first member that does not fit
 */
export function read<T>(schema: z.ZodType<T>, value: unknown, what?: string): T {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  const [first] = found.error.issues;
  throw badRequest([what, first && told(first)].filter(Boolean).join(": "));
}

function told(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    return `${[...issue.path, issue.keys[0]].join(".")}: nothing of that name is taken here`;
  }
  if (issue.code === "too_small" && issue.origin === "string" && issue.minimum === 1) {
    return [issue.path.join("."), "is empty"].filter(Boolean).join(": ");
  }
  const message = issue.message.replace(/^(Invalid input|Invalid option|Too small|Too big): /, "");
  return [issue.path.join("."), message].filter(Boolean).join(": ");
}
