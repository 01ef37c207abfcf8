import { type Type, type } from "arktype";
import { setUpBy } from "./build.ts";
import { formats, UUID } from "./formats.ts";
import type { Library } from "./library.ts";

/** ArkType. Its own date keywords accept days that do not exist, so it gets the contract's. */
export const arktype: Library = {
  name: "arktype",
  setUp: setUpBy<Type>(
    {
      string: type.string as Type,
      number: type.number as Type,
      boolean: type.boolean as Type,
      unknown: type.unknown as Type,
      format: (name) => {
        if (name === "uuid") return type(UUID) as Type;
        return type.string.narrow(formats[name as keyof typeof formats]) as Type;
      },
      pattern: (pattern) => type(pattern) as Type,
      greaterThan: (minimum) => type.number.moreThan(minimum) as Type,
      enum: (values) => type.enumerated(...values) as Type,
      nullable: (schema) => schema.or("null") as Type,
      array: (items) => items.array() as Type,
      object: (properties) => {
        const entries = properties.map(({ name, schema, isRequired }) => {
          return [isRequired ? name : `${name}?`, schema] as const;
        });
        const object = type(Object.fromEntries(entries)) as Type<object>;
        if (properties.some(({ isRequired }) => isRequired)) return object as Type;
        // ArkType accepts an array for an object without required fields.
        return object.narrow((value) => !Array.isArray(value)) as Type;
      },
    },
    (schema) => (body) => {
      const result = schema(body);
      return result instanceof type.errors ? result.length : 0;
    },
  ),
};
