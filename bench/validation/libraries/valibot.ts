import * as v from "valibot";
import { setUpBy } from "./build.ts";
import { formats, UUID } from "./formats.ts";
import type { Library } from "./library.ts";

/** Valibot accepts an array for an object without required fields. */
const isNoArray = v.check((value: unknown) => !Array.isArray(value));

/** Valibot. Its own date formats accept days that do not exist, so it gets the contract's. */
export const valibot: Library = {
  name: "valibot",
  setUp: setUpBy<v.GenericSchema>(
    {
      string: v.string(),
      number: v.number(),
      boolean: v.boolean(),
      unknown: v.unknown(),
      format: (name) => {
        if (name === "uuid") return v.pipe(v.string(), v.regex(UUID));
        return v.pipe(v.string(), v.check(formats[name as keyof typeof formats]));
      },
      pattern: (pattern) => v.pipe(v.string(), v.regex(pattern)),
      greaterThan: (minimum) => v.pipe(v.number(), v.gtValue(minimum)),
      enum: (values) => v.picklist(values),
      nullable: (schema) => v.nullable(schema),
      array: (items) => v.array(items),
      object: (properties) => {
        const entries = properties.map(({ name, schema, isRequired }) => {
          return [name, isRequired ? schema : v.exactOptional(schema)] as const;
        });
        const object = v.object(Object.fromEntries(entries));
        if (properties.some(({ isRequired }) => isRequired)) return object;
        return v.pipe(v.unknown(), isNoArray, object);
      },
    },
    (schema) => (body) => v.safeParse(schema, body).issues?.length ?? 0,
  ),
};
