import { z } from "zod";
import { setUpBy } from "./build.ts";
import { formats } from "./formats.ts";
import type { Library } from "./library.ts";

/** Zod. Its own formats are used if they are as strict as the contract's. */
export const zod: Library = {
  name: "zod 4",
  setUp: setUpBy<z.ZodType>(
    {
      string: z.string(),
      number: z.number(),
      boolean: z.boolean(),
      unknown: z.unknown().refine((value) => value !== undefined),
      format: (name) => {
        if (name === "uuid") return z.guid();
        if (name === "date") return z.iso.date();
        if (name === "date-time") return z.iso.datetime({ precision: 3 });
        return z.string().refine(formats[name as keyof typeof formats]);
      },
      pattern: (pattern) => z.string().regex(pattern),
      greaterThan: (minimum) => z.number().gt(minimum),
      enum: (values) => z.enum([...values]),
      nullable: (schema) => schema.nullable(),
      array: (items) => z.array(items),
      object: (properties) => {
        const shape = properties.map(({ name, schema, isRequired }) => {
          return [name, isRequired ? schema : schema.optional()] as const;
        });
        return z.object(Object.fromEntries(shape));
      },
    },
    (schema) => (body) => schema.safeParse(body).error?.issues.length ?? 0,
  ),
};
