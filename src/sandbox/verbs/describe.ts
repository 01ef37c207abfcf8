import * as z from "zod";
import type { VerbDescription } from "../control/control.ts";
import { verbs } from "./index.ts";
import type { VerbName } from "./params.ts";

/** Every verb that a sandbox has, and what it takes. It needs no running sandbox. */
export function verbDescriptions(): VerbDescription[] {
  return Object.entries(verbs).map(([name, { summary, requirements, params }]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(params, {
      io: "input",
      unrepresentable: "any",
    });
    return { name: name as VerbName, summary, requirements, params: schema };
  });
}
